// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: sums over time by callchain.
 * In: sums by rows of the accounts. Out: rows for a page, with names.
 *
 * Account rows that look the same to the reader are merged. A page has room for a limited number of
 * callchains: those that allocated and held least are added up by callsite.
 */
#include "analysis/browse/report_rows.h"

#include "analysis/stat/account_rows.h"
#include "base/array.h"
#include "event/processes.h"

/* One row of an account. @number: its number; @weight: decides whether it is shown alone; @size:
 * bytes of an allocation, the mean where they differ; @cells: its number of cells; @row: its row of
 * the page.
 */
struct source_row {
	uint64_t weight, size;
	uint32_t number, cells, row;
};

/* The key of a row; without padding, as keys are compared as bytes. @kind: enum web_kind. @size: of
 * slab objects, as those of one function may have several.
 */
struct row_key {
	uint32_t kind, node, callsite, cache, order, migratetype, gfp, process, comm,
		cgroup, entry, line, size;
};

/* One kind's callsites, stacks and the like, and their names. @process: report_rows_task(). */
struct names {
	struct owners callsite, stack, cache, process, cgroup, entry, line;
	/* numbers of names; 0: not yet looked up */
	uint32_t *of_callsite, *of_cache, *of_process, *of_cgroup, *of_entry, *of_line;
};

struct filling {
	struct web_report *web;
	const struct analysis_env *env;
	const struct peak *peak;
	const struct over_time *time;
	const struct stays *stays;
	const struct frame_map *frames;
	struct report_log *log;
	struct intern keys;
	struct table *texts;
	struct web_cell bins[OVER_TIME_BINS]; /* of one row; zeros otherwise */
};

enum subject_kind report_rows_task(const struct recording *rec)
{
	return processes_known(rec) ? SUBJECT_PROCESS : SUBJECT_COMM;
}

static uint64_t bytes_then(const struct filling *f, enum web_kind kind, size_t number)
{
	return peak_row_then(&f->peak->sides[report_memory(kind)], number).bytes;
}

static int open_names(struct names *n, const struct filling *f, enum web_kind kind)
{
	const struct {
		struct owners *owners;
		enum subject_kind kind;
		uint32_t **names;
	} all[] = {
		{ &n->callsite, SUBJECT_CALLSITE, &n->of_callsite },
		{ &n->stack, SUBJECT_STACK, NULL },
		{ &n->process, report_rows_task(f->env->rec), &n->of_process },
		{ &n->cgroup, SUBJECT_CGROUP, &n->of_cgroup },
		{ &n->entry, SUBJECT_ENTRY, &n->of_entry },
		{ &n->line, SUBJECT_LINE, &n->of_line },
		{ &n->cache, SUBJECT_CACHE, &n->of_cache }, /* of slab objects */
	};
	const struct lives *of = f->peak->of[report_memory(kind)];
	size_t nr = ARRAY_SIZE(all) - (kind != WEB_SLAB), i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (all[i].kind == SUBJECT_LINE && !source_lines_of_kernel(f->env->lines))
			continue;
		ret = owners_init(all[i].owners, f->env, of, all[i].kind);
		if (ret || !all[i].names)
			continue;
		*all[i].names = calloc(all[i].owners->nr + 1, sizeof(uint32_t));
		if (!*all[i].names)
			ret = -ENOMEM;
	}
	return ret;
}

