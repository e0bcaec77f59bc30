// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the moment of the highest live bytes, and who held them then.
 * In: lives of every kind of memory. Out: tables "peak", "peak_page" and so on.
 * Documentation/reports.md says how.
 *
 * The accounts report lives of each kind separately, a batch at a time. For an analysis that takes
 * every change in the order of all events, the changes of a batch are kept until all have reported.
 */
#include "analysis/time/peak.h"

#include "analysis/stat/account_rows.h"
#include "base/array.h"
#include "report/text_cell.h"

/* The row of a change, with its value at the moment already saved. NULL: no memory. */
static struct peak_row *row_of(const struct peak *p, unsigned int memory,
			       struct peak_side *side, uint32_t number)
{
	struct peak_row *row;

	if (unlikely(number >= side->nr)) {
		if (array_reserve(&side->rows, &side->capacity, number + 1UL)) {
			side->failed = true;
			return NULL;
		}
		for (; side->nr <= number; side->nr++)
			side->rows[side->nr] = (struct peak_row){
				.times = p->unweighted
						 ? 1
						 : lives_weight(p->of[memory], side->nr)
			};
	}
	row = &side->rows[number];
	if (row->turn != side->turn) {
		row->nr_then = row->nr;
		row->bytes_then = row->bytes;
		row->nr_freed = row->bytes_freed = 0;
		row->turn = side->turn;
	}
	return row;
}

static void apply(struct peak *p, const struct peak_change *c)
{
	struct peak_side *side = &p->sides[c->memory];
	struct peak_row *row = row_of(p, c->memory, side, c->row);
	uint64_t bytes;

	if (!row)
		return;
	bytes = c->bytes * row->times;
	if (p->changed)
		p->changed(p, c);
	if (side->time.nr_bins)
		over_time_add(&side->time, c->row, c->ts,
			      &(struct over_time_cell){ .bytes = c->more ? bytes : 0,
							.ended = c->more ? 0 : bytes });
	if (!c->more) {
		row->nr -= c->nr;
		row->bytes -= c->bytes;
		side->live -= bytes;
		if (c->freed && c->begin <= side->when) {
			row->nr_freed += c->nr;
			row->bytes_freed += c->bytes;
		}
		return;
	}
	row->nr += c->nr;
	row->bytes += c->bytes;
	side->live += bytes;
	if (side->live <= side->most)
		return;
	side->most = side->live;
	side->when = c->ts;
	if (!p->at_end)
		side->turn++;
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const uint8_t memory = (uint8_t)of->kind->memory;
	const struct life *end = life + nr;
	struct peak *p = ctx;

	for (; life < end; life++) {
		const struct peak_change change = { .event = (uintptr_t)life->event,
						    .ts = over_time_of(life),
						    .at = life->at,
						    .begin = life->begin,
						    .nr = life->nr,
						    .bytes = life->bytes,
						    .row = life->row,
						    .memory = memory,
						    .more = life->what == LIFE_BORN,
						    .freed = life->what == LIFE_FREED };

		if (!life_changes(life))
			continue;
		if (likely(!p->changed))
			apply(p, &change);
		else if (ARRAY_ADD(p->changes, p->nr_changes, change))
			p->sides[memory].failed = true;
	}
}

/* The next change of the same kind of memory as @c. */
static const struct peak_change *next_of(const struct peak_change *c,
					 const struct peak_change *end)
{
	const uint8_t memory = c->memory;

	for (c++; c < end && c->memory != memory;)
		c++;
	return c;
}

/* Applies the changes of a batch in the order of its events, merging those of each kind of memory.
 * Changes without an event come last.
 */
static void flush(struct peak *p)
{
	const struct peak_change *end, *c, *at[MEMORY_KINDS];
	unsigned int nr = 0, seen = 0, i, first;

	if (!p->nr_changes)
		return;
	end = p->changes + p->nr_changes;
	for (c = p->changes; c < end && seen != (1U << MEMORY_KINDS) - 1; c++) {
		if (!(seen >> c->memory & 1))
			at[nr++] = c;
		seen |= 1U << c->memory;
	}
	while (nr) {
		for (first = 0, i = 1; i < nr; i++)
			if (at[i]->event - 1 < at[first]->event - 1)
				first = i;
		apply(p, at[first]);
		at[first] = next_of(at[first], end);
		if (at[first] == end)
			at[first] = at[--nr];
	}
	p->nr_changes = 0;
}

/* The batch before this one is complete. */
void peak_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	flush(self);
}

void peak_destroy(void *self)
{
	struct peak *p = self;

	for (int i = 0; i < MEMORY_KINDS; i++) {
		free(p->sides[i].rows);
		over_time_free(&p->sides[i].time);
	}
	free(p->changes);
}

