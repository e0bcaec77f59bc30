/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the sums of page blocks by frame.
 * In: lives. Out: what each row allocated at each frame, and what became of it.
 */
#ifndef KMEMX_ACCOUNT_PAGE_ADDRESSES_H
#define KMEMX_ACCOUNT_PAGE_ADDRESSES_H

#include <stdbool.h>

#include "account/page_lives.h"

/* One page frame with the row of its allocations, for reports by page. */
struct page_pfn {
	uint64_t pfn;
	uint32_t row;
	uint64_t hit;
	uint64_t live_pages, sure_pages, implicit_pages;
};

/* By frame: zero-initialise it. */
struct page_addresses {
	struct intern keys; /* of frame and row */
	struct page_pfn *pfns;
	size_t nr, capacity;
	bool failed; /* memory ran out */
};

/* An observer: @ctx is struct page_addresses. */
lives_fn page_addresses_lives;
/* Sets .sure_pages: pages that must still be live. */
void page_addresses_sum(struct page_addresses *a, const struct page_lives *lives);
void page_addresses_free(struct page_addresses *a);

#endif
