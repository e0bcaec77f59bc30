// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the moment of the highest live bytes, and who held them then.
 * In: lives of slab objects and of pages. Out: tables "peak" and "peak_page", built by peak_view.c.
 * Documentation/peak.md says how.
 *
 * The accounts report lives of slab objects and of pages separately, a batch at a time. Their sum
 * needs the order of all events, so a batch is kept until both are there.
 */
#include "analysis/time/peak.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/filter/alloc_filter.h"
#include "base/array.h"

static void keep(struct peak *p, const struct peak_change *change)
{
	if (array_reserve(&p->changes, &p->capacity, p->nr_changes + 1,
			  sizeof(*p->changes)))
		p->failed = true;
	else
		p->changes[p->nr_changes++] = *change;
}

static void slab_lived(void *ctx, const struct slab_life *life, size_t nr)
{
	const struct slab_life *end = life + nr;

	for (; life < end; life++) {
		const struct peak_change change = { .event = (uintptr_t)life->event,
						    .ts = life->event ? life->event->ts
								      : 0,
						    .at = life->ptr,
						    .begin = life->begin,
						    .nr = 1,
						    .bytes = life->bytes_alloc,
						    .row = life->row,
						    .more = life->what == SLAB_BORN };

		if (life->what != SLAB_FOUND) /* it was gone before */
			keep(ctx, &change);
	}
}

static void pages_lived(void *ctx, const struct page_life *life, size_t nr)
{
	const struct page_life *end = life + nr;
	struct peak *p = ctx;

	for (; life < end; life++) {
		const struct peak_change change = {
			.event = (uintptr_t)life->event,
			.ts = life->event ? life->event->ts : 0,
			.at = life->pfn,
			.begin = life->begin,
			.nr = life->pages,
			.bytes = life->pages * p->env->page_size,
			.row = life->row,
			.pages = true,
			.more = life->what == PAGE_BORN
		};

		if (life->what != PAGE_FOUND && life->what != PAGE_REFUSED)
			keep(p, &change);
	}
}

/* How many objects each one of a row stands for. */
static uint32_t weight_of(const struct peak *p, const struct peak_side *side, size_t row)
{
	return side == &p->pages ? page_lives_weight(&p->page->lives, row)
				 : slab_lives_weight(&p->slab->lives, row);
}

/* The row of a change, with its value at the moment already saved. NULL: no memory. */
static struct peak_row *row_of(struct peak *p, struct peak_side *side, uint32_t number)
{
	struct peak_row *row;

	if (unlikely(number >= side->nr)) {
		if (array_reserve(&side->rows, &side->capacity, number + 1UL,
				  sizeof(*side->rows))) {
			p->failed = true;
			return NULL;
		}
		for (; side->nr <= number; side->nr++)
			side->rows[side->nr] =
				(struct peak_row){ .times =
							   weight_of(p, side, side->nr) };
	}
	row = &side->rows[number];
	if (row->turn != p->turn) {
		row->nr_then = row->nr;
		row->bytes_then = row->bytes;
		row->turn = p->turn;
	}
	return row;
}

static void apply(struct peak *p, const struct peak_change *c)
{
	struct peak_side *side = c->pages ? &p->pages : &p->slabs;
	struct peak_row *row = row_of(p, side, c->row);
	uint64_t sum, bytes;

	if (!row)
		return;
	bytes = c->bytes * row->times;
	if (p->changed)
		p->changed(p, c);
	if (c->event)
		timeline_change(&side->timeline, c->row, c->ts, c->more ? bytes : 0,
				c->more ? 0 : bytes);
	else
		timeline_settle(&side->timeline, c->row, bytes);
	if (!c->more) {
		row->nr -= c->nr;
		row->bytes -= c->bytes;
		side->live -= bytes;
		return;
	}
	row->nr += c->nr;
	row->bytes += c->bytes;
	side->live += bytes;
	if (side->live > side->most) {
		side->most = side->live;
		side->when = c->ts;
	}
	sum = (p->of_slab ? p->slabs.live : 0) + (p->of_pages ? p->pages.live : 0);
	if (sum <= p->most)
		return;
	p->most = sum;
	p->when = c->ts;
	if (!p->at_end)
		p->turn++;
}

