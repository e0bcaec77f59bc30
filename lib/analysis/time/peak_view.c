// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the tables of the peak.
 * In: live memory of each account row at the moment, and lives at the end. Out: tables.
 */

#include "analysis/analysis.h"
#include "analysis/stat/account_rows.h"
#include "analysis/time/peak.h"
#include "base/array.h"
#include "report/text_cell.h"

void timeline_init(struct timeline *t, uint64_t first, uint64_t last, unsigned int bins)
{
	uint64_t span = last > first ? last - first : 0;

	t->first = first;
	t->bins = bins;
	t->width = bins ? span / bins + 1 : 0;
}

/* The row with that number; NULL: no memory. */
static struct timeline_row *timeline_row_of(struct timeline *t, uint32_t number)
{
	size_t need = (number + 1UL) * t->bins;

	if (likely(number < t->nr))
		return &t->rows[number];
	if (array_reserve(&t->at, &t->at_capacity, need, sizeof(*t->at)) ||
	    array_reach(&t->rows, &t->nr, &t->capacity, number + 1UL, sizeof(*t->rows))) {
		t->failed = true;
		return NULL;
	}
	return &t->rows[number];
}

void timeline_change(struct timeline *t, uint32_t number, uint64_t ts, uint64_t more,
		     uint64_t less)
{
	struct timeline_row *row;
	uint64_t bin;

	if (likely(!t->bins))
		return;
	row = timeline_row_of(t, number);
	if (!row)
		return;
	/* Times outside the range, from a damaged recording, go to the first or last bin. */
	bin = ts > t->first ? (ts - t->first) / t->width : 0;
	while (row->nr < bin && row->nr < t->bins - 1)
		t->at[(size_t)number * t->bins + row->nr++] = row->live;
	row->live += more - less;
}

void timeline_settle(struct timeline *t, uint32_t number, uint64_t less)
{
	struct timeline_row *row = t->bins ? timeline_row_of(t, number) : NULL;

	if (!row)
		return;
	while (row->nr < t->bins - 1)
		t->at[(size_t)number * t->bins + row->nr++] = row->live;
	row->live -= less;
}

uint64_t timeline_at(const struct timeline *t, uint32_t number, unsigned int bin)
{
	if (number >= t->nr)
		return 0;
	if (bin < t->rows[number].nr)
		return t->at[(size_t)number * t->bins + bin];
	return t->rows[number].live;
}

void timeline_free(struct timeline *t)
{
	free(t->rows);
	free(t->at);
	*t = (struct timeline){ 0 };
}

/* A row of the table: at the moment, by the best estimate and as seen, and at the end;
 * @interval: of @bytes, in a sample. @then: as in struct peak_row
 */
struct peak_sum {
	uint64_t nr, bytes;
	struct peak_row then;
	uint64_t nr_end, bytes_end;
	struct estimate interval;
};

/* One table under construction. @all: in a sample: all rows at the moment. */
struct view {
	const struct peak *p;
	const struct peak_side *side;
	struct owners owners;
	struct peak_sum *sums;
	struct estimate all;
	uint64_t *bins; /* by row of the table */
};

struct view_row {
	struct subject_row subject;
	const struct view *v;
	const struct peak_sum *sum;
	const struct estimate *interval;
	const uint64_t *bins;
};

CELL_IF(cell_over_time, struct view_row, r->v->side->timeline.bins,
	cell_numbers(t, r->bins, r->v->side->timeline.bins))

/* @things: objects or pages, of @count_unit. */
#define PEAK_COLUMNS(things, count_unit)                                              \
	{ COLUMN("bytes", "Peak_bytes/Per", UNIT_BYTES,                               \
		 "The best estimate of the bytes that were live at that moment.",     \
		 .per = "objects"),                                                   \
	  MEMBER_OF(struct view_row, sum, bytes) },                                   \
		{ COLUMN("objects", "Live", count_unit, "The same in " things ".",    \
			 .leaves = 20),                                               \
		  MEMBER_OF(struct view_row, sum, nr) },                              \
		{ COLUMN("bytes_seen", "Seen", UNIT_BYTES,                            \
			 "Bytes that were allocated and not seen freed then.",        \
			 .hidden = true, .leaves = 45),                               \
		  MEMBER_OF(struct view_row, sum, then.bytes) },                      \
		{ COLUMN("objects_seen", "Live_seen", count_unit,                     \
			 "The same in " things ".", .hidden = true),                  \
		  MEMBER_OF(struct view_row, sum, then.nr) },                         \
		{ COLUMN("bytes_end", "Live_bytes", UNIT_BYTES,                       \
			 "The best estimate of those live at the end.", .live = true, \
			 .leaves = 40),                                               \
		  MEMBER_OF(struct view_row, sum, bytes_end) },                       \
		{ COLUMN("objects_end", "End", count_unit, "The same in " things ".", \
			 .hidden = true, .live = true, .leaves = 60),                 \
		  MEMBER_OF(struct view_row, sum, nr_end) },                          \
	{                                                                             \
		COLUMN("over_time", "Over_time", UNIT_BYTES,                          \
		       "Bytes live at the end of each part of the time, of equal "    \
		       "length (--over-time); in text a line of marks.",              \
		       .series = true, .hidden = true, .leaves = 5),                  \
			.fill = cell_over_time                                        \
	}