/* --- tables ------------------------------------------------------------------------------ */

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

CELL_IF(cell_over_time, struct view_row, r->v->side->time.nr_bins,
	cell_numbers(t, r->bins, r->v->side->time.nr_bins))

/* @things: objects or pages, of @count_unit. */
#define PEAK_COLUMNS(things, count_unit)                                              \
	{ COLUMN("bytes", "Peak_bytes/Per", UNIT_BYTES,                               \
		 "The best estimate of the bytes that were live at that moment.",     \
		 .per = "objects"),                                                   \
	  MEMBER_OF(struct view_row, sum, bytes) },                                   \
		{ COLUMN("objects", "Live", count_unit, "The same in " things ".",    \
			 .drop = 20),                                                 \
		  MEMBER_OF(struct view_row, sum, nr) },                              \
		{ COLUMN("bytes_seen", "Seen", UNIT_BYTES,                            \
			 "Bytes that were allocated and not seen freed then.",        \
			 .hidden = true, .drop = 45),                                 \
		  MEMBER_OF(struct view_row, sum, then.bytes) },                      \
		{ COLUMN("objects_seen", "Live_seen", count_unit,                     \
			 "The same in " things ".", .hidden = true),                  \
		  MEMBER_OF(struct view_row, sum, then.nr) },                         \
		{ COLUMN("bytes_end", "Live_bytes", UNIT_BYTES,                       \
			 "The best estimate of those live at the end.", .live = true, \
			 .drop = 40),                                                 \
		  MEMBER_OF(struct view_row, sum, bytes_end) },                       \
		{ COLUMN("objects_end", "End", count_unit, "The same in " things ".", \
			 .hidden = true, .live = true, .drop = 60),                   \
		  MEMBER_OF(struct view_row, sum, nr_end) },                          \
	{                                                                             \
		COLUMN("over_time", "Over_time", UNIT_BYTES,                          \
		       "Bytes live at the end of each part of the time, of equal "    \
		       "length (--over-time); in text a line of marks.",              \
		       .series = true, .hidden = true, .drop = 5),                    \
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
static const struct table_type *const tables[] = MEMORY_TABLES(types);

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

static int find_likely(struct view *v)
{
	const struct owners *o = &v->owners;
	struct net_range *net __auto_mem = calloc(o->nr + 1, sizeof(*net));
	int ret = net ? account_rows_bounds(o, o->of, net, o->nr) : -ENOMEM;

	for (size_t i = 0; i < o->nr && !ret; i++) {
		struct peak_sum *sum = &v->sums[i];
		const struct peak_row *then = &sum->then;

		net[i].sampled = owners_estimated(o);
		sum->nr = peak_likely(&net[i], then->nr, then->nr_freed);
		sum->bytes = peak_likely(&net[i], then->bytes, then->bytes_freed);
		sum->nr_end = net_range_scale(&net[i], sum->nr_end);
		sum->bytes_end = net_range_scale(&net[i], sum->bytes_end);
	}
	return ret;
}

/* Adds up account rows to table rows. */
static int collect(struct view *v)
{
	const struct owners *o = &v->owners;
	const struct over_time *time = &v->side->time;
	size_t i;

	v->sums = calloc(o->nr + 1, sizeof(*v->sums));
	v->bins = calloc((o->nr + 1) * (time->nr_bins + 1), sizeof(*v->bins));
	if (!v->sums || !v->bins)
		return -ENOMEM;
	for (i = 0; i < o->nr_rows; i++) {
		const struct peak_row then = peak_row_then(v->side, i);
		struct peak_sum *sum = &v->sums[o->of[i]];

		sum->then.nr += then.nr * then.times;
		sum->then.bytes += then.bytes * then.times;
		sum->then.nr_freed += then.nr_freed * then.times;
		sum->then.bytes_freed += then.bytes_freed * then.times;
		over_time_live(time, i, v->bins + o->of[i] * time->nr_bins);
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
	const struct over_time *time = &v->side->time;
	struct strbuf __auto_free width = { 0 };

	if (!time->nr_bins)
		return;
	if (recording_clocks_are_ns(v->p->env->rec))
		text_duration(&width, time->width, " ");
	else
		strbuf_printf(&width, "%" PRIu64, time->width);
	table_add_note(
		t,
		"Over_time: live bytes at the ends of %u parts of %s; each row's highest mark is its most.",
		time->nr_bins, strbuf_text(&width));
	t->failed |= width.failed;
}

static void add_notes(const struct view *v, struct table *t)
{
	const struct owners *o = &v->owners;
	uint64_t untraced = 0;

	for (size_t i = 0; i < o->nr_rows; i++)
		untraced += lives_sums(o->lives, i).implicit * lives_weight(o->lives, i);
	owners_note_stackless(o, t);
	note_bins(v, t);
	table_note_if(t, untraced,
		      "Freed without an event: %" PRIu64
		      " %s%s, live here until the address was allocated again.",
		      untraced, memory_words(o->memory)->one, plural(untraced));
	table_note_if(t, o->lives->losses,
		      "!Events were lost: what was freed meanwhile counts as live.");
}

static void add_summary(const struct view *v, struct table *t)
{
	static const char *const moments[] = { "time", "time_most" };
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
	if (seen > then)
		table_show_column(t, "bytes_seen");
	table_set_summary_title(t, "SUMMARY (peak of %s)",
				memory_words(v->owners.memory)->many);
	TABLE_SUMMARY(t, bound,
		      { "time", p->at_end ? "Time" : "Time of the peak", unit, moment,
			SUMMARY_TOTAL },
		      { "bytes_live", "Bytes live then", UNIT_BYTES, then, SUMMARY_TOTAL,
			true },
		      { "bytes_seen", "  not seen freed", UNIT_BYTES, seen,
			seen > then ? SUMMARY_USUAL : SUMMARY_DETAIL, true });
	/* With @at_end, these are unknown. */
	if (!p->at_end)
		TABLE_SUMMARY(t, bound,
			      { "bytes_end", "Bytes live at the end", UNIT_BYTES, now,
				SUMMARY_USUAL, true },
			      { "bytes_most", strbuf_text(&most), UNIT_BYTES,
				v->side->most, SUMMARY_DETAIL, true },
			      { "time_most", "  when", unit, v->side->when });
	/* There is no peak if nothing was allocated. */
	if (!p->at_end && !v->side->most)
		table_blank_summary(t, moments, ARRAY_SIZE(moments));
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
			t->columns[i].hidden = !p->sides[memory].time.nr_bins;
	}
	return t;
}

/* Adds the table of @memory by @kind. */
static int show_by(const void *self, enum memory memory, enum subject_kind kind,
		   struct report *report)
{
	const struct peak *p = self;
	struct view v = { .p = p, .side = &p->sides[memory] };
	struct table *t = new_table(p, memory, kind, report);
	int ret = owners_init(&v.owners, p->env, p->of[memory], kind);
	size_t nr_bins = v.side->time.nr_bins;

	ret = ret ?: collect(&v);
	for (uint32_t i = 0; i < v.owners.nr && !ret; i++) {
		const struct view_row row = { .subject = { &v.owners.subjects, i },
					      .v = &v,
					      .sum = &v.sums[i],
					      .interval = &v.sums[i].interval,
					      .bins = &v.bins[i * nr_bins] };

		if (row.sum->then.nr || ANY(k, nr_bins, row.bins[k]))
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

static int show(const struct peak *p, enum memory memory, struct report *report)
{
	return account_rows_by(p->opts, memory, show_by, p, report);
}

int peak_create(struct peak *p, const struct analysis_env *env,
		const struct analysis_options *opts)
{
	struct dimensions dimensions[MEMORY_KINDS];

	p->show = show;
	for (int i = 0; i < MEMORY_KINDS; i++)
		over_time_init_parts(&p->sides[i].time, env->first_ts, env->last_ts,
				     opts->bins);
	subjects_dimensions(opts, env, dimensions);
	return accounts_observe(env->accounts, dimensions, p->of, lived, p);
}

static int create(void *self, const struct analysis_env *env,
		  const struct analysis_options *opts)
{
	const struct peak_options *own = opts->own;
	struct peak *p = self;
	int ret = peak_create(p, env, opts);

	if (ret)
		return ret;
	p->at_end = own && own->at_end;
	/* Objects freed since the moment were live then. Every free of a page has an event. */
	p->of[MEMORY_SLAB]->live.times = true;
	return 0;
}

void peak_end(void *self)
{
	struct peak *p = self;

	flush(p);
	for (int i = 0; i < MEMORY_KINDS; i++) {
		p->sides[i].turn += p->at_end;
		over_time_end(&p->sides[i].time);
	}
}

int peak_view(const void *self, struct report *report)
{
	const struct peak *p = self;
	int ret = 0, i;

	for (i = 0; i < MEMORY_KINDS; i++) {
		if (p->of[i]->failed || p->sides[i].failed || p->sides[i].time.failed)
			ret = -ENOMEM;
	}
	for (i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (account_rows_wanted(p->env, p->opts, (enum memory)i))
			ret = p->show(p, (enum memory)i, report);
	}
	return ret;
}

const struct analysis analysis_peak = {
	.name = "peak",
	.help = "who held memory when most of it was live",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = tables,
	ANALYSIS_SELF_OPTIONS(struct peak),
	.create = create,
	.end = peak_end,
	.view = peak_view,
	.destroy = peak_destroy,
};
