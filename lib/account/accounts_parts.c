// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: accounts of each part of the addresses, and their sum.
 * In: the events of each part (event/parts.h). Out: accounts as if all events came in one order.
 */
#include "account/accounts_parts.h"

#include <errno.h>
#include <stdlib.h>

/* The parts share the sums of tasks. */
struct accounts_parts {
	struct accounts of[EVENT_PARTS];
	struct spent slab_spent, page_spent;
};

bool accounts_can_part(const struct accounts *a)
{
	return !a->filtered &&
	       (!a->slab || !(a->slab->by_ptr || a->slab->lives.nr_observers)) &&
	       (!a->page || !(a->page->by_pfn || a->page->lives.nr_observers ||
			      a->page->lives.blocks.times));
}

/* The page allocator's largest blocks: order 10 with pages of 4 KiB, 13 with 64 KiB. */
unsigned int accounts_parts_page_shift(const struct accounts *a)
{
	return a->page_size > 4096 ? 13 : 10;
}

static void sum_tasks(struct accounts_parts *p, struct accounts *a)
{
	if (a->slab && slab_account_sums_tasks(a->slab))
		slab_lives_sum_tasks(&a->slab->lives, &p->slab_spent);
	if (a->page && page_account_sums_tasks(a->page))
		page_lives_sum_tasks(&a->page->lives, &p->page_spent);
}

int accounts_parts_new(struct accounts_parts **out, const struct accounts *like)
{
	struct accounts_parts *p = calloc(1, sizeof(*p));
	struct slab_account *slab;
	struct page_account *page;
	unsigned int i;
	int ret = 0;

	*out = p;
	if (p) {
		spent_init(&p->slab_spent, sizeof(struct slab_tally) / sizeof(uint64_t));
		spent_init(&p->page_spent, sizeof(struct page_tally) / sizeof(uint64_t));
	}
	for (i = 0; p && i < EVENT_PARTS; i++) {
		struct accounts *a = &p->of[i];

		a->rec = like->rec;
		a->page_size = like->page_size;
		a->sample = like->sample;
		a->tasks = like->tasks;
		if (like->slab)
			ret = accounts_slab(a, &like->slab->lives.dimensions, &slab);
		if (!ret && like->page)
			ret = accounts_page(a, &like->page->lives.dimensions, &page);
		if (ret)
			return ret;
		if (a->slab)
			a->slab->lives.in_part = true;
		if (a->page)
			a->page->lives.in_part = true;
		sum_tasks(p, a);
	}
	return p ? 0 : -ENOMEM;
}

void *accounts_parts_one(struct accounts_parts *parts, unsigned int part)
{
	return &parts->of[part];
}

void accounts_parts_take(void *ctx, const struct kmem_event *evs, size_t nr)
{
	struct accounts *a = ctx;

	if (a->slab)
		slab_account_events(a->slab, evs, nr);
	if (a->page)
		page_account_events(a->page, evs, nr);
}

void accounts_parts_end(void *ctx)
{
	accounts_finish(ctx);
}

bool accounts_parts_full(const struct accounts_parts *parts)
{
	uint64_t nr = 0;
	unsigned int i;

	for (i = 0; i < EVENT_PARTS; i++) {
		const struct page_account *page = parts->of[i].page;

		if (page)
			nr += page->lives.frames.nr_regions + page->lives.frames.nr_spans;
	}
	return nr >= PAGE_FRAMES_FREE;
}

int accounts_parts_sum(struct accounts *to, struct accounts_parts *parts)
{
	struct slab_account *slabs[EVENT_PARTS];
	struct page_account *pages[EVENT_PARTS];
	unsigned int i;
	int ret = 0;

	to->joined = true;
	if (to->slab && parts->of[0].slab->lives.spent)
		to->slab->lives.spent = &parts->slab_spent;
	if (to->page && parts->of[0].page->lives.spent)
		to->page->lives.spent = &parts->page_spent;
	for (i = 0; i < EVENT_PARTS; i++) {
		slabs[i] = parts->of[i].slab;
		pages[i] = parts->of[i].page;
	}
	if (to->slab)
		ret = slab_account_join(to->slab, slabs);
	if (!ret && to->page)
		ret = page_account_join(to->page, pages);
	return ret;
}

void accounts_parts_free(struct accounts_parts *parts)
{
	unsigned int i;

	for (i = 0; parts && i < EVENT_PARTS; i++)
		accounts_free(&parts->of[i]);
	if (parts) {
		spent_free(&parts->slab_spent);
		spent_free(&parts->page_spent);
	}
	free(parts);
}
