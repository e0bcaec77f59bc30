// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/top_table.h"

#include "analysis/analysis.h"
#include "analysis/stat/account_report.h"

/* The source of a row. */
struct top_row {
	struct subject_row subject;
	const struct monitor *m;
	const struct monitor_side *side;
	const struct window_group *group;
};

CELL(cell_rate, struct top_row,
     cell_uint(windows_rate(&r->side->windows, r->group->step.bytes)))
CELL(cell_hit_rate, struct top_row,
     cell_uint(windows_rate(&r->side->windows, r->group->step.hit)))

CELL_PUT(cell_trend, struct top_row,
	 windows_series(&r->side->windows, r->subject.index, TOP_TREND, out))

CELL(cell_memory, struct top_row,
     cell_text(t, memory_words((enum memory)(r->side - r->m->sides))->word))

static const struct column_type columns[] = {
	{ COLUMN("rate", "Alloc/s", UNIT_BYTES,
		 "Bytes allocated per second, in the last interval.", .share = true),
	  .fill = cell_rate },
	{ COLUMN("pct", "%", UNIT_SHARE,
		 "The row's share of all rows' bytes per second, or of the total of the first sort key, if that can be added up.",
		 .part = COLUMN_SHARE, .drop = 40),
	  .fill = cell_none },
	{ COLUMN("hit_rate", "Hit/s", UNIT_COUNT,
		 "Allocations per second, in the last interval.", .drop = 30),
	  .fill = cell_hit_rate },
	{ COLUMN("live", "Live_bytes", UNIT_BYTES,
		 "Bytes allocated since the start and not seen freed.", .live = true,
		 .drop = 20),
	  MEMBER_OF(struct top_row, group, step.live_bytes) },
	{ COLUMN("live_hit", "Live", UNIT_COUNT,
		 "The same in objects or blocks of pages.", .live = true, .drop = 70),
	  MEMBER_OF(struct top_row, group, step.live_hit) },
	{ COLUMN("bytes", "Total_alloc", UNIT_BYTES,
		 "Bytes allocated since the row was created.", .drop = 80),
	  MEMBER_OF(struct top_row, group, total.bytes) },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations since the row was created.",
		 .drop = 90),
	  MEMBER_OF(struct top_row, group, total.hit) },
	{ COLUMN("memory", "Mem", UNIT_NONE, "slab, page, vmalloc or percpu.",
		 .drop = 50),
	  .fill = cell_memory },
	{ COLUMN("trend", "Trend", UNIT_BYTES,
		 "Bytes per second in each of the last 20 intervals, the latest last.",
		 .series = true, .drop = 60),
	  .fill = cell_trend },
	{ COLUMN("order", "Order", UNIT_NONE, "Of the page allocation: 2^order pages."),
	  .rows = ROWS(ORDER), .fill = subject_order },
	SUBJECT_COLUMN_CACHE,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMNS,
	COLUMNS_END,
};

static const struct table_type top_type = {
	.name = "top",
	.help = "who allocates now",
	.sort = "rate,live",
	.columns = columns,
};

const char *top_sort_key(unsigned int i)
{
	enum subject_kind kind;
	uint32_t kinds = 0;

	for (unsigned int k = 0; grouping_word(k, &kind); k++)
		kinds |= 1U << kind;
	for (const struct column_type *col = columns; col->column.name; col++) {
		if (col->column.part || col->column.series ||
		    (col->rows && !(col->rows & kinds)))
			continue;
		if (!i--)
			return col->column.name;
	}
	return NULL;
}

bool top_passes(const struct table *t, const struct cell *cells, const char *filter)
{
	for (size_t i = 0; filter && i < t->nr_columns; i++) {
		if (cells[i].type == CELL_TEXT && !t->columns[i].series &&
		    strcmp(t->columns[i].name, "memory") &&
		    strcasestr(cells[i].s, filter))
			return true;
	}
	return !filter;
}

/* Columns that are expensive and do not affect the order are filled only for rows that
 * are shown.
 */
static bool is_late(const struct column *col, const struct top_view *view)
{
	return !view->filter && col->unit == UNIT_NONE &&
	       !ANY(i, view->nr_sort, !strcmp(view->sort[i].name, col->name));
}

/* Identifies a row's group until the trend is filled in. */
static struct cell cell_origin(unsigned int side, uint32_t group)
{
	return cell_uint((uint64_t)side << 32 | group);
}

static struct top_row row_of(const struct monitor *m, unsigned int i, uint32_t group)
{
	const struct monitor_side *side = &m->sides[i];

	return (struct top_row){
		{ &side->grouping, group }, m, side, &side->windows.groups[group]
	};
}