#define LAST_COLUMNS                                 \
	INTERVAL_COLUMNS(struct view_row, interval), \
		BLOCK_COLUMN(struct view_row, interval), SHARE_COLUMNS
MEMORY_COLUMNS(PEAK_COLUMNS, LAST_COLUMNS, SHARE_COLUMNS)

#define TYPE(table, what, its_columns)                                            \
	{                                                                         \
		.name = table,                                                    \
		.help = what " live at the peak, by callsite, or what --by says", \
		.sort = "bytes,objects", .columns = its_columns                   \
	}

static const struct table_type types[MEMORY_KINDS] = {
	TYPE("peak", "slab objects that were", slab_columns),
	TYPE("peak_page", "pages that were", page_columns),
	TYPE("peak_vmalloc", "areas of vmalloc that were", area_columns),
	TYPE("peak_percpu_memory", "per-CPU memory that was", area_columns),
};
const struct table_type *const peak_tables[] = MEMORY_TABLES(types);

/* In a sample: live memory for all memory. */
static int find_intervals(struct view *v)
{
	const struct owners *o = &v->owners;
	uint64_t *bytes __auto_mem = calloc(o->nr_rows + 1, sizeof(*bytes));
	struct estimate *e __auto_mem = calloc(o->nr + 1, sizeof(*e));
	int ret;

	if (!bytes || !e)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_rows; i++)
		bytes[i] = peak_row_then(v->side, i).bytes;
	ret = owners_estimate(o, bytes, o->of, e, o->nr);
	for (size_t i = 0; i < o->nr && !ret; i++)
		v->sums[i].interval = e[i];
	return ret ?: owners_estimate_all(o, bytes, o->of, &v->all);
}

/* Memory that was freed since the moment was live then. Of the rest, the share that is probably
 * live at the end was probably live at the moment, too.
 */
static int find_likely(struct view *v)
{
	const struct owners *o = &v->owners;
	struct net_range *net __auto_mem = calloc(o->nr + 1, sizeof(*net));
	int ret = net ? account_rows_bounds(o, o->of, net, o->nr) : -ENOMEM;

	for (size_t i = 0; i < o->nr && !ret; i++) {
		struct peak_sum *sum = &v->sums[i];
		const struct peak_row *then = &sum->then;

		net[i].sampled = owners_estimated(o);
		sum->nr = then->nr_freed +
			  net_range_scale(&net[i], then->nr - then->nr_freed);
		sum->bytes = then->bytes_freed +
			     net_range_scale(&net[i], then->bytes - then->bytes_freed);
		sum->nr_end = net_range_scale(&net[i], sum->nr_end);
		sum->bytes_end = net_range_scale(&net[i], sum->bytes_end);
	}
	return ret;
}

/* Adds account rows up to table rows. */
static int collect(struct view *v)
{
	const struct timeline *t = &v->side->timeline;
	const struct owners *o = &v->owners;
	size_t nr_bins = t->bins, i;

	v->sums = calloc(o->nr + 1, sizeof(*v->sums));
	v->bins = calloc((o->nr + 1) * (nr_bins + 1), sizeof(*v->bins));
	if (!v->sums || !v->bins)
		return -ENOMEM;
	for (i = 0; i < o->nr_rows; i++) {
		const struct peak_row then = peak_row_then(v->side, i);
		struct peak_sum *sum = &v->sums[o->of[i]];

		sum->then.nr += then.nr * then.times;
		sum->then.bytes += then.bytes * then.times;
		sum->then.nr_freed += then.nr_freed * then.times;
		sum->then.bytes_freed += then.bytes_freed * then.times;
		for (unsigned int bin = 0; bin < nr_bins; bin++)
			v->bins[o->of[i] * nr_bins + bin] +=
				timeline_at(t, (uint32_t)i, bin);
		if (i >= v->side->nr)
			continue;
		sum->nr_end += v->side->rows[i].nr * then.times;
		sum->bytes_end += v->side->rows[i].bytes * then.times;
	}
	if (owners_estimated(o) && find_intervals(v))
		return -ENOMEM;
	return find_likely(v);
}

/* "Over_time: live bytes at the ends of 32 parts of 31.3 ms" */
static void note_bins(const struct view *v, struct table *t)
{
	const struct timeline *bins = &v->side->timeline;
	struct strbuf __auto_free width = { 0 };

	if (!bins->bins)
		return;
	if (recording_clocks_are_ns(v->p->env->rec))
		text_duration(&width, bins->width, " ");
	else
		strbuf_printf(&width, "%" PRIu64, bins->width);
	table_add_note(
		t,
		"Over_time: live bytes at the ends of %u parts of %s; each row's highest mark is its most.",
		bins->bins, strbuf_text(&width));
	t->failed |= width.failed;
}

