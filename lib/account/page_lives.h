/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the lives of page blocks.
 * In: page events and losses in time order. Out: lives that began and ended, in batches, and sums
 * by who allocated.
 *
 * Each page frame is, by its last event, live, freed or unknown; a block is a run of
 * 2^order live pages that one event allocated (or what a split left of it).
 *   alloc over live pages    they were freed unseen: implicit frees
 *   free of a whole block    matched
 *   free of part of a block  a split free; the rest of the block lives on
 *   free of several blocks   a merged free
 *   free of freed pages      again: freed twice, or allocated in bulk, which has no event
 *   free of unknown pages    unmatched: allocated before the recording (or in bulk)
 *   the same, where allocations were not recorded (@scope): of another block, counted apart
 * With a user's filter (@filtered), a block whose allocation is hidden lives like any other, but
 * its lives are not handed over, and a free of such blocks only is not counted. Clocks of CPUs
 * differ: within @doubts.skew, a free and an allocation of one block on two CPUs may be in the
 * wrong order; the rule in slab_lives.h applies to whole blocks.
 *
 *     in pages:    allocated = freed + implicit + live at the end,
 *     in requests: requests - failures = alloc_freed + implicit_blocks + live_blocks, and
 *                  frees = matched + split + merged + again + unmatched + other.
 *
 * mm_page_free_batched only announces a free; mm_page_free follows or precedes it. If that was not
 * recorded, the announcement counts as the free, at the page's next allocation or at the end.
 */
#ifndef KMEMX_ACCOUNT_PAGE_LIVES_H
#define KMEMX_ACCOUNT_PAGE_LIVES_H

#include "account/live.h"
#include "account/lives.h"
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
 * @until: until this time, the allocation of the last surplus free may still come
 * @starts: the first frame of each doubt, to find the doubts in a large range; used once such a
 *	range came (@mapped)
 * @nr_over_freed: number of PAGE_OVER_FREED doubts, which any later event of the block may settle
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
/* Adds a doubt, in place of any other about frame @pfn, with the time and CPU of @ev. NULL if
 * memory ran out.
 */
struct live_entry *page_doubt_add(struct page_doubts *d, enum page_doubt_kind kind,
				  const struct kmem_event *ev, uint64_t pfn,
				  uint32_t order);
/* Changes the doubt to @kind, with the time and CPU of @ev. */
void page_doubt_turn(struct page_doubts *d, struct live_entry *doubt,
		     enum page_doubt_kind kind, const struct kmem_event *ev);
/* Is @ev from another CPU, and within the skew after the event of @doubt? */
bool page_doubt_recent(const struct page_doubts *d, const struct live_entry *doubt,
		       const struct kmem_event *ev);
void page_doubt_drop(struct page_doubts *d, struct live_entry *doubt);
/* Drops the doubts about blocks that are not live and have frames in [@pfn, @pfn + @nr). */
void page_doubt_forget(struct page_doubts *d, uint64_t pfn, uint64_t nr);
void page_doubts_free(struct page_doubts *d);

/* What began and ended in one row, by enum life_what. */
struct page_tally {
	struct {
		uint64_t nr, pages;
	} of[LIFE_NR];
	uint64_t last, implicit; /* lives with these flags */
};

/* Adds one life of @pages. */
static inline void page_tally_add(struct page_tally *tally, enum life_what what,
				  uint64_t pages)
{
	tally->of[what].nr++;
	tally->of[what].pages += pages;
}

/* Who allocated: two rows differ in at least one of these. */
struct page_key {
	uint64_t gfp_flags;
	uint32_t stack; /* in the stream's table; 0: none was recorded */
	uint32_t order;
	int32_t migratetype;
	struct dimension_values dims; /* in the lives' dimensions */
	uint32_t all_tasks;	      /* as in struct row_tail */
};

/* A short cut from a key to its number; @low: stack and order. */
struct page_recent {
	uint64_t gfp_flags, low;
	uint32_t migratetype;
	uint32_t id; /* 0: unused */
	struct dimension_values dims;
};

