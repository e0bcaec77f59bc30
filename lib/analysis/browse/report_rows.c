// SPDX-License-Identifier: GPL-2.0-or-later
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

/* A page's kinds are those of memory. */
_Static_assert((int)WEB_SLAB == (int)MEMORY_SLAB && (int)WEB_PAGE == (int)MEMORY_PAGE &&
		       (int)WEB_VMALLOC == (int)MEMORY_VMALLOC &&
		       (int)WEB_PERCPU == (int)MEMORY_PERCPU,
	       "enum web_kind is enum memory");

/* The key of a row: what it says of the allocator. Without padding, as keys are compared as bytes.
 * @size: of slab objects, as those of one function may have several.
 */
struct row_key {
	struct web_row row;
	uint64_t size;
};

/* Names that the rows of one kind have; TASK: by report_rows_task(). */
enum { CALLSITE, STACK, TASK, CGROUP, ENTRY, LINE, CACHE, NAMES };

/* @numbers: of the names of @owners' rows; 0: not yet looked up */
struct names {
	struct owners owners;
	uint32_t *numbers;
};

struct filling {
	struct web_report *web;
	const struct analysis_env *env;
	const struct report_data *data;
	struct report_log *log; /* may be NULL */
	struct intern keys;
	struct table *texts;
	uint64_t nr_cells;		      /* with bins as short as at first */
	unsigned int halved;		      /* how many times bins were merged */
	struct web_cell bins[OVER_TIME_BINS]; /* of one row; zeros otherwise */
};

enum subject_kind report_rows_task(const struct recording *rec)
{
	return processes_known(rec) ? SUBJECT_PROCESS : SUBJECT_COMM;
}

static uint64_t bytes_then(const struct filling *f, enum memory kind, size_t number)
{
	return peak_row_then(&f->data->peak->sides[kind], number).bytes;
}

static int open_names(struct names *n, const struct filling *f, enum memory kind)
{
	const enum subject_kind kinds[NAMES] = {
		[CALLSITE] = SUBJECT_CALLSITE,
		[STACK] = SUBJECT_STACK,
		[TASK] = report_rows_task(f->env->rec),
		[CGROUP] = SUBJECT_CGROUP,
		[ENTRY] = SUBJECT_ENTRY,
		[LINE] = SUBJECT_LINE,
		[CACHE] = SUBJECT_CACHE, /* of slab objects */
	};
	const struct lives *of = f->data->peak->of[kind];
	int ret = 0;

	for (int i = 0; i < NAMES - (kind != MEMORY_SLAB) && !ret; i++) {
		if (i == LINE && !source_lines_of_kernel(f->env->lines))
			continue;
		ret = owners_init(&n[i].owners, f->env, of, kinds[i]);
		n[i].numbers = calloc(n[i].owners.nr + 1, sizeof(*n[i].numbers));
		if (!n[i].numbers)
			ret = -ENOMEM;
	}
	return ret;
}

static void close_names(struct names *n)
{
	for (int i = 0; i < NAMES; i++) {
		owners_free(&n[i].owners);
		free(n[i].numbers);
	}
}

/* The cell of a process: "NAME (NUMBER)". */
static struct cell cell_process(const void *row, struct table *t)
{
	struct cell name = subject_process(row, t), number = subject_tgid(row, t);
	struct strbuf text = { 0 };

	if (number.type != CELL_INT || number.i <= 0)
		return name;
	strbuf_printf(&text, "%s (%" PRId64 ")", name.type == CELL_TEXT ? name.s : "",
		      number.i);
	return cell_strbuf(t, &text);
}

/* The number of the text of @cell. */
static uint32_t cell_name(struct filling *f, struct cell cell)
{
	return web_report_name(f->web, cell.type == CELL_TEXT ? cell.s : "");
}

/* The number of the name that row @number of the account has in @n[@what], as in tables. */
static uint32_t name_of(struct filling *f, struct names *n, int what, uint32_t number)
{
	cell_fn *const fill[NAMES] = {
		[CALLSITE] = subject_callsite,
		[TASK] = processes_known(f->env->rec) ? cell_process : subject_comm,
		[CGROUP] = subject_cgroup,
		[ENTRY] = subject_entry,
		[LINE] = subject_line,
		[CACHE] = subject_cache,
	};
	const struct subject_row row = { &n[what].owners.subjects,
					 n[what].owners.of[number] };
	uint32_t *known = &n[what].numbers[row.index];

	if (!*known)
		*known = cell_name(f, fill[what](&row, f->texts));
	return *known;
}

