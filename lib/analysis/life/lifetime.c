// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how long objects and pages live.
 * In: lives of every kind of memory. Out: tables "lifetime", "lifetime_page" and so on: for each
 * callsite, or as --by says, a histogram of lifetimes, their median and 99 % quantile, and how many
 * were short.
 *
 * A lifetime is the time from the allocation event to the free event. An object that ended without
 * an event, or is live at the end, has none. Documentation/reports.md has the rest.
 */

#include "analysis/analysis.h"
#include "analysis/life/lifetimes.h"
#include "analysis/row/owners.h"
#include "analysis/stat/account_rows.h"
#include "report/text_cell.h"

struct lifetime_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *of[MEMORY_KINDS];
	struct lifetimes times[MEMORY_KINDS];
	bool ns; /* the clock counts nanoseconds */
};

/* A group's allocations: objects or pages. */
struct lifetime_sum {
	uint64_t all, live;
};

/* One table under construction. @sums: by group; @intervals: in a sample: of all that ended. */
struct lifetime_view {
	const struct lifetime_analysis *a;
	struct owners owners;
	struct lifetime_sum *sums;
	struct estimate *intervals;
	struct lifetime_groups groups;
};

/* @ended: @group, if one of its lifetimes is known, else NULL; @timed: @group, if times are in
 * nanoseconds, else NULL
 */
struct lifetime_view_row {
	struct subject_row subject;
	const struct lifetime_view *v;
	const struct lifetime_group *group;
	const struct lifetime_group *ended, *timed;
	const struct lifetime_sum *sum;
	const struct estimate *interval;
};

/* --- the columns of the tables of lifetimes ----------------------------------------- */

CELL_IF(cell_short_part, struct lifetime_view_row, r->v->a->ns && r->group->nr,
	cell_real(100.0 * (double)r->group->row.nr_short / (double)r->group->nr))
CELL(cell_untimed, struct lifetime_view_row,
     cell_uint(r->sum->all - r->sum->live - r->group->nr))

static struct cell cell_histogram(const void *row, struct table *t)
{
	const struct lifetime_view_row *r = row;
	uint64_t octaves[LIFETIME_OCTAVES];
	unsigned int nr = lifetime_octaves(
		&r->v->groups, (size_t)(r->group - r->v->groups.groups), octaves);

	return cell_numbers(t, octaves, nr);
}

/* @things: objects or pages, of @count_unit. */
#define LIFETIME_COLUMNS(things, count_unit)                                             \
	{ COLUMN("short", "Short", count_unit,                                           \
		 "Those freed within 10 us (--short) on the CPU that "                   \
		 "allocated them.",                                                      \
		 .share = true),                                                         \
	  MEMBER_OF(struct lifetime_view_row, timed, row.nr_short) },                    \
		{ COLUMN("short_pct", "Short/Freed", UNIT_PERCENT,                       \
			 "Their part of the freed ones.", .drop = 70),                   \
		  .fill = cell_short_part },                                             \
		{ COLUMN("short_bytes", "Short_bytes", UNIT_BYTES,                       \
			 "Bytes allocated for them.", .hidden = true, .drop = 75),       \
		  MEMBER_OF(struct lifetime_view_row, timed, row.bytes_short) },         \
		{ COLUMN("freed", "Freed", count_unit,                                   \
			 "Freed " things ", whose lifetime is known.", .drop = 20),      \
		  MEMBER_OF(struct lifetime_view_row, group, nr) },                      \
		{ COLUMN("freed_low", "Freed_low", count_unit,                           \
			 "For a sample: the lower end of the 95 % confidence "           \
			 "interval of how many ended.",                                  \
			 .level = true, .drop = 22),                                     \
		  .estimated = true,                                                     \
		  MEMBER_OF(struct lifetime_view_row, interval, low) },                  \
		{ COLUMN("freed_high", "Freed_high", count_unit,                         \
			 "For a sample: the upper end of this interval.", .level = true, \
			 .drop = 22),                                                    \
		  .estimated = true,                                                     \
		  MEMBER_OF(struct lifetime_view_row, interval, high) },                 \
		{ COLUMN("median", "Median", UNIT_NS,                                    \
			 "The time that half of them did not outlive; at most "          \
			 "1/32 off.",                                                    \
			 .level = true, .drop = 30),                                     \
		  MEMBER_OF(struct lifetime_view_row, ended, median) },                  \
		{ COLUMN("p99", "99 %", UNIT_NS,                                         \
			 "The time that 99 % of them did not outlive; at most "          \
			 "1/32 off.",                                                    \
			 .level = true, .drop = 40),                                     \
		  MEMBER_OF(struct lifetime_view_row, ended, p99) },                     \
		{ COLUMN("longest", "Longest", UNIT_NS, "The longest lifetime.",         \
			 .level = true, .drop = 60),                                     \
		  MEMBER_OF(struct lifetime_view_row, ended, row.longest) },             \
		{ COLUMN("untimed", "Untimed", count_unit,                               \
			 "Those that ended at an unknown time, as no event said "        \
			 "so.",                                                          \
			 .drop = 90),                                                    \
		  .fill = cell_untimed },                                                \
		{ COLUMN("live", "Live", count_unit, "Those that live at the end.",      \
			 .live = true, .drop = 80),                                      \
		  MEMBER_OF(struct lifetime_view_row, sum, live) },                      \
	{                                                                                \
		COLUMN("lifetimes", "Lifetimes", UNIT_NS,                                \
		       "How many lived for 0 or 1 ns, and from 2, 4, 8, ... "            \
		       "ns on; in text a line of marks.",                                \
		       .histogram = true, .drop = 5),                                    \
			.fill = cell_histogram                                           \
	}

