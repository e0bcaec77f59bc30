// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: sums over time by callchain.
 * In: sums by rows of the accounts. Out: rows for a page, with names.
 *
 * Account rows that look the same to the reader are merged. A page has room for a limited number of
 * callchains: those that allocated and held least are added up by callsite.
 */
#include "analysis/browse/report_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	struct intern keys;
	struct table *texts;
	struct web_cell bins[OVER_TIME_BINS]; /* of one row; zeros otherwise */
};

enum subject_kind report_rows_task(const struct recording *rec)
{
	return processes_known(rec) ? SUBJECT_PROCESS : SUBJECT_COMM;
}

static enum memory memory_of(enum web_kind kind)
{
	static const enum memory of[WEB_KINDS] = { MEMORY_SLAB, MEMORY_PAGE,
						   MEMORY_VMALLOC, MEMORY_PERCPU };

	return of[kind];
}

static uint64_t bytes_then(const struct filling *f, enum web_kind kind, size_t number)
{
	return peak_row_then(&f->peak->sides[memory_of(kind)], number).bytes;
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
	const struct lives *of = f->peak->of[memory_of(kind)];
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(owners); i++)
		owners_free(owners[i]);
	for (i = 0; i < ARRAY_SIZE(names); i++)
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
	struct strbuf folded = { 0 };
	uint32_t node;

	if (alone) {
		subjects_path(&n->stack.subjects, n->stack.of[number], &folded);
	} else {
		strbuf_printf(&folded, "%s;[other callchains]", callsite);
		f->web->merged++;
	}
	node = web_report_chain(f->web, strbuf_text(&folded));
	f->web->failed |= folded.failed;
	strbuf_free(&folded);
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

static int by_row(const void *a, const void *b)
{
	const struct source_row *x = a, *y = b;

	if (x->row != y->row)
		return (x->row > y->row) - (x->row < y->row);
	return (x->number > y->number) - (x->number < y->number);
}

static struct source_row weigh(const struct filling *f, enum web_kind kind, size_t number)
{
	uint64_t peak = bytes_then(f, kind, number);
	const struct over_time_cell *c =
		over_time_first(f->time, memory_of(kind), number);
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
	size_t i;

	for (i = 0; i < nr; i++) {
		c = over_time_first(f->time, memory_of(kind), source[i].number);
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
	struct net_range *ranges = ends_of(n, o->of, o->nr);
	struct web_report *w = f->web;
	size_t i;

	if (!ranges || array_reserve(&w->ends, &w->ends_capacity, w->nr_ends + o->nr,
				     sizeof(*w->ends))) {
		free(ranges);
		return -ENOMEM;
	}
	for (i = 0; i < o->nr; i++) {
		if (known[i] && ranges[i].net)
			w->ends[w->nr_ends++] =
				(struct web_end){ (uint8_t)kind,
						  cache,
						  known[i],
						  ranges[i].min,
						  net_range_max(&ranges[i]),
						  net_range_likely(&ranges[i]) };
	}
	free(ranges);
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
	if (!ret)
		ret = report_stays_add(f->web, f->stays, memory_of(kind), of);
	if (!ret && kind == WEB_SLAB)
		ret = add_named_ends(f, kind, n, true);
	free(ranges);
	free(of);
	return ret;
}

/* Adds the rows of one kind; @n has their names. */
static int add_kind(struct filling *f, enum web_kind kind, struct names *n)
{
	size_t nr = n->callsite.nr_rows, i, end;
	struct source_row *sources = calloc(nr + 1, sizeof(*sources));
	int ret = sources ? 0 : -ENOMEM;
	uint64_t cells = 0;

	for (i = 0; i < nr && !ret; i++)
		sources[i] = weigh(f, kind, i);
	if (!ret)
		qsort(sources, nr, sizeof(*sources), by_weight);
	for (i = 0; i < nr && !ret; i++) {
		bool alone = has_room(f, kind, cells);

		cells += alone ? sources[i].cells : 0;
		sources[i].row = row_of(f, kind, n, &sources[i], alone);
		if (sources[i].row == UINT32_MAX)
			ret = -ENOMEM;
	}
	if (!ret)
		qsort(sources, nr, sizeof(*sources), by_row);
	for (i = 0; i < nr && !ret; i = end) {
		for (end = i + 1; end < nr && sources[end].row == sources[i].row;)
			end++;
		ret = add_cells(f, kind, sources + i, end - i);
	}
	if (!ret)
		ret = add_ends(f, kind, n, sources);
	free(sources);
	return ret;
}

/* Adds the frames; the map's callsites get the same names as in the rows. */
static int add_frames(struct filling *f, struct names *n)
{
	const struct frame_map *m = f->frames;
	uint32_t *names = calloc(m->nr_sites + 1, sizeof(*names));
	int ret = names ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < m->nr_sites && !ret; i++)
		names[i] = name_of(f, &n->callsite, n->callsite.of[m->row_of[i]],
				   subject_callsite, n->of_callsite);
	if (!ret)
		ret = report_frames_fill(&f->web->frames, m, names);
	free(names);
	return ret;
}