/* The node of row @number's callchain; without @alone, that of its callsite's other callchains. */
static uint32_t node_of(struct filling *f, const struct names *n, uint32_t number,
			const char *callsite, bool alone)
{
	struct strbuf __auto_free folded = { 0 };
	uint32_t node;

	if (alone) {
		subjects_path(&n[STACK].owners.subjects, n[STACK].owners.of[number],
			      &folded);
	} else {
		strbuf_printf(&folded, "%s;[other callchains]", callsite);
		f->web->merged++;
	}
	node = web_report_chain(f->web, strbuf_text(&folded));
	f->web->failed |= folded.failed;
	return node;
}

static void page_key_of(struct filling *f, uint32_t number, struct web_row *key)
{
	const struct page_key *from = lives_key(f->data->peak->of[MEMORY_PAGE], number);
	struct strbuf text = { 0 };

	key->order = from->order;
	key->migratetype =
		cell_name(f, analysis_migratetype(f->env, from->migratetype, f->texts));
	gfp_format_short(&f->env->fmts->gfp, from->gfp_flags, &text, NULL);
	key->gfp = cell_name(f, cell_strbuf(f->texts, &text));
}

/* Which process or task allocated; without @alone, a name for all. */
static void task_key_of(struct filling *f, struct names *n, uint32_t number, bool alone,
			struct web_row *key)
{
	bool task = report_rows_task(f->env->rec) == SUBJECT_COMM;

	*(task ? &key->comm : &key->process) =
		alone ? name_of(f, n, TASK, number)
		      : web_report_name(f->web,
					task ? "[other tasks]" : "[other processes]");
}

/* The page's row for a row of an account; UINT32_MAX: no memory. */
static uint32_t row_of(struct filling *f, enum memory kind, struct names *n,
		       const struct source_row *source, bool alone)
{
	struct row_key key = { .row.kind = kind };
	struct web_report *w = f->web;
	const uint32_t number = source->number;
	uint32_t id;

	key.row.callsite = name_of(f, n, CALLSITE, number);
	if (kind == MEMORY_PAGE)
		page_key_of(f, number, &key.row);
	else
		key.size = (uint32_t)source->size; /* more: a damaged recording */
	if (kind == MEMORY_SLAB)
		key.row.cache = name_of(f, n, CACHE, number);
	key.row.entry = name_of(f, n, ENTRY, number);
	if (source_lines_of_kernel(f->env->lines))
		key.row.line = name_of(f, n, LINE, number);
	task_key_of(f, n, number, alone || w->nr_rows < WEB_REPORT_ROWS_MAX, &key.row);
	if (processes_groups_known(f->env->rec))
		key.row.cgroup = name_of(f, n, CGROUP, number);
	if (w->failed)
		return UINT32_MAX;
	key.row.node = node_of(f, n, number,
			       intern_get(&w->names, key.row.callsite, NULL), alone);
	id = intern_id(&f->keys, &key, sizeof(key));
	if (!id || w->failed)
		return UINT32_MAX;
	if (id > w->nr_rows) {
		if (array_reserve(&w->rows, &w->rows_capacity, id))
			return UINT32_MAX;
		w->rows[w->nr_rows++] = key.row;
	}
	return id - 1;
}

/* The heaviest first; then in the order of the account. */
ORDER_LARGEST(by_weight, struct source_row, weight, number)

ORDER_BY(by_row, struct source_row, row, number)

static struct source_row weigh(const struct filling *f, enum memory kind, size_t number)
{
	uint64_t peak = bytes_then(f, kind, number);
	uint32_t nr;
	const struct over_time_cell *c =
		over_time_cells(&f->data->time[kind], number, &nr);
	struct source_row row = { .number = (uint32_t)number };
	uint32_t bin, last = UINT32_MAX;
	uint64_t hit = 0;

	/* Counts cells of WEB_REPORT_BINS bins: bins are merged later rather than lose callchains.
	 */
	for (; nr; nr--, c++) {
		bin = c->bin / (OVER_TIME_BINS / WEB_REPORT_BINS);
		row.weight += c->bytes;
		hit += c->hit;
		row.cells += bin != last;
		last = bin;
	}
	row.size = hit ? row.weight / hit : 0;
	row.weight = LARGER(row.weight, peak);
	return row;
}

