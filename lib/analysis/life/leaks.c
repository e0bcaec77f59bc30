// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what was allocated and is still live: leaks, and objects that only look like leaks.
 * In: lives of slab objects and of pages. Out: tables "leaks" and "leaks_page", built by
 * leaks_view.c. Documentation/leaks.md says how each number is computed.
 */
#include "analysis/life/leaks.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/filter/alloc_filter.h"
#include "base/array.h"

/* A series covers all units of a sample, and all tasks unless rows are by task. */
static void in_series(const struct leaks *l, const struct dimensions *all,
		      struct dimension_values *dims)
{
	int pid = dimensions_find(all, DIMENSION_PID);
	int unit = dimensions_find(all, DIMENSION_UNIT);

	if (pid >= 0 && !l->by_task)
		dims->of[pid] = 0;
	if (unit >= 0)
		dims->of[unit] = 0;
}

/* The number of row @row's series; 0: no memory. */
static uint32_t slab_series_id(struct leaks *l, uint32_t row)
{
	const struct slab_lives *lives = &l->slab->lives;
	struct slab_key key = *slab_lives_key(lives, row);

	in_series(l, &lives->dimensions, &key.dims);
	return intern_id(&l->slabs.keys, &key, sizeof(key));
}

static uint32_t page_series_id(struct leaks *l, uint32_t row)
{
	const struct page_lives *lives = &l->page->lives;
	const struct page_key *of = page_lives_key(lives, row);
	struct page_key key = { .stack = of->stack, .dims = of->dims };

	in_series(l, &lives->dimensions, &key.dims);
	return intern_id(&l->pages.keys, &key, sizeof(key));
}

/* Finds the series of the rows up to @row. Sets the growth's failed flag if memory runs out. */
static struct leaks_account_row new_series(struct leaks *l, struct leaks_side *side,
					   uint32_t row)
{
	uint32_t id;

	if (array_reserve(&side->rows, &side->capacity, row + 1UL, sizeof(*side->rows))) {
		side->growth.failed = true;
		return (struct leaks_account_row){ 0 };
	}
	for (; side->nr <= row; side->nr++) {
		uint32_t new_row = (uint32_t)side->nr;

		id = side == &l->slabs ? slab_series_id(l, new_row)
				       : page_series_id(l, new_row);
		side->growth.failed |= !id;
		side->rows[new_row] = (struct leaks_account_row){
			id ? id - 1 : 0,
			side == &l->slabs ? slab_lives_weight(&l->slab->lives, new_row)
					  : page_lives_weight(&l->page->lives, new_row)
		};
	}
	return side->rows[row];
}

static inline struct leaks_account_row series_of(struct leaks *l, struct leaks_side *side,
						 uint32_t row)
{
	return likely(row < side->nr) ? side->rows[row] : new_series(l, side, row);
}

/* Counts an ended object, and the others that its row stands for. */
static inline void add_lifetime(struct leaks_side *side, struct lifetime *one,
				struct leaks_account_row row)
{
	one->row = row.series;
	one->nr *= row.times;
	one->bytes *= row.times;
	lifetimes_add(&side->times, one);
}

/* Births are only needed for live objects. */
static void drop_slab_births(struct leaks *l)
{
	const struct slab_lives *lives = &l->slab->lives;
	const struct live_entry *entry = NULL;

	while ((entry = slab_lives_next(lives, entry)))
		births_keep(&l->slabs.births, entry->cpu,
			    live_begin(&lives->live, entry));
	births_drop(&l->slabs.births);
}

static void drop_page_births(struct leaks *l)
{
	const struct page_lives *lives = &l->page->lives;
	const struct live_entry *entry = NULL;

	while ((entry = page_lives_next(lives, entry)))
		births_keep(&l->pages.births, entry->cpu,
			    live_begin(&lives->blocks, entry));
	births_drop(&l->pages.births);
}

/* Adds @bytes that began to live, or ended, at @event; NULL: they ended without an event. */
static inline void add_change(struct leaks_side *side, uint32_t series, uint64_t bytes,
			      bool born, const struct kmem_event *event)
{
	if (unlikely(!event)) {
		growth_settle(&side->growth, series, bytes);
		return;
	}
	if (born)
		births_add(&side->births, (uint16_t)event->cpu, event->ts, event->pid);
	growth_change(&side->growth, series, event->ts, born ? bytes : 0,
		      born ? 0 : bytes);
}

static void slab_lived(void *ctx, const struct slab_life *life, size_t nr)
{
	const struct slab_life *end = life + nr;
	struct leaks *l = ctx;
	struct leaks_side *side = &l->slabs;
	struct lifetime one;

	for (; life < end; life++) {
		struct leaks_account_row row = series_of(l, side, life->row);
		uint64_t bytes = (uint64_t)life->bytes_alloc * row.times;

		if (lifetime_of_slab(life, &one))
			add_lifetime(side, &one, row);
		if (life->what == SLAB_FOUND)
			continue; /* it was gone before */
		add_change(side, row.series, bytes, life->what == SLAB_BORN, life->event);
	}
	if (unlikely(births_full(&side->births)))
		drop_slab_births(l);
}

