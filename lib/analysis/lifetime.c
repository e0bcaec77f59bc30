// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how long objects and pages live.
 * In: lives of slab objects and of pages. Out: tables "lifetime" and "lifetime_page": for each
 * callsite, or what --by says, a histogram of lifetimes, their median and 99 %, and how many
 * were short.
 *
 * A lifetime is the time from the event that allocated to the event that freed. What ended
 * without an event, or lives at the end, has none. Documentation/lifetimes.md has the rest.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/alloc_filter.h"
#include "analysis/analyze.h"
#include "analysis/lifetimes.h"
#include "analysis/owners.h"
#include "report/text_cell.h"

struct lifetime_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_account *slab;
	struct page_account *page;
	struct lifetimes slab_times, page_times;
	bool ns;    /* the clock counts nanoseconds */
	bool ended; /* the accounts are finished */
};

static void slab_ended(void *ctx, const struct slab_life *life, size_t nr)
{
	const struct slab_life *end = life + nr;
	struct lifetime one;

	for (; life < end; life++) {
		if (lifetime_of_slab(life, &one))
			lifetimes_add(ctx, &one);
	}
}

static void page_ended(void *ctx, const struct page_life *life, size_t nr)
{
	const struct page_life *end = life + nr;
	struct lifetime_analysis *a = ctx;
	struct lifetime one;

	for (; life < end; life++) {
		if (lifetime_of_page(life, a->env->page_size, &one))
			lifetimes_add(&a->page_times, &one);
	}
}

static int observe(struct lifetime_analysis *a)
{
	int ret = slab_lives_observe(&a->slab->lives, slab_ended, &a->slab_times);

	return ret ? ret : page_lives_observe(&a->page->lives, page_ended, a);
}

static void lifetime_destroy(void *self)
{
	struct lifetime_analysis *a = self;

	lifetimes_free(&a->slab_times);
	lifetimes_free(&a->page_times);
	free(a);
}

static void *lifetime_create(const struct analysis_env *env,
			     const struct analysis_options *opts)
{
	struct lifetime_analysis *a = calloc(1, sizeof(*a));
	struct dimensions slab, page;

	if (!a)
		return NULL;
	slab = subjects_slab_dimensions(opts, env);
	page = subjects_page_dimensions(opts->by);
	a->env = env;
	a->opts = opts;
	a->ns = recording_clocks_are_ns(env->rec);
	a->slab_times.short_time = opts->short_ns ? opts->short_ns : LIFETIME_SHORT_NS;
	a->page_times.short_time = a->slab_times.short_time;
	a->slab = accounts_slab(env->accounts, &slab);
	a->page = accounts_page(env->accounts, &page);
	if (!a->slab || !a->page || observe(a)) {
		free(a);
		return NULL;
	}
	a->slab->lives.live.times = true;
	a->page->lives.blocks.times = true;
	return a;
}

/* What became of a group's allocations: objects or pages. */
struct group_sum {
	uint64_t all, live;
};

/* One table in the making; @sums: of each group. */
struct view {
	const struct lifetime_analysis *a;
	struct owners owners;
	struct group_sum *sums;
	struct lifetime_groups groups;
};

struct view_row {
	struct subject_row subject;
	const struct view *v;
	const struct lifetime_group *group;
	const struct group_sum *sum;
};

static struct cell cell_short(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return r->v->a->ns ? cell_uint(r->group->row.nr_short) : (struct cell){ 0 };
}

static struct cell cell_short_bytes(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return r->v->a->ns ? cell_uint(r->group->row.bytes_short) : (struct cell){ 0 };
}

static struct cell cell_short_part(const void *row, struct table *t)
{
	const struct view_row *r = row;

	if (!r->v->a->ns || !r->group->nr)
		return (struct cell){ 0 };
	return cell_real(100.0 * (double)r->group->row.nr_short / (double)r->group->nr);
}

static struct cell cell_freed(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return cell_uint(r->group->nr);
}

/* A time of the group; none where nothing has ended. */
static struct cell time_cell(const struct view_row *r, uint64_t time)
{
	return r->group->nr ? cell_uint(time) : (struct cell){ 0 };
}

static struct cell cell_median(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return time_cell(r, r->group->median);
}

static struct cell cell_p99(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return time_cell(r, r->group->p99);
}

static struct cell cell_longest(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return time_cell(r, r->group->row.longest);
}

static struct cell cell_untimed(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return cell_uint(r->sum->all - r->sum->live - r->group->nr);
}