/* Fills the late cells, or all others. The trend is late; until then, it holds the row's origin. */
static void fill(const struct top_row *row, const struct top_view *view, bool late,
		 struct table *t, struct cell *cells)
{
	for (const struct column_type *col = columns; col->column.name; col++) {
		if (!column_type_in(col, row->m->opts.by))
			continue;
		if (col->column.series && !late)
			*cells = cell_origin((unsigned int)(row->side - row->m->sides),
					     row->subject.index);
		else if (late == (col->column.series || is_late(&col->column, view)))
			*cells = column_type_cell(col, row, t);
		cells++;
	}
}

/* Fills the columns that add_rows() has left out, for the remaining rows. */
static void add_late(const struct monitor *m, const struct top_view *view,
		     struct table *t)
{
	const int trend = table_column(t, "trend");

	for (size_t i = 0; trend >= 0 && i < t->nr_rows; i++) {
		struct cell *cells = t->cells + i * t->nr_columns;
		const uint64_t origin = cells[trend].u;
		const struct top_row row =
			row_of(m, (unsigned int)(origin >> 32), (uint32_t)origin);

		fill(&row, view, true, t, cells);
	}
}

/* Does a row that has nothing live stay in the table? */
static bool stays(const struct windows *w, uint32_t group, unsigned int fades)
{
	return windows_active(w, group) &&
	       (!fades || w->nr_steps - w->groups[group].last <= fades);
}

static void add_rows(const struct monitor *m, unsigned int i, const struct top_view *view,
		     struct table *t)
{
	const struct windows *w = &m->sides[i].windows;

	for (uint32_t g = 0; g < w->nr; g++) {
		const struct top_row row = row_of(m, i, g);
		struct cell *cells;

		if (!row.group->step.live_bytes && !stays(w, g, view->fades))
			continue;
		cells = table_add_row(t);
		if (!cells)
			return;
		fill(&row, view, false, t, cells);
		if (!top_passes(t, cells, view->filter))
			t->nr_rows--;
	}
}

static bool same(const struct cell *a, const struct cell *b)
{
	if (a->type != b->type)
		return false;
	return a->type == CELL_TEXT ? !strcmp(a->s, b->s) : a->u == b->u;
}

/* Is @row the one that @t has at @cells? */
static bool is_row(const struct top_row *row, struct table *t, const struct cell *cells)
{
	bool is = true;

	for (const struct column_type *col = columns; col->column.name && is; col++) {
		struct cell cell;

		if (!column_type_in(col, row->m->opts.by))
			continue;
		cell = top_is_name(&col->column) ? column_type_cell(col, row, t) : *cells;
		is = same(&cell, cells++);
	}
	return is;
}

bool top_find(const struct monitor *m, const struct table *t, size_t row,
	      unsigned int *side, uint32_t *group)
{
	const struct cell *cells = t->cells + row * t->nr_columns;
	const int memory = table_column(t, "memory");
	struct table *texts = table_new("", "");
	bool found = false;

	for (*side = 0; texts && memory >= 0 && *side < MEMORY_KINDS; ++*side) {
		const struct windows *w = &m->sides[*side].windows;

		if (strcmp(memory_words((enum memory) * side)->word, cells[memory].s) !=
		    0)
			continue;
		for (*group = 0; !found && *group < w->nr; *group += !found) {
			const struct top_row r = row_of(m, *side, *group);

			found = is_row(&r, texts, cells);
		}
		break;
	}
	table_free(texts);
	return found;
}

static struct table *lifetimes_table(const struct monitor *m)
{
	static const char *const units[] = { "us", "ms", "s" };
	struct table *t = table_new("lifetimes", "Lifetimes of what was freed since "
						 "this was opened");

	if (!t)
		return NULL;
	TABLE_COLUMNS(
		t, { .name = "freed", .title = "Freed", .unit = UNIT_COUNT },
		{ .name = "bytes", .title = "Bytes", .unit = UNIT_BYTES, .share = true },
		{ .name = "pct", .title = "%", .unit = UNIT_SHARE, .part = COLUMN_SHARE },
		{ .name = "lifetime", .title = "Lifetime", .last = true });
	for (unsigned int i = 0; i < MONITOR_LIFETIMES; i++) {
		const bool last = i + 1 == MONITOR_LIFETIMES;
		const unsigned int limit = last ? i - 1 : i;
		struct cell *cells = table_add_row(t);
		char text[32];

		if (!cells)
			break;
		snprintf(text, sizeof(text), "%s %s %s", last ? "from" : "below",
			 (const char *[]){ "1", "10", "100" }[limit % 3],
			 units[limit / 3]);
		cells[0] = cell_uint(m->lifetimes[i].nr);
		cells[1] = cell_uint(m->lifetimes[i].bytes);
		cells[3] = cell_text(t, text);
	}
	table_fill_shares(t);
	return t;
}