static void close_names(struct names *n)
{
	struct owners *const owners[] = { &n->callsite, &n->stack, &n->cache, &n->process,
					  &n->cgroup,	&n->entry, &n->line };
	uint32_t *const names[] = { n->of_callsite, n->of_cache, n->of_process,
				    n->of_cgroup,   n->of_entry, n->of_line };

	for (size_t i = 0; i < ARRAY_SIZE(owners); i++)
		owners_free(owners[i]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		free(names[i]);
}

/* The number of the name of row @index of @o, as in tables. */
static uint32_t name_of(struct filling *f, const struct owners *o, uint32_t index,
			struct cell (*fill)(const void *row, struct table *t),
			uint32_t *known)
{
	const struct subject_row row = { &o->subjects, index };

	if (!known[index]) {
		struct cell cell = fill(&row, f->texts);

		known[index] =
			web_report_name(f->web, cell.type == CELL_TEXT ? cell.s : "");
	}
	return known[index];
}

static uint32_t strbuf_name(struct filling *f, struct strbuf *sb)
{
	uint32_t name = web_report_name(f->web, strbuf_text(sb));

	f->web->failed |= sb->failed;
	strbuf_free(sb);
	return name;
}

/* A process has its name and its number. */
static uint32_t process_name(struct filling *f, struct names *n, uint32_t index)
{
	const struct subject_row row = { &n->process.subjects, index };
	struct cell name, number;
	struct strbuf text = { 0 };

	if (n->of_process[index])
		return n->of_process[index];
	name = subject_process(&row, f->texts);
	number = subject_tgid(&row, f->texts);
	strbuf_puts(&text, name.type == CELL_TEXT ? name.s : "");
	if (number.type == CELL_INT && number.i > 0)
		strbuf_printf(&text, " (%" PRId64 ")", number.i);
	return n->of_process[index] = strbuf_name(f, &text);
}

/* The node of row @number's callchain; without @alone, that of its callsite's other callchains. */
static uint32_t node_of(struct filling *f, const struct names *n, uint32_t number,
			const char *callsite, bool alone)
{
	struct strbuf __auto_free folded = { 0 };
	uint32_t node;

	if (alone) {
		subjects_path(&n->stack.subjects, n->stack.of[number], &folded);
	} else {
		strbuf_printf(&folded, "%s;[other callchains]", callsite);
		f->web->merged++;
	}
	node = web_report_chain(f->web, strbuf_text(&folded));
	f->web->failed |= folded.failed;
	return node;
}

static void page_key_of(struct filling *f, uint32_t number, struct row_key *key)
{
	const struct page_key *from = lives_key(f->peak->of[MEMORY_PAGE], number);
	const char *type = migratetype_name(f->env->migratetypes, from->migratetype);
	struct strbuf text = { 0 };

	key->order = from->order;
	if (type)
		strbuf_puts(&text, type);
	else
		strbuf_printf(&text, "%d", from->migratetype);
	key->migratetype = strbuf_name(f, &text);
	gfp_format_short(event_formats_gfp(f->env->fmts), from->gfp_flags, &text, NULL);
	key->gfp = strbuf_name(f, &text);
}

/* Which process or task allocated; without @alone, a name for all. */
static void task_key_of(struct filling *f, struct names *n, uint32_t number, bool alone,
			struct row_key *key)
{
	bool task = report_rows_task(f->env->rec) == SUBJECT_COMM;
	uint32_t *name = task ? &key->comm : &key->process;
	uint32_t index = n->process.of[number];

	if (!alone)
		*name = web_report_name(f->web,
					task ? "[other tasks]" : "[other processes]");
	else if (task)
		*name = name_of(f, &n->process, index, subject_comm, n->of_process);
	else
		*name = process_name(f, n, index);
}

/* The page's row for a row of an account; UINT32_MAX: no memory. */
static uint32_t row_of(struct filling *f, enum web_kind kind, struct names *n,
		       const struct source_row *source, bool alone)
{
	struct row_key key = { .kind = kind };
	const uint32_t number = source->number;
	uint32_t id;

	key.callsite = name_of(f, &n->callsite, n->callsite.of[number], subject_callsite,
			       n->of_callsite);
	if (kind == WEB_PAGE) {
		page_key_of(f, number, &key);
	} else {
		if (kind == WEB_SLAB)
			key.cache = name_of(f, &n->cache, n->cache.of[number],
					    subject_cache, n->of_cache);
		key.size = (uint32_t)source->size; /* more: a damaged recording */
	}
	key.entry =
		name_of(f, &n->entry, n->entry.of[number], subject_entry, n->of_entry);
	if (source_lines_of_kernel(f->env->lines))
		key.line = name_of(f, &n->line, n->line.of[number], subject_line,
				   n->of_line);
	task_key_of(f, n, number, alone || f->web->nr_rows < WEB_REPORT_ROWS_MAX, &key);
	if (processes_groups_known(f->env->rec))
		key.cgroup = name_of(f, &n->cgroup, n->cgroup.of[number], subject_cgroup,
				     n->of_cgroup);
	if (f->web->failed)
		return UINT32_MAX;
	key.node = node_of(f, n, number, intern_get(&f->web->names, key.callsite, NULL),
			   alone);
	id = intern_id(&f->keys, &key, sizeof(key));
	if (!id || f->web->failed)
		return UINT32_MAX;
	if (id <= f->web->nr_rows)
		return id - 1;
	if (array_reserve(&f->web->rows, &f->web->rows_capacity, id,
			  sizeof(*f->web->rows)))
		return UINT32_MAX;
	f->web->rows[f->web->nr_rows++] =
		(struct web_row){ .kind = (uint8_t)kind,
				  .node = key.node,
				  .callsite = key.callsite,
				  .cache = key.cache,
				  .order = key.order,
				  .migratetype = key.migratetype,
				  .gfp = key.gfp,
				  .process = key.process,
				  .comm = key.comm,
				  .cgroup = key.cgroup,
				  .entry = key.entry,
				  .line = key.line };
	return id - 1;
}

/* The heaviest first; then in the order of the account. */
static int by_weight(const void *a, const void *b)
{
	const struct source_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

ORDER_BY(by_row, struct source_row, row, number)

static struct source_row weigh(const struct filling *f, enum web_kind kind, size_t number)
{
	uint64_t peak = bytes_then(f, kind, number);
	const struct over_time_cell *c =
		over_time_first(f->time, report_memory(kind), number);
	struct source_row row = { .number = (uint32_t)number };
	uint32_t bin, last = UINT32_MAX;
	uint64_t hit = 0;

	/* Bins are merged later if there are too many cells: this does not cost callchains. */
	for (; c; c = over_time_next(f->time, c)) {
		bin = c->bin / (OVER_TIME_BINS / WEB_REPORT_BINS);
		row.weight += c->bytes;
		hit += c->hit;
		row.cells += bin != last;
		last = bin;
	}
	row.size = hit ? row.weight / hit : 0;
	if (row.weight < peak)
		row.weight = peak;
	return row;
}

/* Is there room for one more row with its own callchain? @cells: its number of cells. Slab objects
 * may use half of the room, pages what is left of it; areas, of which there are few, a bit more.
 */
static bool has_room(const struct filling *f, enum web_kind kind, uint64_t cells)
{
	static const unsigned int sixteenths[WEB_KINDS] = { 8, 16, 17, 18 };

	return f->web->nr_rows < WEB_REPORT_ROWS / 16 * sixteenths[kind] &&
	       f->web->nr_cells + cells < WEB_REPORT_CELLS / 16 * sixteenths[kind];
}

/* Adds up the cells of @nr rows of the account, which form one row of the page. */
static int add_cells(struct filling *f, enum web_kind kind,
		     const struct source_row *source, size_t nr)
{
	struct web_cell *bins = f->bins;
	struct web_report *w = f->web;
	struct web_row *row = &w->rows[source->row];
	const struct over_time_cell *c;
	uint32_t least = OVER_TIME_BINS, end = 0, bin;

	for (size_t i = 0; i < nr; i++) {
		c = over_time_first(f->time, report_memory(kind), source[i].number);
		for (; c; c = over_time_next(f->time, c)) {
			bins[c->bin].hit += c->hit;
			bins[c->bin].bytes_req += c->bytes_req;
			bins[c->bin].bytes += c->bytes;
			bins[c->bin].ended += c->ended;
			least = c->bin < least ? c->bin : least;
			end = c->bin >= end ? c->bin + 1 : end;
		}
		row->peak += bytes_then(f, kind, source[i].number);
	}
	row->first = w->nr_cells;
	if (array_reserve(&w->cells, &w->cells_capacity, w->nr_cells + OVER_TIME_BINS,
			  sizeof(*w->cells)))
		return -ENOMEM;
	for (bin = least; bin < end; bin++) {
		bins[bin].bin = bin;
		if (bins[bin].hit || bins[bin].ended)
			w->cells[w->nr_cells++] = bins[bin];
		bins[bin] = (struct web_cell){ 0 };
	}
	row->nr = w->nr_cells - row->first;
	return 0;
}

/* The ranges of live memory at the end, by group of rows; the caller frees it. NULL: no memory. */
static struct net_range *ends_of(const struct names *n, const uint32_t *of, size_t nr)
{
	struct net_range *ranges = calloc(nr + 1, sizeof(*ranges));

	if (ranges && !account_rows_bounds(&n->callsite, of, ranges, nr))
		return ranges;
	free(ranges);
	return NULL;
}

/* Adds the ranges of callsites, or of caches; @known: numbers of their names. */
static int add_named_ends(struct filling *f, enum web_kind kind, struct names *n,
			  bool cache)
{
	const struct owners *o = cache ? &n->cache : &n->callsite;
	const uint32_t *known = cache ? n->of_cache : n->of_callsite;
	struct net_range *ranges __auto_mem = ends_of(n, o->of, o->nr);
	struct web_report *w = f->web;

	if (!ranges || array_reserve(&w->ends, &w->ends_capacity, w->nr_ends + o->nr,
				     sizeof(*w->ends)))
		return -ENOMEM;
	for (size_t i = 0; i < o->nr; i++) {
		if (known[i] && ranges[i].net)
			w->ends[w->nr_ends++] =
				(struct web_end){ (uint8_t)kind,
						  cache,
						  known[i],
						  ranges[i].min,
						  net_range_max(&ranges[i]),
						  net_range_likely(&ranges[i]) };
	}
	return 0;
}

/* Adds the ranges of live memory at the end, and the stays. @sources: all rows of the account. */
static int add_ends(struct filling *f, enum web_kind kind, struct names *n,
		    const struct source_row *sources)
{
	size_t nr = n->callsite.nr_rows, i;
	uint32_t *of = calloc(nr + 1, sizeof(*of));
	struct net_range *ranges;
	int ret;

	for (i = 0; of && i < nr; i++)
		of[sources[i].number] = sources[i].row;
	ranges = of ? ends_of(n, of, f->web->nr_rows) : NULL;
	for (i = 0; ranges && i < nr; i++) {
		struct web_row *row = &f->web->rows[sources[i].row];

		row->least = ranges[sources[i].row].min;
		row->most = net_range_max(&ranges[sources[i].row]);
		row->likely = net_range_likely(&ranges[sources[i].row]);
	}
	ret = ranges ? add_named_ends(f, kind, n, false) : -ENOMEM;
	ret = ret ?: report_stays_add(f->web, f->stays, report_memory(kind), of);
	if (!ret && kind == WEB_SLAB)
		ret = add_named_ends(f, kind, n, true);
	free(ranges);
	if (f->log)
		report_log_rows(f->log, report_memory(kind), of, nr);
	else
		free(of);
	return ret;
}

/* Adds the rows of one kind; @n has their names. */
static int add_kind(struct filling *f, enum web_kind kind, struct names *n)
{
	size_t nr = n->callsite.nr_rows, i, end;
	struct source_row *sources __auto_mem = calloc(nr + 1, sizeof(*sources));
	uint64_t cells = 0;
	int ret = 0;

	if (!sources)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		sources[i] = weigh(f, kind, i);
	qsort(sources, nr, sizeof(*sources), by_weight);
	for (i = 0; i < nr; i++) {
		bool alone = has_room(f, kind, cells);

		cells += alone ? sources[i].cells : 0;
		sources[i].row = row_of(f, kind, n, &sources[i], alone);
		if (sources[i].row == UINT32_MAX)
			return -ENOMEM;
	}
	qsort(sources, nr, sizeof(*sources), by_row);
	for (i = 0; i < nr && !ret; i = end) {
		for (end = i + 1; end < nr && sources[end].row == sources[i].row;)
			end++;
		ret = add_cells(f, kind, sources + i, end - i);
	}
	return ret ?: add_ends(f, kind, n, sources);
}

/* Adds the frames; the map's callsites get the same names as in the rows. */
static int add_frames(struct filling *f, struct names *n)
{
	const struct frame_map *m = f->frames;
	uint32_t *names __auto_mem = calloc(m->nr_sites + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_sites; i++)
		names[i] = name_of(f, &n->callsite, n->callsite.of[m->row_of[i]],
				   subject_callsite, n->of_callsite);
	return report_frames_fill(&f->web->frames, m, names);
}

static int add_flags(struct filling *f)
{
	const struct gfp_names *names = event_formats_gfp(f->env->fmts);
	struct web_report *w = f->web;

	w->flags = calloc(names->count + 1, sizeof(*w->flags));
	for (size_t i = 0; w->flags && i < names->count; i++)
		w->flags[w->nr_flags++] =
			(struct web_flag){ web_report_name(w, names->names[i].name),
					   web_report_name(w, names->names[i].short_name),
					   names->names[i].mask };
	return w->flags && !w->failed ? 0 : -ENOMEM;
}

int report_rows_fill(struct web_report *web, const struct analysis_env *env,
		     const struct report_parts *parts)
{
	const struct over_time *time = parts->time;
	struct filling f = { .web = web,
			     .env = env,
			     .peak = parts->peak,
			     .time = time,
			     .stays = parts->stays,
			     .frames = parts->frames,
			     .log = parts->log };
	int ret, kind;

	f.texts = table_new("names", "");
	ret = f.texts ? report_time_fill(web, time) : -ENOMEM;
	for (kind = 0; kind < WEB_KINDS && !ret; kind++) {
		struct names names = { 0 };

		ret = open_names(&names, &f, (enum web_kind)kind);
		ret = ret ?: add_kind(&f, (enum web_kind)kind, &names);
		if (!ret && kind == WEB_PAGE)
			ret = add_frames(&f, &names);
		close_names(&names);
	}
	if (!ret && !table_ok(f.texts))
		ret = -ENOMEM;
	ret = ret ?: add_flags(&f);
	ret = ret ?: report_moments_fill(web, parts->moments, env->rec->cmdlines);
	ret = ret ?: report_dirs_fill(web, env);
	ret = ret ?: report_curve_fill(web, env);
	if (!ret) {
		report_time_end(web, env, parts);
		report_stays_end(web, parts->stays->width);
	}
	if (!ret && parts->log) {
		report_log_end(parts->log, web->nr_rows);
		web->parts = !parts->log->full;
	}
	table_free(f.texts);
	intern_free(&f.keys);
	return ret;
}