static struct cell cell_live(const void *row, struct table *t)
{
	const struct view_row *r = row;

	return cell_uint(r->sum->live);
}

static struct cell cell_histogram(const void *row, struct table *t)
{
	const struct view_row *r = row;
	uint64_t octaves[LIFETIME_OCTAVES];
	unsigned int nr = lifetime_octaves(
		&r->v->groups, (size_t)(r->group - r->v->groups.groups), octaves);
	struct strbuf text = { 0 };
	struct cell cell;
	unsigned int i;

	for (i = 0; i < nr; i++)
		strbuf_printf(&text, "%s%" PRIu64, i ? "|" : "", octaves[i]);
	cell = cell_text(t, strbuf_text(&text));
	t->failed |= text.failed;
	strbuf_free(&text);
	return cell;
}

/* @things: objects or pages, of @count_unit. */
#define LIFETIME_COLUMNS(things, count_unit)                                                   \
	{ .column = { .name = "short",                                                         \
		      .title = "Short",                                                        \
		      .unit = count_unit,                                                      \
		      .share = true,                                                           \
		      .help = "Those freed within 10 us (--short) on the CPU that "            \
			      "allocated them." },                                             \
	  .fill = cell_short },                                                                \
		{ .column = { .name = "short_pct",                                             \
			      .title = "Short/Freed",                                          \
			      .unit = UNIT_PERCENT,                                            \
			      .leaves = 70,                                                    \
			      .help = "Their part of the freed ones." },                       \
		  .fill = cell_short_part },                                                   \
		{ .column = { .name = "short_bytes",                                           \
			      .title = "Short_bytes",                                          \
			      .unit = UNIT_BYTES,                                              \
			      .hidden = true,                                                  \
			      .leaves = 75,                                                    \
			      .help = "Bytes allocated for them." },                           \
		  .fill = cell_short_bytes },                                                  \
		{ .column = { .name = "freed",                                                 \
			      .title = "Freed",                                                \
			      .unit = count_unit,                                              \
			      .leaves = 20,                                                    \
			      .help = "Freed " things ", whose lifetime is known." },          \
		  .fill = cell_freed },                                                        \
		{ .column = { .name = "median",                                                \
			      .title = "Median",                                               \
			      .unit = UNIT_NS,                                                 \
			      .level = true,                                                   \
			      .leaves = 30,                                                    \
			      .help = "The time that half of them did not outlive; at most "   \
				      "1/32 off." },                                           \
		  .fill = cell_median },                                                       \
		{ .column = { .name = "p99",                                                   \
			      .title = "99 %",                                                 \
			      .unit = UNIT_NS,                                                 \
			      .level = true,                                                   \
			      .leaves = 40,                                                    \
			      .help = "The time that 99 % of them did not outlive; at most "   \
				      "1/32 off." },                                           \
		  .fill = cell_p99 },                                                          \
		{ .column = { .name = "longest",                                               \
			      .title = "Longest",                                              \
			      .unit = UNIT_NS,                                                 \
			      .level = true,                                                   \
			      .leaves = 60,                                                    \
			      .help = "The longest lifetime." },                               \
		  .fill = cell_longest },                                                      \
		{ .column = { .name = "untimed",                                               \
			      .title = "Untimed",                                              \
			      .unit = count_unit,                                              \
			      .leaves = 90,                                                    \
			      .help = "Those that ended at an unknown time, as no event said " \
				      "so." },                                                 \
		  .fill = cell_untimed },                                                      \
		{ .column = { .name = "live",                                                  \
			      .title = "Live",                                                 \
			      .unit = count_unit,                                              \
			      .live = true,                                                    \
			      .leaves = 80,                                                    \
			      .help = "Those that live at the end." },                         \
		  .fill = cell_live },                                                         \
	{                                                                                      \
		.column = { .name = "lifetimes",                                               \
			    .title = "Lifetimes",                                              \
			    .unit = UNIT_NS,                                                   \
			    .histogram = true,                                                 \
			    .leaves = 5,                                                       \
			    .help = "How many lived for 0 or 1 ns, and from 2, 4, 8, ... "     \
				    "ns on; in text a line of marks." },                       \
		.fill = cell_histogram                                                         \
	}

