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

#include "account/page_lives.h"
#include "base/keyed.h"

/* One page frame with the row of its allocations, for reports by page. */
struct page_pfn {
	uint64_t pfn;
	uint32_t row;
	uint64_t hit;
	uint64_t live_pages, sure_pages, implicit_pages;
};

/* By frame: zero-initialise it. */
struct page_addresses {
	KEYED(struct page_pfn) pfns; /* by frame and row */
	bool failed;		     /* memory ran out */
};

struct page_counts {
	uint64_t hit;	 /* allocations that succeeded; pages = hit << order */
	uint64_t failed; /* allocations that did not */
	uint64_t live_pages;
	uint64_t live_hit; /* blocks with a live page */
	uint64_t implicit_pages;
	uint64_t sure_pages; /* of the live pages: allocated after the last gap */
};

/**
 * struct page_account - zero-initialise it, set the options; do not move it afterwards
 * @lives: to be set: its options. If .any.failed is set, the numbers are void
 * @by_address: also makes sums by frame
 * @rows, @nr_rows, @totals, @addresses.pfns.of[].sure_pages: as of the last page_account_sum()
 */
struct page_account {
	struct page_lives lives;
	bool by_address;
	struct page_addresses addresses;
	struct page_counts *rows;
	size_t nr_rows, rows_capacity;
	struct page_totals totals;
};

/* Also makes sums by frame. Before the first event. 0 or -ENOMEM. */
int page_account_by_address(struct page_account *acc) __must_check;
/* Adds up what was observed so far: fills in @rows, @totals and @addresses. May be called
 * repeatedly. What only the end can settle stays open.
 */
void page_account_sum(struct page_account *acc);
/* No more events: settles frees that were only announced, adds up, finds what must still be live.
 */
void page_account_finish(struct page_account *acc);
/* Frees the account, which cannot be used again. */
void page_account_free(struct page_account *acc);

#endif