MEMORY_COLUMNS(LIFETIME_COLUMNS, SHARE_COLUMNS, SHARE_COLUMNS)

#define TYPE(table, of, its_columns)                                    \
	{                                                               \
		.name = table,                                          \
		.help = "lifetimes of " of                              \
			" by callsite, or what --by says (--lifetime)", \
		.sort = "short,freed", .columns = its_columns           \
	}

static const struct table_type types[MEMORY_KINDS] = {
	TYPE("lifetime", "slab objects", slab_columns),
	TYPE("lifetime_page", "pages", page_columns),
	TYPE("lifetime_vmalloc", "areas of vmalloc", area_columns),
	TYPE("lifetime_percpu_memory", "per-CPU memory", area_columns),
};
static const struct table_type *const tables[] = MEMORY_TABLES(types);

static void ended(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct lifetime_analysis *a = ctx;
	struct lifetime one;

	for (; life < end; life++) {
		if (lifetime_of(life, &one))
			lifetimes_add(&a->times[of->kind->memory], &one,
				      lives_weight(of, life->row));
	}
}

static void lifetime_destroy(void *self)
{
	struct lifetime_analysis *a = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		lifetimes_free(&a->times[i]);
}

/* A lifetime up to this is short, without --short. */
#define SHORT_NS 10000

struct lifetime_options {
	uint64_t short_ns;
};

static const struct analysis_option options[] = {
	{ "short", "TIME", "--lifetime: up to this it is short (default: 10us)",
	  ANALYSIS_TIME, offsetof(struct lifetime_options, short_ns), true },
	{ .name = NULL },
};

static int lifetime_create(void *self, const struct analysis_env *env,
			   const struct analysis_options *opts)
{
	struct dimensions dimensions[MEMORY_KINDS];
	struct lifetime_analysis *a = self;
	const struct lifetime_options *own = opts->own;
	int ret, i;

	a->ns = recording_clocks_are_ns(env->rec);
	subjects_dimensions(opts, env, dimensions);
	ret = accounts_observe(env->accounts, dimensions, a->of, ended, a);
	for (i = 0; i < MEMORY_KINDS && !ret; i++) {
		a->times[i].short_time = own && own->short_ns ? own->short_ns : SHORT_NS;
		a->of[i]->live.times = true;
	}
	return ret;
}

/* In a sample: how many ended in all memory. */
static int find_intervals(struct lifetime_view *v)
{
	const struct owners *o = &v->owners;
	uint64_t *ended __auto_mem = calloc(o->nr_rows + 1, sizeof(*ended));

	v->intervals = calloc(o->nr + 1, sizeof(*v->intervals));
	if (!ended || !v->intervals)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_rows; i++) {
		const struct lives_sums sums = lives_sums(o->lives, i);

		ended[i] = sums.nr - sums.live;
	}
	return owners_estimate(o, ended, o->of, v->intervals, o->nr);
}

/* Adds up account rows to table rows. */
static int collect(struct lifetime_view *v)
{
	const struct owners *o = &v->owners;

	v->sums = calloc(o->nr + 1, sizeof(*v->sums));
	if (!v->sums)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_rows; i++) {
		const struct lives_sums sums = lives_sums(o->lives, i);

		v->sums[o->of[i]].all += sums.nr * lives_weight(o->lives, i);
		v->sums[o->of[i]].live += sums.live * lives_weight(o->lives, i);
	}
	if (owners_estimated(o) && find_intervals(v))
		return -ENOMEM;
	return lifetime_groups_make(&v->groups, &v->a->times[o->memory], o->of, o->nr);
}