static void pages_lived(void *ctx, const struct page_life *life, size_t nr)
{
	const struct page_life *end = life + nr;
	struct leaks *l = ctx;
	struct leaks_side *side = &l->pages;
	struct lifetime one;

	for (; life < end; life++) {
		struct leaks_account_row row = series_of(l, side, life->row);
		uint64_t bytes = life->pages * l->env->page_size * row.times;

		if (lifetime_of_page(life, l->env->page_size, &one))
			add_lifetime(side, &one, row);
		if (life->what == PAGE_FOUND || life->what == PAGE_REFUSED)
			continue;
		add_change(side, row.series, bytes, life->what == PAGE_BORN, life->event);
	}
	if (unlikely(births_full(&side->births)))
		drop_page_births(l);
}

/* Adds the task as a dimension, if there is room. */
static void add_pid(struct dimensions *all)
{
	int i;

	for (i = 0; i < DIMENSIONS_ASKED; i++) {
		if (all->of[i] && all->of[i] != DIMENSION_PID)
			continue;
		all->of[i] = DIMENSION_PID;
		return;
	}
}

static int observe(struct leaks *l)
{
	int ret = slab_lives_observe(&l->slab->lives, slab_lived, l);

	return ret ? ret : page_lives_observe(&l->page->lives, pages_lived, l);
}

static void free_side(struct leaks_side *side)
{
	lifetimes_free(&side->times);
	growth_free(&side->growth);
	births_free(&side->births);
	intern_free(&side->keys);
	free(side->rows);
}

static void leaks_destroy(void *self)
{
	struct leaks *l = self;

	free_side(&l->slabs);
	free_side(&l->pages);
	free(l);
}

static int leaks_create(const struct analysis_env *env,
			const struct analysis_options *opts, void **self)
{
	struct leaks *l = calloc(1, sizeof(*l));
	struct dimensions slab, page;
	int ret;

	*self = l;
	if (!l)
		return -ENOMEM;
	l->env = env;
	l->opts = opts;
	if (opts->own)
		l->own = *(const struct leaks_options *)opts->own;
	l->ns = recording_clocks_are_ns(env->rec);
	slab = subjects_slab_dimensions(opts, env);
	page = subjects_page_dimensions(opts->by);
	/* Each leak names its task. */
	dimensions_by_task(&slab);
	dimensions_by_task(&page);
	l->by_task = dimensions_find(&slab, DIMENSION_PID) >= 0;
	if (!l->ns) { /* several tasks may share a timestamp */
		add_pid(&slab);
		add_pid(&page);
	}
	ret = accounts_slab(env->accounts, &slab, &l->slab);
	if (!ret)
		ret = accounts_page(env->accounts, &page, &l->page);
	if (!ret)
		ret = observe(l);
	if (ret)
		return ret;
	l->slab->lives.live.times = true;
	l->page->lives.blocks.times = true;
	return 0;
}

static int show(const struct leaks *l, bool pages, struct report *report)
{
	enum subject_kind kinds[SUBJECTS_ASKED_MAX];
	size_t nr = subjects_asked(l->opts, pages, kinds), i;
	int ret = (pages ? l->page->failed : l->slab->failed) ? -ENOMEM : 0;

	for (i = 0; i < nr && !ret; i++)
		ret = pages ? leaks_show_pages(l, kinds[i], report)
			    : leaks_show_slab(l, kinds[i], report);
	return ret;
}

static int leaks_view(const void *self, struct report *report)
{
	const struct leaks *l = self;
	const struct alloc_filter *filter = l->env->filter;
	uint32_t wanted = l->opts->needs ? l->opts->needs : ~0U;
	uint32_t seen = analysis_seen(l->env) & wanted;
	int ret = 0;

	if (seen & NEEDS_SLAB && !(filter && !filter->nr_slab))
		ret = show(l, false, report);
	if (!ret && seen & NEEDS_PAGE && !(filter && !filter->nr_page))
		ret = show(l, true, report);
	return ret;
}

static const struct analysis_option options[] = {
	{ "older", "TIME", "younger objects may be in flight: 5s, 100ms", ANALYSIS_TIME,
	  offsetof(struct leaks_options, older_ns), false },
	{ .name = NULL },
};

static const struct table_type *const tables[] = { &leaks_type, &leaks_page_type, NULL };

const struct analysis analysis_leaks = {
	.name = "leaks",
	.help = "what was allocated and still lives",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = tables,
	.options = options,
	.create = leaks_create,
	.view = leaks_view,
	.destroy = leaks_destroy,
};
