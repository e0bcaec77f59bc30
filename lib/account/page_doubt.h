/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: page blocks whose events may be in the wrong order.
 * In: the page account's doubts about a block. Out: the same, when the block's next event comes.
 *
 * The rule is that of slab objects (Documentation/clocks.md); a block is the same one if it
 * has the same first page frame and order. The account decides and this remembers, so only doubtful
 * blocks cost anything.
 */
#ifndef KMEMX_ACCOUNT_PAGE_DOUBT_H
#define KMEMX_ACCOUNT_PAGE_DOUBT_H

#include "account/live.h"
#include "account/page_frames.h"
#include "event/event.h"

/* Kinds of doubt; 0: none. Kept in live_entry.kind of a doubt and in .doubt of a block. A doubt's
 * .again: the surplus free was counted as one of freed pages, not of unknown ones.
 */
enum page_doubt_kind {
	PAGE_SURPLUS = 1, /* freed, by a free of no live block */
	PAGE_EARLY,	  /* live; a surplus free on another CPU came just before */
	PAGE_OVER,	  /* live; allocated over a live block of the same frames */
	PAGE_OVER_FREED,  /* freed, on another CPU, just after PAGE_OVER */
};

/**
 * struct page_doubts - zero-initialise it
 * @table: by first page frame. Its .row is a row of the account that added the doubt
 * @skew: clock_skew() of the recording
 * @until: until this time, the allocation that belongs to a free just seen may still come
 * @starts: the first frame of each doubt, so that a large range finds its doubts; in use once such
 *	a range came, which sets @mapped
 * @nr_over_freed: doubts of that kind, which any later event of the block may settle
 */
struct page_doubts {
	struct live_table table;
	uint64_t skew, until;
	struct page_frames starts;
	bool mapped;
	size_t nr_over_freed;
};

/* May an event of time @ts find a doubt about frames that are not live? */
static inline bool page_doubts_concern(const struct page_doubts *d, uint64_t ts)
{
	return d->nr_over_freed || ts <= d->until;
}

/* The doubt of @kind about the block, valid until the next addition or removal; or NULL. */
struct live_entry *page_doubt_find(const struct page_doubts *d, enum page_doubt_kind kind,
				   uint64_t pfn, uint32_t order);
/* A new doubt, in place of any other about frame @pfn, at the time and on the CPU of @ev.
 * NULL if memory ran out.
 */
struct live_entry *page_doubt_add(struct page_doubts *d, enum page_doubt_kind kind,
				  const struct kmem_event *ev, uint64_t pfn,
				  uint32_t order);
/* The doubt becomes one of @kind, at the time and on the CPU of @ev. */
void page_doubt_turn(struct page_doubts *d, struct live_entry *doubt,
		     enum page_doubt_kind kind, const struct kmem_event *ev);
/* Did @ev come on another CPU and within the skew after what the doubt is about? */
bool page_doubt_recent(const struct page_doubts *d, const struct live_entry *doubt,
		       const struct kmem_event *ev);
void page_doubt_drop(struct page_doubts *d, struct live_entry *doubt);
/* Drops the doubts about blocks that are not live and have frames in [@pfn, @pfn + @nr). */
void page_doubt_forget(struct page_doubts *d, uint64_t pfn, uint64_t nr);
void page_doubts_free(struct page_doubts *d);

#endif