static void add_notes(const struct lifetime_view *v, uint64_t losses, struct table *t)
{
	const struct lifetime_analysis *a = v->a;
	struct strbuf __auto_free within = { 0 };

	text_duration(&within, a->times[MEMORY_SLAB].short_time, " ");
	if (a->ns)
		table_add_note(t, "Short: freed within %s on the CPU that allocated.",
			       strbuf_text(&within));
	else
		table_add_note(
			t,
			"!The recording's clock does not count nanoseconds: times are in its units, and none is short.");
	table_note_if(
		t, losses,
		"!Events were lost: a lifetime may be that of two in turn, as the free between them was lost.");
	table_note_if(
		t, owners_estimated(&v->owners),
		"Counts are estimates; Freed lies between Freed_low and Freed_high, and the other counts are as uncertain. Times are those of the sample.");
	table_note_if(t, a->opts->live,
		      "!These are all allocations: what is still live has no lifetime.");
	t->failed |= within.failed;
}

static void add_summary(const struct lifetime_view *v, uint64_t losses, struct table *t)
{
	struct lifetime_sum all = { 0 };
	struct lifetime_group sum = { 0 };
	enum column_unit unit = memory_words(v->owners.memory)->unit;

	for (size_t i = 0; i < v->owners.nr; i++) {
		all.all += v->sums[i].all;
		all.live += v->sums[i].live;
		sum.nr += v->groups.groups[i].nr;
		sum.row.nr_short += v->groups.groups[i].row.nr_short;
	}
	table_set_summary_title(t, "SUMMARY (lifetimes of %s)",
				memory_words(v->owners.memory)->many);
	TABLE_SUMMARY(
		t, losses != 0,
		{ "allocated", v->owners.pages ? "Pages allocated" : "Allocations", unit,
		  all.all, SUMMARY_USUAL },
		{ "freed", "  freed", unit, sum.nr, SUMMARY_USUAL },
		{ "untimed", "  ended at an unknown time", unit,
		  all.all - all.live - sum.nr, SUMMARY_DOUBT },
		{ "live", "  live at the end", unit, all.live, SUMMARY_USUAL, true });
	if (v->a->ns)
		table_add_summary(t, "short", "Short lifetimes", unit,
				  cell_uint(sum.row.nr_short), losses != 0);
}

static void add_rows(const struct lifetime_view *v, struct table *t)
{
	for (uint32_t i = 0; i < v->owners.nr; i++) {
		const struct lifetime_group *group = &v->groups.groups[i];
		const struct lifetime_view_row row = {
			.subject = { &v->owners.subjects, i },
			.v = v,
			.group = group,
			.ended = group->nr ? group : NULL,
			.timed = v->a->ns ? group : NULL,
			.sum = &v->sums[i],
			.interval = v->intervals ? &v->intervals[i] : NULL
		};

		if (row.sum->all)
			table_put_row(t, &row);
	}
}

static int show(const void *self, enum memory memory, enum subject_kind kind,
		struct report *report)
{
	const struct lifetime_analysis *a = self;
	const uint64_t losses = a->of[memory]->losses;
	struct lifetime_view v = { .a = a };
	int ret = owners_init(&v.owners, a->env, a->of[memory], kind);
	struct table *t = account_rows_table(
		report, &types[memory], subject_estimated(kind, a->env->sample.one_in),
		"Lifetimes of %s", memory_words(memory)->many);

	analysis_plain_times(a->env, t);
	v.owners.flows = true;
	ret = ret ?: collect(&v);
	if (!ret) {
		add_rows(&v, t);
		owners_note_stackless(&v.owners, t);
		add_notes(&v, losses, t);
		add_summary(&v, losses, t);
	}
	lifetime_groups_free(&v.groups);
	owners_free(&v.owners);
	free(v.sums);
	free(v.intervals);
	return ret;
}

static int lifetime_view(const void *self, struct report *report)
{
	const struct lifetime_analysis *a = self;
	const struct account_rows rows = { a->env, a->opts, a->of, show, a };

	return account_rows_show(&rows, report);
}

const struct analysis analysis_lifetime = {
	.name = "lifetime",
	.help = "histogram of lifetimes, and how many are short",
	.use = ANALYSIS_ASKED,
	.needs = NEEDS_MEMORY,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = tables,
	.options = options,
	ANALYSIS_SELF_OPTIONS(struct lifetime_analysis),
	.create = lifetime_create,
	.view = lifetime_view,
	.destroy = lifetime_destroy,
};