/* Is there room for one more row with its own callchain? @cells: its number of cells. Slab objects
 * may use half of the room, pages what is left of it; areas, of which there are few, a bit more.
 */
static bool has_room(const struct filling *f, enum memory kind, uint64_t cells)
{
	static const unsigned int sixteenths[MEMORY_KINDS] = { 8, 16, 17, 18 };

	return f->web->nr_rows < WEB_REPORT_ROWS / 16 * sixteenths[kind] &&
	       f->nr_cells + cells < WEB_REPORT_CELLS / 16 * sixteenths[kind];
}

/* Adds a cell to the last row, whose cells begin at number @first; in order of time. */
static void put_cell(struct web_report *w, size_t first, const struct web_cell *cell)
{
	struct web_cell *last = w->nr_cells > first ? &w->cells[w->nr_cells - 1] : NULL;

	if (!last || last->bin != cell->bin) {
		w->cells[w->nr_cells++] = *cell;
		return;
	}
	last->hit += cell->hit;
	last->bytes_req += cell->bytes_req;
	last->bytes += cell->bytes;
	last->ended += cell->ended;
}

void report_rows_halve(struct web_report *w)
{
	size_t i, k;

	w->nr_cells = 0;
	for (i = 0; i < w->nr_rows; i++) {
		struct web_row *row = &w->rows[i];
		size_t first = w->nr_cells;

		for (k = row->first; k < row->first + row->nr; k++) {
			struct web_cell cell = w->cells[k];

			cell.bin /= 2;
			put_cell(w, first, &cell);
		}
		row->first = first;
		row->nr = w->nr_cells - first;
	}
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

/* Adds up the cells of @nr rows of the account, which form one row of the page, the last one so
 * far; merges bins if there are too many cells.
 */
static int add_cells(struct filling *f, enum memory kind, const struct source_row *source,
		     size_t nr)
{
	const struct over_time *time = &f->data->time[kind];
	struct web_cell *bins = f->bins;
	struct web_report *w = f->web;
	struct web_row *row = &w->rows[source->row];
	const struct over_time_cell *c;
	uint32_t least = OVER_TIME_BINS, end = 0, bin, nr_cells;

	for (size_t i = 0; i < nr; i++) {
		c = over_time_cells(time, source[i].number, &nr_cells);
		for (; nr_cells; nr_cells--, c++) {
			bins[c->bin].hit += c->hit;
			bins[c->bin].bytes_req += c->bytes_req;
			bins[c->bin].bytes += c->bytes;
			bins[c->bin].ended += c->ended;
			least = SMALLER(least, c->bin);
			end = LARGER(end, c->bin + 1);
		}
		row->peak += bytes_then(f, kind, source[i].number);
	}
	row->first = w->nr_cells;
	if (array_reserve(&w->cells, &w->cells_capacity, w->nr_cells + OVER_TIME_BINS))
		return -ENOMEM;
	for (bin = least; bin < end; bin++) {
		bins[bin].bin = bin >> f->halved;
		if (bins[bin].hit || bins[bin].ended) {
			put_cell(w, row->first, &bins[bin]);
			f->nr_cells++;
		}
		bins[bin] = (struct web_cell){ 0 };
	}
	row->nr = w->nr_cells - row->first;
	for (; w->nr_cells > WEB_REPORT_CELLS_MAX && w->nr_bins > 1; f->halved++)
		report_rows_halve(w);
	return 0;
}

/* The ranges of live memory at the end, by group of rows; the caller frees it. NULL: no memory. */
static struct net_range *ends_of(const struct names *n, const uint32_t *of, size_t nr)
{
	struct net_range *ranges = calloc(nr + 1, sizeof(*ranges));

	if (ranges && !account_rows_bounds(&n[CALLSITE].owners, of, ranges, nr))
		return ranges;
	free(ranges);
	return NULL;
}

/* Adds the ranges of callsites, or of caches; @known: numbers of their names. */
static int add_named_ends(struct filling *f, enum memory kind, struct names *n,
			  bool cache)
{
	const struct owners *o = &n[cache ? CACHE : CALLSITE].owners;
	const uint32_t *known = n[cache ? CACHE : CALLSITE].numbers;
	struct net_range *ranges __auto_mem = ends_of(n, o->of, o->nr);
	struct web_report *w = f->web;

	if (!ranges || array_reserve(&w->ends, &w->ends_capacity, w->nr_ends + o->nr))
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
static int add_ends(struct filling *f, enum memory kind, struct names *n,
		    const struct source_row *sources)
{
	size_t nr = n[CALLSITE].owners.nr_rows, i;
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
	ret = ret ?: report_stays_add(f->web, &f->data->stays[kind], of);
	if (!ret && kind == MEMORY_SLAB)
		ret = add_named_ends(f, kind, n, true);
	free(ranges);
	if (f->log)
		report_log_rows(f->log, kind, of, nr);
	else
		free(of);
	return ret;
}

/* Adds the rows of one kind; @n has their names. */
static int add_kind(struct filling *f, enum memory kind, struct names *n)
{
	size_t nr = n[CALLSITE].owners.nr_rows, i, end;
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
	const struct frame_map *m = &f->data->frames;
	uint32_t *names __auto_mem = calloc(m->nr_sites + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_sites; i++)
		names[i] = name_of(f, n, CALLSITE, m->row_of[i]);
	return report_frames_fill(&f->web->frames, m, names);
}

static int add_flags(struct filling *f)
{
	const struct gfp_names *names = &f->env->fmts->gfp;
	struct web_report *w = f->web;

	w->flags = calloc(names->count + 1, sizeof(*w->flags));
	for (size_t i = 0; w->flags && i < names->count; i++)
		w->flags[w->nr_flags++] =
			(struct web_flag){ web_report_name(w, names->names[i].name),
					   web_report_name(w, names->names[i].short_name),
					   names->names[i].mask };
	return w->flags && !w->failed ? 0 : -ENOMEM;
}

/* --- time -------------------------------------------------------------------------------- */

/* Sets the bins and marks of @w from @t, which is of slab objects. 0 or -ENOMEM. */
static int set_time(struct web_report *w, const struct over_time *t)
{
	w->marks = calloc(t->nr_bins, sizeof(*w->marks));
	if (!w->marks)
		return -ENOMEM;
	w->first = t->first;
	w->width = t->width;
	w->nr_bins = t->nr_bins;
	memcpy(w->marks, t->marks, t->nr_bins * sizeof(*w->marks));
	return 0;
}

/* Completes the time of @w, which has all rows. */
static void end_time(struct web_report *w, const struct report_data *data)
{
	w->last = data->env->last_ts;
	w->ns = recording_clocks_are_ns(data->env->rec);
	for (int i = 0; i < WEB_KINDS; i++)
		w->peak[i] = data->peak->sides[i].when;
	for (size_t k = 0; k < w->nr_rows; k++)
		w->live_at_peak[w->rows[k].kind] += w->rows[k].peak;
}

/* --- the page ---------------------------------------------------------------------------- */

/* Makes room for all cells at once: there are at most the limit plus those of one row. */
static int reserve_cells(struct web_report *w, const struct report_data *data)
{
	size_t nr = 0;

	for (int i = 0; i < MEMORY_KINDS; i++)
		nr += data->time[i].nr_cells;
	nr = SMALLER(nr, (size_t)WEB_REPORT_CELLS_MAX);
	return array_reserve(&w->cells, &w->cells_capacity, nr + OVER_TIME_BINS);
}

int report_rows_fill(struct web_report *web, const struct report_data *data,
		     struct report_log *log)
{
	const struct analysis_env *env = data->env;
	struct filling f = { .web = web, .env = env, .data = data, .log = log };
	int ret, kind;

	f.texts = table_new("names", "");
	ret = f.texts ? set_time(web, data->time) : -ENOMEM;
	ret = ret ?: reserve_cells(web, data);
	for (kind = 0; kind < MEMORY_KINDS && !ret; kind++) {
		struct names names[NAMES] = { 0 };

		ret = open_names(names, &f, (enum memory)kind);
		ret = ret ?: add_kind(&f, (enum memory)kind, names);
		if (!ret && kind == MEMORY_PAGE)
			ret = add_frames(&f, names);
		close_names(names);
	}
	if (!ret && !table_ok(f.texts))
		ret = -ENOMEM;
	ret = ret ?: add_flags(&f);
	ret = ret ?: report_moments_fill(web, &data->moments, env->rec->cmdlines);
	ret = ret ?: report_dirs_fill(web, env);
	ret = ret ?: report_curve_fill(web, env);
	if (!ret) {
		end_time(web, data);
		ret = report_stays_end(web, data->stays->width);
	}
	if (!ret && log) {
		report_log_end(log, web->nr_rows);
		web->parts = !log->full;
	}
	table_free(f.texts);
	intern_free(&f.keys);
	return ret;
}
