// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how long objects and pages live.
 * In: lives of slab objects and of pages. Out: tables "lifetime" and "lifetime_page": for each
 * callsite, or as --by says, a histogram of lifetimes, their median and 99 % quantile, and how many
 * were short.
 *
 * A lifetime is the time from the allocation event to the free event. An object that ended without
 * an event, or is live at the end, has none. Documentation/lifetimes.md has the rest.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/filter/alloc_filter.h"
#include "analysis/life/lifetime.h"
#include "report/text_cell.h"

/* Counts an ended object, and in a sample the others that its row stands for. */
static inline void add(struct lifetimes *to, struct lifetime *one, uint32_t times)
{
	one->nr *= times;
	one->bytes *= times;
	lifetimes_add(to, one);
}

static void slab_ended(void *ctx, const struct slab_life *life, size_t nr)
{
	const struct slab_life *end = life + nr;
	struct lifetime_analysis *a = ctx;
	struct lifetime one;

	for (; life < end; life++) {
		if (lifetime_of_slab(life, &one))
			add(&a->slab_times, &one,
			    slab_lives_weight(&a->slab->lives, life->row));
	}
}

static void page_ended(void *ctx, const struct page_life *life, size_t nr)
{
	const struct page_life *end = life + nr;
	struct lifetime_analysis *a = ctx;
	struct lifetime one;

	for (; life < end; life++) {
		if (lifetime_of_page(life, a->env->page_size, &one))
			add(&a->page_times, &one,
			    page_lives_weight(&a->page->lives, life->row));
	}
}

static int observe(struct lifetime_analysis *a)
{
	int ret = slab_lives_observe(&a->slab->lives, slab_ended, a);

	return ret ? ret : page_lives_observe(&a->page->lives, page_ended, a);
}

static void lifetime_destroy(void *self)
{
	struct lifetime_analysis *a = self;

	lifetimes_free(&a->slab_times);
	lifetimes_free(&a->page_times);
	free(a);
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

static int lifetime_create(const struct analysis_env *env,
			   const struct analysis_options *opts, void **self)
{
	struct lifetime_analysis *a = calloc(1, sizeof(*a));
	const struct lifetime_options *own = opts->own;
	struct dimensions slab, page;
	int ret;

	*self = a;
	if (!a)
		return -ENOMEM;
	slab = subjects_slab_dimensions(opts, env);
	page = subjects_page_dimensions(opts->by);
	a->env = env;
	a->opts = opts;
	a->ns = recording_clocks_are_ns(env->rec);
	a->slab_times.short_time = own && own->short_ns ? own->short_ns : SHORT_NS;
	a->page_times.short_time = a->slab_times.short_time;
	ret = accounts_slab(env->accounts, &slab, &a->slab);
	if (!ret)
		ret = accounts_page(env->accounts, &page, &a->page);
	if (!ret)
		ret = observe(a);
	if (ret)
		return ret;
	a->slab->lives.live.times = true;
	a->page->lives.blocks.times = true;
	return 0;
}

static struct lifetime_sum row_sum(const struct lifetime_view *v, size_t row)
{
	const struct page_tally *page;
	struct slab_counts slab;

	if (!v->owners.pages) {
		slab = slab_tally_counts(&v->a->slab->lives.tallies[row]);
		return (struct lifetime_sum){ .all = slab.hit, .live = slab.live };
	}
	page = &v->a->page->lives.tallies[row];
	return (struct lifetime_sum){ .all = page->of[PAGE_BORN].pages,
				      .live = page->of[PAGE_BORN].pages -
					      page->of[PAGE_FREED].pages -
					      page->of[PAGE_GONE].pages };
}

/* In a sample: how many ended in all memory. */
static int find_intervals(struct lifetime_view *v)
{
	const struct owners *o = &v->owners;
	uint64_t *ended = calloc(o->nr_rows + 1, sizeof(*ended));
	struct estimate *e = calloc(o->nr + 1, sizeof(*e));
	int ret = ended && e ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < o->nr_rows && !ret; i++) {
		const struct lifetime_sum sum = row_sum(v, i);

		ended[i] = sum.all - sum.live;
	}
	if (!ret)
		ret = owners_estimate(o, ended, o->of, e, o->nr);
	for (i = 0; i < o->nr && !ret; i++)
		v->sums[i].interval = e[i];
	free(ended);
	free(e);
	return ret;
}

