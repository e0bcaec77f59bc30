/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: which events of a batch the slab account takes, and which the page account.
 * In: events in time order. Out: lists of them.
 */
#ifndef KMEMX_ACCOUNT_EVENT_LISTS_H
#define KMEMX_ACCOUNT_EVENT_LISTS_H

#include "event/event.h"

/* Few enough that they stay in the nearest cache. */
#define EVENT_LISTS_MAX 128U

/* How many events ahead an account prefetches memory: the latency is a few events long. */
#define EVENT_LISTS_AHEAD 12U

/* Losses are in both lists. */
struct event_lists {
	const struct kmem_event *slab[EVENT_LISTS_MAX + 1], *page[EVENT_LISTS_MAX + 1];
	size_t nr_slab, nr_page;
};

/* Lists the first of @nr events. Returns how many it looked at. The types of events follow each
 * other at random, so no branch depends on them.
 */
static inline size_t event_lists_fill(struct event_lists *lists,
				      const struct kmem_event *ev, size_t nr)
{
	static const uint8_t is_slab[KMEM_NR_TYPES] = {
		[KMEM_LOSS] = 1,	[KMEM_KMALLOC] = 1,  [KMEM_KMALLOC_NODE] = 1,
		[KMEM_CACHE_ALLOC] = 1, [KMEM_KFREE] = 1,    [KMEM_CACHE_ALLOC_NODE] = 1,
		[KMEM_CACHE_FREE] = 1,	[KMEM_FREE_RCU] = 1, [KMEM_FREE_BULK] = 1,
		[KMEM_ALLOC_BULK] = 1,
	};
	static const uint8_t is_page[KMEM_NR_TYPES] = {
		[KMEM_LOSS] = 1,
		[KMEM_PAGE_ALLOC] = 1,
		[KMEM_PAGE_FREE] = 1,
		[KMEM_PAGE_FREE_BATCHED] = 1,
	};
	size_t nr_slab = 0, nr_page = 0;

	if (nr > EVENT_LISTS_MAX)
		nr = EVENT_LISTS_MAX;
	for (const struct kmem_event *end = ev + nr; ev < end; ev++) {
		lists->slab[nr_slab] = ev;
		nr_slab += is_slab[ev->type];
		lists->page[nr_page] = ev;
		nr_page += is_page[ev->type];
	}
	lists->nr_slab = nr_slab;
	lists->nr_page = nr_page;
	return nr;
}

#endif