static const struct column_type slab_columns[] = {
	LIFETIME_COLUMNS("objects", UNIT_COUNT),
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type slab_type = {
	.name = "lifetime",
	.help = "lifetimes of slab objects by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = slab_columns,
};

static const struct column_type page_columns[] = {
	LIFETIME_COLUMNS("pages", UNIT_PAGES),
	SUBJECT_COLUMNS,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type page_type = {
	.name = "lifetime_page",
	.help = "lifetimes of pages by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = page_columns,
};

static struct group_sum row_sum(const struct view *v, size_t row)
{
	const struct page_tally *page;
	struct slab_counts slab;

	if (!v->owners.pages) {
		slab = slab_tally_counts(&v->a->slab->lives.tallies[row]);
		return (struct group_sum){ slab.hit, slab.live };
	}
	page = &v->a->page->lives.tallies[row];
	return (struct group_sum){ page->of[PAGE_BORN].pages,
				   page->of[PAGE_BORN].pages -
					   page->of[PAGE_FREED].pages -
					   page->of[PAGE_GONE].pages };
}

/* Adds the rows of the account up by what the reader is to see. */
static int collect(struct view *v)
{
	const struct owners *o = &v->owners;
	size_t i;

	v->sums = calloc(o->nr + 1, sizeof(*v->sums));
	if (!v->sums)
		return -ENOMEM;
	for (i = 0; i < o->nr_rows; i++) {
		const struct group_sum sum = row_sum(v, i);

		v->sums[o->of[i]].all += sum.all;
		v->sums[o->of[i]].live += sum.live;
	}
	return lifetime_groups_make(&v->groups,
				    o->pages ? &v->a->page_times : &v->a->slab_times,
				    o->of, o->nr);
}

static void add_notes(const struct view *v, uint64_t losses, struct table *t)
{
	const struct lifetime_analysis *a = v->a;
	struct strbuf within = { 0 };

	text_duration(&within, a->slab_times.short_time, " ");
	if (a->ns)
		table_add_note(t, "Short: freed within %s on the CPU that allocated.",
			       strbuf_text(&within));
	else
		table_add_note(
			t,
			"!The recording's clock does not count nanoseconds: times are in its units, and none is short.");
	if (losses)
		table_add_note(
			t,
			"!Events were lost: a lifetime may be that of two in turn, as the free between them was lost.");
	if (a->opts->live)
		table_add_note(
			t,
			"!These are all allocations: what is still live has no lifetime.");
	t->failed |= within.failed;
	strbuf_free(&within);
}

static void add_summary(const struct view *v, uint64_t losses, struct table *t)
{
	struct group_sum all = { 0 };
	struct lifetime_group sum = { 0 };
	enum column_unit unit = v->owners.pages ? UNIT_PAGES : UNIT_COUNT;
	size_t i;

	for (i = 0; i < v->owners.nr; i++) {
		all.all += v->sums[i].all;
		all.live += v->sums[i].live;
		sum.nr += v->groups.groups[i].nr;
		sum.row.nr_short += v->groups.groups[i].row.nr_short;
	}
	const struct summary_line lines[] = {
		{ "allocated", v->owners.pages ? "Pages allocated" : "Allocations", unit,
		  all.all, false, SUMMARY_USUAL },
		{ "freed", "  freed", unit, sum.nr, false, SUMMARY_USUAL },
		{ "untimed", "  ended at an unknown time", unit,
		  all.all - all.live - sum.nr, false, SUMMARY_DOUBT },
		{ "live", "  live at the end", unit, all.live, true, SUMMARY_USUAL },
	};

	table_set_summary_title(t, v->owners.pages
					   ? "SUMMARY (lifetimes of pages)"
					   : "SUMMARY (lifetimes of slab objects)");
	table_add_summary_lines(t, lines, ARRAY_SIZE(lines), losses != 0);
	if (v->a->ns)
		table_add_summary(t, "short", "Short lives", unit,
				  cell_uint(sum.row.nr_short), losses != 0);
}

static struct table *new_table(const struct view *v, enum subject_kind kind)
{
	const struct table_type *type = v->owners.pages ? &page_type : &slab_type;
	struct strbuf title = { 0 };
	char words[SUBJECT_WORDS];
	struct table *t;
	size_t i;

	strbuf_printf(&title, "Lifetimes of %s by %s",
		      v->owners.pages ? "pages" : "slab objects",
		      subjects_words(kind, words));
	t = table_type_new(type, strbuf_text(&title), kind, false);
	strbuf_free(&title);
	if (!t)
		return NULL;
	table_set_by(t, words);
	for (i = 0; i < t->nr_columns && !v->a->ns; i++) {
		if (t->columns[i].unit == UNIT_NS)
			t->columns[i].unit = UNIT_COUNT;
	}
	return t;
}

static void add_rows(const struct view *v, enum subject_kind kind, struct table *t)
{
	const struct table_type *type = v->owners.pages ? &page_type : &slab_type;
	uint32_t i;

	for (i = 0; i < v->owners.nr; i++) {
		const struct view_row row = { .subject = { &v->owners.subjects, i },
					      .v = v,
					      .group = &v->groups.groups[i],
					      .sum = &v->sums[i] };

		if (row.sum->all && !table_type_add_row(type, kind, t, &row))
			break;
	}
}

static int show_by(const struct lifetime_analysis *a, bool pages, enum subject_kind kind,
		   struct report *report)
{
	uint64_t losses =
		pages ? a->page->lives.fates.losses : a->slab->lives.fates.losses;
	struct view v = { .a = a };
	int ret = pages ? owners_init_pages(&v.owners, a->env, &a->page->lives, kind)
			: owners_init_slab(&v.owners, a->env, &a->slab->lives, kind);
	struct table *t = new_table(&v, kind);

	if (!ret)
		ret = t ? collect(&v) : -ENOMEM;
	if (!ret) {
		add_rows(&v, kind, t);
		add_notes(&v, losses, t);
		add_summary(&v, losses, t);
		report_add_table(report, t);
		t = NULL;
	}
	table_free(t);
	lifetime_groups_free(&v.groups);
	owners_free(&v.owners);
	free(v.sums);
	return ret;
}

/* The tables of objects or of pages, which are by callsite where they cannot be by what is asked
 * for.
 */
static int show(const struct lifetime_analysis *a, bool pages, struct report *report)
{
	const struct analysis_options *o = a->opts;
	bool by = o->by && !(pages && subject_rows(o->by) & ~PAGE_ROWS);
	bool by_cache = o->by_cache && !pages;
	int ret = 0;

	if (o->by_caller || !(by || by_cache))
		ret = show_by(a, pages, SUBJECT_CALLSITE, report);
	if (!ret && by)
		ret = show_by(a, pages, o->by, report);
	if (!ret && by_cache)
		ret = show_by(a, pages, SUBJECT_CACHE, report);
	return ret;
}

static int show_all(const struct lifetime_analysis *a, struct report *report)
{
	const struct alloc_filter *filter = a->env->filter;
	uint32_t seen = analysis_seen(a->env);
	int ret = a->slab->lives.failed || a->page->lives.failed ? -ENOMEM : 0;

	if (!ret && seen & NEEDS_SLAB && !(filter && !filter->nr_slab))
		ret = show(a, false, report);
	if (!ret && seen & NEEDS_PAGE && !(filter && !filter->nr_page))
		ret = show(a, true, report);
	return ret;
}

/* As if the stream ended here; it goes on with the accounts as they are. */
static int show_now(const struct lifetime_analysis *a, struct report *report)
{
	struct lifetime_analysis now = *a;
	struct accounts accounts;
	int ret = accounts_copy(&accounts, a->env->accounts);

	now.slab = accounts.slab;
	now.page = accounts.page;
	now.slab_times = now.page_times = (struct lifetimes){ 0 };
	if (!ret)
		ret = lifetimes_copy(&now.slab_times, &a->slab_times);
	if (!ret)
		ret = lifetimes_copy(&now.page_times, &a->page_times);
	if (!ret)
		ret = observe(&now);
	if (!ret) {
		accounts_finish(&accounts);
		ret = show_all(&now, report);
	}
	lifetimes_free(&now.slab_times);
	lifetimes_free(&now.page_times);
	accounts_free(&accounts);
	return ret;
}

static int lifetime_view(const void *self, struct report *report)
{
	const struct lifetime_analysis *a = self;

	return a->ended ? show_all(a, report) : show_now(a, report);
}

static void lifetime_end(void *self)
{
	struct lifetime_analysis *a = self;

	a->ended = true;
}

static const struct table_type *const tables[] = { &slab_type, &page_type, NULL };

const struct analysis analysis_lifetime = {
	.name = "lifetime",
	.help = "histogram of lifetimes, and how many are short",
	.use = ANALYSIS_ASKED,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS_ALL,
	.all_frees = true,
	.tables = tables,
	.create = lifetime_create,
	.apart = true,
	.end = lifetime_end,
	.view = lifetime_view,
	.destroy = lifetime_destroy,
};