/* Adds account rows up to table rows. */
static int collect(struct lifetime_view *v)
{
	const struct owners *o = &v->owners;
	size_t i;

	v->sums = calloc(o->nr + 1, sizeof(*v->sums));
	if (!v->sums)
		return -ENOMEM;
	for (i = 0; i < o->nr_rows; i++) {
		const struct lifetime_sum sum = row_sum(v, i);

		v->sums[o->of[i]].all += sum.all * owners_weight(o, i);
		v->sums[o->of[i]].live += sum.live * owners_weight(o, i);
	}
	if (owners_estimated(o) && find_intervals(v))
		return -ENOMEM;
	return lifetime_groups_make(&v->groups,
				    o->pages ? &v->a->page_times : &v->a->slab_times,
				    o->of, o->nr);
}

static void add_notes(const struct lifetime_view *v, uint64_t losses, struct table *t)
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
	if (owners_estimated(&v->owners))
		table_add_note(
			t,
			"Counts are estimates; Freed lies between From and To, and the other counts are as uncertain. Times are those of the sample.");
	if (a->opts->live)
		table_add_note(
			t,
			"!These are all allocations: what is still live has no lifetime.");
	t->failed |= within.failed;
	strbuf_free(&within);
}

static void add_summary(const struct lifetime_view *v, uint64_t losses, struct table *t)
{
	struct lifetime_sum all = { 0 };
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

static struct table *new_table(const struct lifetime_view *v, enum subject_kind kind)
{
	const struct table_type *type =
		v->owners.pages ? &lifetime_page_type : &lifetime_type;
	struct strbuf title = { 0 };
	char words[SUBJECT_WORDS];
	struct table *t;
	size_t i;

	strbuf_printf(&title, "Lifetimes of %s by %s",
		      v->owners.pages ? "pages" : "slab objects",
		      subjects_words(kind, words));
	t = table_type_new(type, strbuf_text(&title),
			   subject_estimated(kind, v->a->env->sample.one_in), false);
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

static void add_rows(const struct lifetime_view *v, enum subject_kind kind,
		     struct table *t)
{
	const struct table_type *type =
		v->owners.pages ? &lifetime_page_type : &lifetime_type;
	enum subject_kind columns = subject_estimated(kind, v->a->env->sample.one_in);
	uint32_t i;

	for (i = 0; i < v->owners.nr; i++) {
		const struct lifetime_group *group = &v->groups.groups[i];
		const struct lifetime_view_row row = { .subject = { &v->owners.subjects,
								    i },
						       .v = v,
						       .group = group,
						       .ended = group->nr ? group : NULL,
						       .timed = v->a->ns ? group : NULL,
						       .sum = &v->sums[i] };

		if (row.sum->all && !table_type_add_row(type, columns, t, &row))
			break;
	}
}

static int show_by(const struct lifetime_analysis *a, bool pages, enum subject_kind kind,
		   struct report *report)
{
	uint64_t losses =
		pages ? a->page->lives.fates.losses : a->slab->lives.fates.losses;
	struct lifetime_view v = { .a = a };
	int ret = pages ? owners_init_pages(&v.owners, a->env, &a->page->lives, kind)
			: owners_init_slab(&v.owners, a->env, &a->slab->lives, kind);
	struct table *t = new_table(&v, kind);

	v.owners.flows = true;
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

static int show(const struct lifetime_analysis *a, bool pages, struct report *report)
{
	enum subject_kind kinds[SUBJECTS_ASKED_MAX];
	size_t nr = subjects_asked(a->opts, pages, kinds), i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = show_by(a, pages, kinds[i], report);
	return ret;
}

static int lifetime_view(const void *self, struct report *report)
{
	const struct lifetime_analysis *a = self;
	const struct alloc_filter *filter = a->env->filter;
	uint32_t seen = analysis_seen(a->env);
	int ret = a->slab->lives.failed || a->page->lives.failed ? -ENOMEM : 0;

	if (!ret && seen & NEEDS_SLAB && !(filter && !filter->nr_slab))
		ret = show(a, false, report);
	if (!ret && seen & NEEDS_PAGE && !(filter && !filter->nr_page))
		ret = show(a, true, report);
	return ret;
}

static const struct table_type *const tables[] = { &lifetime_type, &lifetime_page_type,
						   NULL };

const struct analysis analysis_lifetime = {
	.name = "lifetime",
	.help = "histogram of lifetimes, and how many are short",
	.use = ANALYSIS_ASKED,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = tables,
	.options = options,
	.create = lifetime_create,
	.view = lifetime_view,
	.destroy = lifetime_destroy,
};
