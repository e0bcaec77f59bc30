/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): the live blocks of page_account.h, and how they end.
 * In: frames that an event frees or takes. Out: the blocks without them, and their requests'
 * rows and totals.
 */
#ifndef KMEMX_ACCOUNT_PAGE_BLOCK_H
#define KMEMX_ACCOUNT_PAGE_BLOCK_H

#include "account/page_account.h"

/* live_entry.bytes_req of a block: the index of its request's split, or 0. */
#define block_split bytes_req
/* ... and what there is to doubt about it: PAGE_EARLY, PAGE_OVER, or 0. */
#define block_doubt bytes_alloc

/* A request whose block was split; index 0 is unused. */
struct page_split {
	uint64_t pfn;  /* the block's first page frame */
	uint64_t live; /* pages left */
	uint32_t next; /* of the unused ones */
	bool implicit; /* a page of it ended without an event */
};

enum page_end { PAGE_FREED, PAGE_GONE, PAGE_ANNOUNCED };

/* The block that holds live frame @pfn, or NULL. */
struct live_entry *page_block_find(struct page_account *acc, uint64_t pfn);
/* The frame's entry of those by frame; NULL if memory ran out. */
struct page_pfn *page_pfn(struct page_account *acc, uint64_t pfn, uint32_t row);
/* @freed pages of block @e were freed by events and @gone without one. Returns the index
 * of the split to which what is left of the block belongs.
 */
uint32_t page_block_end(struct page_account *acc, const struct live_entry *e,
			uint64_t freed, uint64_t gone);
/* Takes the live frames of [@pfn, @pfn + @nr) out of their blocks. */
void page_release(struct page_account *acc, uint64_t pfn, uint64_t nr, enum page_end why);

static inline void page_tell(const struct page_account *acc, uint32_t row, int64_t change)
{
	if (unlikely(acc->watch))
		acc->watch->fn(acc->watch->ctx, row, change);
}

/* The last page of a request is gone. */
static inline void page_request_end(struct page_account *acc, uint32_t row, bool implicit)
{
	acc->rows[row].live_hit--;
	acc->totals.live_blocks--;
	if (implicit)
		acc->totals.implicit_blocks++;
	else
		acc->totals.alloc_freed++;
}

/* The common case: block @e of @nr pages, of which none went before, is freed as a whole. */
static inline void page_block_freed(struct page_account *acc, const struct live_entry *e,
				    uint64_t nr)
{
	struct page_pfn *pfn = acc->by_pfn ? page_pfn(acc, e->key, e->row) : NULL;

	if (pfn)
		pfn->live_pages -= nr;
	acc->rows[e->row].live_pages -= nr;
	page_tell(acc, e->row, -(int64_t)nr);
	acc->totals.live_pages -= nr;
	acc->totals.freed_pages += nr;
	page_request_end(acc, e->row, false);
}

#endif