#define PAGE_NR_RECENT 1024U

/* Frees of pages whose allocation was not seen, by callchain. */
struct page_free_only {
	uint32_t stack; /* of the free; 0: none was recorded */
	uint64_t hit, pages;
};

/* What became of the events. page_lives_sum() fills in the sums over the rows and the losses. */
struct page_totals {
	uint64_t requests, failures;
	uint64_t pages, failed_pages; /* allocated; of failed requests */
	uint64_t frees;		      /* mm_page_free */
	uint64_t batched;	      /* mm_page_free_batched */
	uint64_t matched, split, merged, again, unmatched;
	uint64_t other, other_pages; /* frees of unrecorded allocations; their pages */
	uint64_t reordered;	     /* matched, with events in the wrong order */
	uint64_t freed_pages;	     /* pages that were live */
	uint64_t again_pages;	     /* freed without a known allocation in between */
	uint64_t unmatched_pages;    /* freed without a known allocation before */
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
 * struct page_lives - zero-initialise it, set the options
 * @any: the common part; must be first. Its .live is by first pfn
 * @doubts: set its .skew
 * @splits: requests whose block is in pieces
 * @free_split: head of the list of unused splits; 0: none
 * @nr_events: bounds @frames: page_frames_room()
 * @counted: the totals that are counted with each event
 * @totals: all totals, as of the last page_lives_sum()
 */
struct page_lives {
	struct lives any;
	struct page_recent recent[PAGE_NR_RECENT];
	struct page_split *splits;
	size_t nr_splits, splits_capacity;
	uint32_t free_split;
	struct page_frames frames;
	uint64_t nr_events;
	struct page_doubts doubts;
	struct page_totals counted, totals;
	INDEXED(struct page_free_only) free_only; /* by callchain */
};

extern const struct life_kind page_kind;

/* Takes listed events. */
void page_lives_listed(struct page_lives *lives, const struct event_lists *lists);
/* Takes @nr events, prefetches their blocks, and hands over the lives that begin and end. Ignores
 * events that are not the page allocator's.
 */
static inline void page_lives_events(struct page_lives *l, const struct kmem_event *ev,
				     size_t nr)
{
	struct event_lists lists;

	for (size_t done = 0; done < nr;) {
		done += event_lists_fill(&lists, ev + done, nr - done);
		page_lives_listed(l, &lists);
	}
}

/* Adds up what was observed so far: .any.rows, @totals and the addresses. May be called repeatedly.
 * Doubts that only the end can settle stay open.
 */
void page_lives_sum(struct page_lives *lives);
/* Adds the totals of row @row that a sample can estimate, @times times; failures, which a sample
 * has all of, once. Call it after lives_sum().
 */
void page_totals_add(struct page_totals *sum, const struct lives *l, size_t row,
		     uint64_t times);
/* No more events: settles announced frees and events in the wrong order, and adds up. */
void page_lives_finish(struct page_lives *lives);
/* The key of row @row, which may be of hidden blocks; valid until the next events. */
static inline const struct page_key *page_lives_key(const struct page_lives *l,
						    size_t row)
{
	return lives_key(&l->any, row);
}

static inline struct page_tally *page_lives_tally(const struct page_lives *l, size_t row)
{
	return (struct page_tally *)l->any.tallies + row;
}

/* Frees the lives, which cannot be used again. */
void page_lives_free(struct page_lives *lives);

/* The live blocks, and how they end. */

/* A request whose block was split; index 0 is unused. */
struct page_split {
	uint64_t pfn;  /* the block's first page frame */
	uint64_t live; /* live pages left */
	uint32_t next; /* next unused entry */
	bool implicit; /* a page of it ended without an event */
};

enum page_end { PAGE_END_FREED, PAGE_END_UNSEEN, PAGE_END_ANNOUNCED };

/* Adds a life of @pages to the batch. There is room for one per event; a caller that adds more
 * flushes the batch once it is half full.
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
/* Ends block @e of the table, whose free came before its allocation. @ev is the event that shows
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