/* Applies the changes of a batch in the order of its events, merging those of slab objects and of
 * pages. Changes without an event come last.
 */
static void flush(struct peak *p)
{
	const struct peak_change *end, *slab, *page, *first;

	if (!p->nr_changes)
		return;
	end = p->changes + p->nr_changes;
	for (slab = p->changes; slab < end && slab->pages;)
		slab++;
	for (page = p->changes; page < end && !page->pages;)
		page++;
	while (slab < end || page < end) {
		first = slab == end			    ? page
			: page == end			    ? slab
			: page->event - 1 < slab->event - 1 ? page
							    : slab;
		apply(p, first);
		if (first->pages)
			for (page++; page < end && !page->pages;)
				page++;
		else
			for (slab++; slab < end && slab->pages;)
				slab++;
	}
	p->nr_changes = 0;
}

/* The batch before this one is complete. */
void peak_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	flush(self);
}

static int observe(struct peak *p)
{
	int ret = slab_lives_observe(&p->slab->lives, slab_lived, p);

	return ret ? ret : page_lives_observe(&p->page->lives, pages_lived, p);
}

void peak_destroy(void *self)
{
	struct peak *p = self;

	timeline_free(&p->slabs.timeline);
	timeline_free(&p->pages.timeline);
	free(p->slabs.rows);
	free(p->pages.rows);
	free(p->changes);
	free(p);
}

static int show(const struct peak *p, bool pages, struct report *report)
{
	enum subject_kind kinds[SUBJECTS_ASKED_MAX];
	size_t nr = subjects_asked(p->opts, pages, kinds), i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = peak_show(p, pages, kinds[i], report);
	return ret;
}

int peak_create(const struct analysis_env *env, const struct analysis_options *opts,
		void **self)
{
	struct peak *p = calloc(1, sizeof(*p));
	struct dimensions slab, page;
	int ret;

	*self = p;
	if (!p)
		return -ENOMEM;
	p->env = env;
	p->opts = opts;
	p->show = show;
	p->of_slab = !opts->needs || opts->needs & NEEDS_SLAB;
	p->of_pages = !opts->needs || opts->needs & NEEDS_PAGE;
	timeline_init(&p->slabs.timeline, env->first_ts, env->last_ts, opts->bins);
	timeline_init(&p->pages.timeline, env->first_ts, env->last_ts, opts->bins);
	slab = subjects_slab_dimensions(opts, env);
	page = subjects_page_dimensions(opts->by);
	ret = accounts_slab(env->accounts, &slab, &p->slab);
	if (!ret)
		ret = accounts_page(env->accounts, &page, &p->page);
	return ret ? ret : observe(p);
}

static int create(const struct analysis_env *env, const struct analysis_options *opts,
		  void **self)
{
	const struct peak_options *own = opts->own;
	int ret = peak_create(env, opts, self);
	struct peak *p = *self;

	if (!ret)
		p->at_end = own && own->at_end;
	return ret;
}

void peak_end(void *self)
{
	struct peak *p = self;

	flush(p);
	if (p->at_end)
		p->turn++;
}

int peak_view(const void *self, struct report *report)
{
	const struct peak *p = self;
	const struct alloc_filter *filter = p->env->filter;
	uint32_t seen = analysis_seen(p->env);
	bool failed = p->failed || p->slabs.timeline.failed || p->pages.timeline.failed;
	int ret = failed || p->slab->lives.failed || p->page->lives.failed ? -ENOMEM : 0;

	if (!ret && p->of_slab && seen & NEEDS_SLAB && !(filter && !filter->nr_slab))
		ret = p->show(p, false, report);
	if (!ret && p->of_pages && seen & NEEDS_PAGE && !(filter && !filter->nr_page))
		ret = p->show(p, true, report);
	return ret;
}

static const struct table_type *const tables[] = { &peak_type, &peak_page_type, NULL };

const struct analysis analysis_peak = {
	.name = "peak",
	.help = "who held memory when most of it was live",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = tables,
	.create = create,
	.observe = peak_observe,
	.joins = NEEDS_SLAB | NEEDS_PAGE,
	.end = peak_end,
	.view = peak_view,
	.destroy = peak_destroy,
};
