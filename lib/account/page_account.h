/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the sums of page blocks, by who allocated and by frame.
 * In: page events and losses in time order. Out: who allocated what, and what became of it.
 *
 * page_lives.h says what begins and ends, and adds it up, so that
 *     in pages:    allocated = freed + implicit + live at the end,
 *     in requests: requests - failures = alloc_freed + implicit_blocks + live_blocks, and
 *                  frees = matched + split + merged + again + unmatched + other.
 */
#ifndef KMEMX_ACCOUNT_PAGE_ACCOUNT_H
#define KMEMX_ACCOUNT_PAGE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "account/page_addresses.h"
#include "account/page_lives.h"

struct page_counts {
	uint64_t hit;	 /* allocations that succeeded; pages = hit << order */
	uint64_t failed; /* allocations that did not */
	uint64_t live_pages;
	uint64_t live_hit; /* blocks with a live page */
	uint64_t implicit_pages;
	uint64_t sure_pages; /* of the live pages: allocated after the last gap */
};

struct page_totals {
	uint64_t requests, failures;
	uint64_t pages, failed_pages; /* allocated; of failed requests */
	uint64_t frees;		      /* mm_page_free */
	uint64_t batched;	      /* mm_page_free_batched */
	uint64_t matched, split, merged, again, unmatched;
	uint64_t other, other_pages; /* frees of unrecorded allocations; their pages */
	uint64_t reordered;   /* of the matched: their events were in the wrong order */
	uint64_t freed_pages; /* pages that were live */
	uint64_t again_pages; /* freed without a known allocation in between */
	uint64_t unmatched_pages; /* freed without a known allocation before */
	uint64_t implicit_pages;
	uint64_t
		batched_pages; /* part of freed_pages that only mm_page_free_batched reported */
	uint64_t live_pages;
	uint64_t alloc_freed; /* requests whose pages were all freed by events */
	uint64_t
		implicit_blocks; /* requests that ended, at least one page without an event */
	uint64_t live_blocks;	/* requests with a live page at the end */
	uint64_t implausible;	/* orders over PAGE_ORDER_LIMIT: counted nowhere else */
	uint64_t without_stack; /* successful requests whose caller is unknown */
	uint64_t losses;
};

/**
 * struct page_account - zero-initialise it, set the options; do not move it afterwards
 * @lives: to be set: dimension, scope, doubts.skew
 * @by_pfn: also make sums by frame
 * @rows, @nr_rows, @totals, @addresses.pfns[].sure_pages: as of the last page_account_sum()
 * @spent: sums by task, if page_account_sums_tasks()
 * @failed: memory ran out; the numbers are void
 */
struct page_account {
	struct page_lives lives;
	bool by_pfn;
	bool observing, failed;
	struct page_addresses addresses;
	struct page_counts *rows;
	size_t nr_rows, rows_capacity;
	struct page_totals totals;
	struct spent spent;
};

/* Takes @nr events. Ignores those that are not the page allocator's. Prefetches their blocks. */
void page_account_events(struct page_account *acc, const struct kmem_event *ev,
			 size_t nr);
/* The same for the events that event_lists.h lists. */
void page_account_listed(struct page_account *acc, const struct event_lists *lists);
/* Adds up what was observed so far: fills in @rows, @totals and @addresses. May be called
 * repeatedly. What only the end can settle stays open.
 */
void page_account_sum(struct page_account *acc);
/* No more events: settles frees that were only announced, adds up, finds what must still be live.
 */
void page_account_finish(struct page_account *acc);
const struct page_key *page_account_key(const struct page_account *acc, size_t row);
/* How many allocations each of the row stands for: more than one only in a sample. */
uint32_t page_account_weight(const struct page_account *acc, size_t row);
/* May rows of tasks without live blocks become sums? Call it after all users have asked for what
 * they need.
 */
bool page_account_sums_tasks(const struct page_account *acc);
/* Frees the account, which cannot be used again. */
void page_account_free(struct page_account *acc);

#endif