static void add_notes(const struct view *v, struct table *t)
{
	const struct owners *o = &v->owners;
	uint64_t untraced = 0;

	for (size_t i = 0; i < o->nr_rows; i++)
		untraced += lives_sums(o->lives, i).gone_nr * lives_weight(o->lives, i);
	owners_note_stackless(o, t);
	note_bins(v, t);
	if (untraced)
		table_add_note(t,
			       "Freed without an event: %" PRIu64
			       " %s%s, live here until the address was allocated again.",
			       untraced, memory_words(o->memory)->one, plural(untraced));
	if (o->lives->losses)
		table_add_note(
			t, "!Events were lost: what was freed meanwhile counts as live.");
}

static void add_summary(const struct view *v, struct table *t)
{
	const struct peak *p = v->p;
	bool bound = v->owners.lives->losses;
	uint64_t then = 0, seen = 0, now = 0;
	struct strbuf __auto_free most = { 0 };
	enum column_unit unit =
		recording_clocks_are_ns(p->env->rec) ? UNIT_MOMENT : UNIT_COUNT;
	uint64_t moment =
		p->at_end ? event_stream_stats(p->env->stream)->last_ts : v->side->when;

	for (size_t i = 0; i < v->owners.nr; i++) {
		then += v->sums[i].bytes;
		seen += v->sums[i].then.bytes;
		now += v->sums[i].bytes_end;
	}
	strbuf_printf(&most, "Most bytes of %s", memory_words(v->owners.memory)->many);
	const struct summary_line lines[] = {
		{ "time", p->at_end ? "Time" : "Time of the peak", unit, moment,
		  SUMMARY_TOTAL },
		{ "bytes_live", "Bytes live then", UNIT_BYTES, then, SUMMARY_TOTAL,
		  true },
		{ "bytes_seen", "  not seen freed", UNIT_BYTES, seen,
		  seen > then ? SUMMARY_USUAL : SUMMARY_DETAIL, true },
		{ "bytes_end", "Bytes live at the end", UNIT_BYTES, now, SUMMARY_USUAL,
		  true },
		{ "bytes_most", strbuf_text(&most), UNIT_BYTES, v->side->most,
		  SUMMARY_DETAIL, true },
		{ "time_most", "  when", unit, v->side->when },
	};

	if (seen > then)
		table_show_column(t, "bytes_seen");
	table_set_summary_title(t, "SUMMARY (peak of %s)",
				memory_words(v->owners.memory)->many);
	/* With @at_end only the first three lines are known. */
	table_add_summary_lines(t, lines, p->at_end ? 3 : ARRAY_SIZE(lines), bound);
	if (owners_estimated(&v->owners)) {
		estimate_ends(&v->all, "bytes_live", "Bytes live then", true, t);
		estimate_summary(&v->all, true, t);
	}
	t->failed |= most.failed;
}

/* "Slab objects live at their peak, by callsite" */
static struct table *new_table(const struct peak *p, enum memory memory,
			       enum subject_kind kind, struct report *report)
{
	struct table *t = account_rows_table(
		report, &types[memory], subject_estimated(kind, p->env->sample.one_in),
		"%s live at %s,", memory_words(memory)->title,
		p->at_end ? "the moment" : "their peak");

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].live)
			t->columns[i].hidden |= p->at_end;
		if (t->columns[i].series)
			t->columns[i].hidden = !p->sides[0].timeline.bins;
	}
	return t;
}

static bool any(const uint64_t *numbers, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && !numbers[i]; i++)
		;
	return i < nr;
}

int peak_show(const void *self, enum memory memory, enum subject_kind kind,
	      struct report *report)
{
	const struct peak *p = self;
	struct view v = { .p = p, .side = &p->sides[memory] };
	struct table *t = new_table(p, memory, kind, report);
	int ret = owners_init(&v.owners, p->env, p->of[memory], kind);
	size_t nr_bins = v.side->timeline.bins;

	ret = ret ?: collect(&v);
	for (uint32_t i = 0; i < v.owners.nr && !ret; i++) {
		const struct view_row row = {
			.subject = { &v.owners.subjects, i },
			.v = &v,
			.sum = &v.sums[i],
			.interval = &v.sums[i].interval,
			.bins = &v.bins[i * v.side->timeline.bins]
		};

		if (row.sum->then.nr || any(row.bins, nr_bins))
			table_put_row(t, &row);
	}
	if (!ret) {
		add_notes(&v, t);
		add_summary(&v, t);
	}
	owners_free(&v.owners);
	free(v.sums);
	free(v.bins);
	return ret;
}