/* Merges bins in pairs; rows keep their order of time. */
static void halve(struct web_report *w)
{
	size_t i, k, nr = 0;

	for (i = 0; i < w->nr_rows; i++) {
		struct web_row *row = &w->rows[i];
		size_t first = nr;

		for (k = row->first; k < row->first + row->nr; k++) {
			struct web_cell cell = w->cells[k];
			struct web_cell *last = nr > first ? &w->cells[nr - 1] : NULL;

			cell.bin /= 2;
			if (!last || last->bin != cell.bin) {
				w->cells[nr++] = cell;
				continue;
			}
			last->hit += cell.hit;
			last->bytes_req += cell.bytes_req;
			last->bytes += cell.bytes;
			last->ended += cell.ended;
		}
		row->first = first;
		row->nr = nr - first;
	}
	w->nr_cells = nr;
	for (i = 0; i < w->nr_bins; i++) {
		struct web_mark *to = &w->marks[i / 2], from = w->marks[i];

		if (i % 2)
			*to = (struct web_mark){ to->lost + from.lost,
						 to->gaps + from.gaps,
						 to->failed + from.failed };
		else
			*to = from;
	}
	w->nr_bins = (w->nr_bins + 1) / 2;
	w->width *= 2;
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

static void add_time(struct filling *f)
{
	const struct over_time *t = f->time;
	struct web_report *w = f->web;
	uint32_t i;
	size_t k;

	w->first = t->first;
	w->width = t->width;
	w->last = f->env->last_ts;
	w->nr_bins = t->nr_bins;
	w->ns = recording_clocks_are_ns(f->env->rec);
	for (i = 0; i < WEB_KINDS; i++)
		w->peak[i] = f->peak->sides[memory_of((enum web_kind)i)].when;
	for (i = 0; i < t->nr_bins; i++)
		w->marks[i] = (struct web_mark){ t->marks[i].lost, t->marks[i].gaps,
						 t->marks[i].failed };
	for (k = 0; k < w->nr_rows; k++)
		w->live_at_peak[w->rows[k].kind] += w->rows[k].peak;
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
			     .frames = parts->frames };
	int ret = 0;
	int kind;

	web->marks = calloc(time->nr_bins, sizeof(*web->marks));
	f.texts = table_new("names", "");
	if (!web->marks || !f.texts)
		ret = -ENOMEM;
	for (kind = 0; kind < WEB_KINDS && !ret; kind++) {
		struct names names = { 0 };

		ret = open_names(&names, &f, (enum web_kind)kind);
		if (!ret)
			ret = add_kind(&f, (enum web_kind)kind, &names);
		if (!ret && kind == WEB_PAGE)
			ret = add_frames(&f, &names);
		close_names(&names);
	}
	if (!ret && !table_ok(f.texts))
		ret = -ENOMEM;
	if (!ret)
		ret = add_flags(&f);
	if (!ret)
		ret = report_moments_fill(web, parts->moments, env->rec->cmdlines);
	if (!ret)
		ret = report_dirs_fill(web, env);
	if (!ret)
		ret = report_curve_fill(web, env);
	if (!ret)
		add_time(&f);
	while (!ret && web->nr_cells > WEB_REPORT_CELLS_MAX && web->nr_bins > 1)
		halve(web);
	if (!ret)
		report_stays_end(web, parts->stays->width);
	table_free(f.texts);
	intern_free(&f.keys);
	return ret;
}