static void add_banner(const struct monitor *m, const struct top_view *v,
		       struct report *r)
{
	const struct recording *rec = m->study.rec;

	report_add_banner(
		r, false,
		"Linux %s %s, %" PRIu32 " CPU%s, %.1f s: %" PRIu64
		" event%s, %.0f/s, %s; kmemx %.1f %% of a CPU",
		recording_release(rec).text, recording_machine(rec).text, rec->nr_cpus,
		plural(rec->nr_cpus), (double)v->run_ns / 1e9, m->events,
		plural(m->events),
		v->step_ns ? (double)m->step_events * 1e9 / (double)v->step_ns : 0.0,
		m->gaps ? "some LOST" : "none lost",
		v->step_ns ? 100.0 * (double)v->cpu_ns / (double)v->step_ns : 0.0);
	report_banner_if(
		r, m->env.sample.one_in, true,
		"SAMPLE of one in %u objects and pages, and all large ones: figures are estimates for all; callsites that are not in the sample have no row",
		m->env.sample.one_in);
	report_banner_if(
		r, m->gaps, true,
		"LOST %s%" PRIu64 " event%s in %" PRIu64
		" gap%s: rates are at least what is shown, and live figures uncertain",
		m->unknown ? "at least " : "", m->lost, plural(m->lost), m->gaps,
		plural(m->gaps));
	report_banner_if(r, v->since_ns, false, "Live and total figures since %.1f s",
			 (double)v->since_ns / 1e9);
	report_banner_if(
		r, v->paused_ns, true,
		"PAUSED for %.1f s: frees in that time were missed, so live figures are at most what is shown",
		(double)v->paused_ns / 1e9);
}

static void add_facts(const struct monitor *m, const struct top_view *v, struct report *r)
{
	const struct {
		const char *name;
		uint64_t value;
	} items[] = {
		{ "run_ns", v->run_ns },
		{ "interval_ns", v->step_ns },
		{ "cpu_ns", v->cpu_ns },
		{ "since_ns", v->since_ns },
		{ "paused_ns", v->paused_ns },
		{ "nr_cpus", m->study.rec->nr_cpus },
		{ "nr_events", m->events },
		{ "interval_events", m->step_events },
		{ "lost", m->lost },
		{ "gaps", m->gaps },
		{ "unknown_gaps", m->unknown },
		{ "sample_one_in", m->env.sample.one_in ? m->env.sample.one_in : 1 },
	};
	char name[32];

	report_add_text_fact(r, "kernel", recording_release(m->study.rec).text);
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		report_add_fact(r, items[i].name, cell_uint(items[i].value));
	for (int memory = 0; memory < MEMORY_KINDS; memory++) {
		const struct window_sums *sum = &m->sides[memory].windows.total;
		const char *word = memory_words((enum memory)memory)->word;

		snprintf(name, sizeof(name), "%s_bytes", word);
		report_add_fact(r, name, cell_uint(sum->bytes));
		snprintf(name, sizeof(name), "%s_hit", word);
		report_add_fact(r, name, cell_uint(sum->hit));
	}
}

static int order(struct table *t, const struct top_view *view)
{
	int ret = view->nr_sort ? table_sort(t, view->sort, view->nr_sort)
				: table_sort_usual(t);

	if (!ret) {
		table_fill_shares(t);
		table_limit(t, view->lines);
	}
	return ret;
}

static struct table *rows_table(const struct monitor *m, const struct top_view *view)
{
	struct strbuf __auto_free title = { 0 };
	struct table *t;

	strbuf_printf(&title, "Allocations by %s", subjects_word(m->opts.by));
	t = table_type_new(&top_type, strbuf_text(&title), m->opts.by, false);
	if (t)
		table_set_by(t, subjects_word(m->opts.by));
	for (unsigned int i = 0; t && i < MEMORY_KINDS; i++) {
		if (m->sides[i].wanted && !view->side_hidden[i])
			add_rows(m, i, view, t);
	}
	if (t && order(t, view))
		t->failed = true;
	if (table_ok(t))
		add_late(m, view, t);
	if (t && m->opts.by == SUBJECT_CACHE && m->accounts.slab)
		slab_note_unnamed(&m->accounts.slab->any,
				  m->accounts.slab->any.nr_tallies, t);
	return t;
}

struct report *top_report(const struct monitor *m, const struct top_view *view)
{
	struct report *r = report_new();

	if (!r)
		return NULL;
	r->subject = "top";
	add_banner(m, view, r);
	add_facts(m, view, r);
	if (!report_add_table(r, m->by_lifetime ? lifetimes_table(m)
						: rows_table(m, view)) ||
	    !report_ok(r)) {
		report_free(r);
		return NULL;
	}
	return r;
}
