/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the live blocks of page_lives.h, and how they end.
 * In: frames that an event frees or takes. Out: the blocks without them, and the lives that
 * ended.
 */
#ifndef KMEMX_ACCOUNT_PAGE_BLOCK_H
#define KMEMX_ACCOUNT_PAGE_BLOCK_H

#include "account/page_lives.h"

/* A request whose block was split; index 0 is unused. */
struct page_split {
	uint64_t pfn;  /* the block's first page frame */
	uint64_t live; /* live pages left */
	uint32_t next; /* next unused entry */
	bool implicit; /* a page of it ended without an event */
};

enum page_end { PAGE_END_FREED, PAGE_END_UNSEEN, PAGE_END_ANNOUNCED };

/* The next life of the batch, of @pages. There is room for one per event; a caller that needs more
 * flushes before the batch is half full.
 */
static __always_inline struct life *page_life(struct page_lives *l,
					      const struct kmem_event *ev,
					      enum life_what what, uint64_t pages)
{
	struct life *life = l->any.next++;

	life->event = ev;
	life->begin = 0;
	life->nr = pages;
	life->bytes_req = life->bytes = pages * l->any.page_size;
	life->cpu = 0;
	life->what = (uint8_t)what;
	life->flags = 0;
	return life; /* the caller fills in the rest */
}

/* The block that holds live frame @pfn, or NULL. */
struct live_entry *page_block_find(struct page_lives *l, uint64_t pfn);
/* Do all live frames of [@pfn, @pfn + @nr) belong to hidden blocks? */
bool page_block_hidden(struct page_lives *l, uint64_t pfn, uint64_t nr);
/* By the clocks, block @e of the table was freed before its allocation. @ev is the event that shows
 * it, or NULL.
 */
void page_block_reordered(struct page_lives *l, struct live_entry *e,
			  const struct kmem_event *ev);
/* Takes the live frames of [@pfn, @pfn + @nr) out of their blocks. @ev is the event that frees or
 * takes them, or NULL.
 */
void page_release(struct page_lives *l, const struct kmem_event *ev, uint64_t pfn,
		  uint64_t nr, enum page_end why);

#endif
