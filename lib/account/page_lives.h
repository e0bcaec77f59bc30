/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the lives of page blocks.
 * In: page events and losses in time order. Out: what began and what ended, added up by who
 * allocated, and in batches.
 *
 * Each page frame is, by its last event, live, freed or unknown; a block is a run of
 * 2^order live pages that one event allocated (or what a split left of it).
 *   alloc over live pages    they were freed unseen: implicit frees
 *   free of a whole block    matched
 *   free of part of a block  a split free; the rest of the block lives on
 *   free of several blocks   a merged free
 *   free of freed pages      again: freed twice, or allocated in bulk, which no event says
 *   free of unknown pages    unmatched: allocated before the recording (or in bulk)
 *   the same, where allocations were not recorded (@scope): of another block, counted apart
 * If the user filters (@filtered), a block whose allocation is hidden lives like any other, but its
 * lives are not handed over, and a free of nothing but such blocks is in no fate. Clocks of two
 * CPUs differ: within @doubts.skew, a free and an allocation of one block on two CPUs may be in the
 * wrong order; the rule in slab_lives.h applies to whole blocks.
 *
 * mm_page_free_batched only announces; mm_page_free follows or precedes it. Where it does
 * not (none was recorded), the announcement is taken as the free, at the page's next
 * allocation or at the end.
 */
#ifndef KMEMX_ACCOUNT_PAGE_LIVES_H
#define KMEMX_ACCOUNT_PAGE_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/dimension.h"
#include "account/event_lists.h"
#include "account/live.h"
#include "account/page_doubt.h"
#include "account/page_frames.h"
#include "account/scope.h"
#include "account/spent.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "event/event.h"

enum page_life_what {
	PAGE_BORN,
	PAGE_FREED,   /* by events */
	PAGE_GONE,    /* without one */
	PAGE_FOUND,   /* the block was counted as gone, and now its free comes */
	PAGE_REFUSED, /* no life: the allocation failed */
	PAGE_LIFE_NR,
};

/**
 * struct page_life - a request's pages begin to live, or some of them end
 * @event: the event that shows it, valid while the batch is handed over; NULL: the end of the
 *	events
 * @pfn: the request's first frame, also when others end
 * @begin: time of the allocation; 0 unless the lives keep times
 * @row: who allocated: page_lives_key()
 * @what: enum page_life_what
 * @last: these were the last live pages of the request
 * @implicit: with @last: some of the request's pages ended without an event
 * @reordered: the free came before the allocation, by their clocks
 * @other_cpu: the free came on another CPU than the allocation
 */
struct page_life {
	const struct kmem_event *event;
	uint64_t pfn, pages;
	uint64_t begin;
	uint32_t row;
	uint8_t what;
	bool last, implicit, reordered : 1, other_cpu : 1;
};

/* What began and ended in one row, by enum page_life_what. */
struct page_tally {
	struct {
		uint64_t nr, pages;
	} of[PAGE_LIFE_NR];
	uint64_t last, implicit; /* lives with these flags */
};

/* One more, of @pages. */
static inline void page_tally_add(struct page_tally *tally, enum page_life_what what,
				  uint64_t pages)
{
	tally->of[what].nr++;
	tally->of[what].pages += pages;
}

/* Takes @nr lives, in the order of their events; remembers its own failures. */
struct page_observer {
	void (*fn)(void *ctx, const struct page_life *lives, size_t nr);
	void *ctx;
};

/* Who allocated: two rows differ in at least one of these. */
struct page_key {
	uint64_t gfp_flags;
	uint32_t stack; /* in the stream's table; 0: none was recorded */
	uint32_t order;
	int32_t migratetype;
	struct dimension_values dims; /* in the lives' dimensions */
	uint32_t all_tasks;	      /* as in struct row_tail */
};

/* A short cut from a key to its number; @low: stack and order, @high: the rest. */
struct page_recent {
	uint64_t gfp_flags, low, high;
	uint32_t id; /* 0: unused */
};

#define PAGE_NR_RECENT 1024U

/* Who freed pages that were not seen allocated. */
struct page_free_only {
	uint32_t stack; /* of the free; 0: none was recorded */
	uint64_t hit, pages;
};

/* What became of the events. */
struct page_fates {
	uint64_t frees;	  /* mm_page_free */
	uint64_t batched; /* mm_page_free_batched */
	uint64_t matched, split, merged, again, unmatched;
	uint64_t other, other_pages; /* frees of unrecorded allocations; their pages */
	uint64_t reordered;   /* of the matched: their events were in the wrong order */
	uint64_t again_pages; /* freed without a known allocation in between */
	uint64_t unmatched_pages; /* freed without a known allocation before */
	uint64_t batched_pages; /* freed pages that only mm_page_free_batched reported */
	uint64_t implausible;	/* orders over PAGE_ORDER_LIMIT: counted nowhere else */
	uint64_t losses;
};

/* This many events make one batch of lives, or more: one event can end many lives. */
#define PAGE_LIVES_EVENTS EVENT_LISTS_MAX

/**
 * struct page_lives - zero-initialise it, set the options
 * @dimensions: what else distinguishes rows
 * @scope: whose allocations were not recorded
 * @filtered: the events say which allocations are hidden
 * @hidden_keys: like @keys, for hidden blocks: row n | LIVE_HIDDEN has number n + 1
 * @hidden_gone: hidden row -> how many pages ended without an event
 * @doubts: set its .skew
 * @keys: intern table of struct page_key; row n has number n + 1
 * @tallies: one for each row, up to date after a batch
 * @firsts: with @spent, the number of each row's first event among such, from 1; @nr_firsts: so far
 * @spent: sums of tasks without live blocks; rows are then renumbered between batches, so there
 *	must be no observers; NULL: rows stay
 * @sweep_at: sweep rows when there are this many
 * @blocks: by first pfn; with blocks.times, each end of a life carries the time of its begin
 * @splits: requests whose block is in pieces
 * @free_split: head of the list of unused ones; 0: none
 * @nr_events: bounds @frames: page_frames_room()
 * @failed: memory ran out; the numbers are void
 */
struct page_lives {
	struct intern keys;
	struct page_tally *tallies;
	size_t nr_tallies, tallies_capacity;
	uint64_t *firsts;
	size_t firsts_capacity;
	uint64_t nr_firsts;
	struct spent *spent;
	size_t sweep_at;
	struct page_recent recent[PAGE_NR_RECENT];
	struct live_table blocks;
	struct page_split *splits;
	size_t nr_splits, splits_capacity;
	uint32_t free_split;
	struct page_frames frames;
	uint64_t nr_events;
	struct dimensions dimensions;
	struct scope scope;
	bool filtered;
	struct intern hidden_keys;
	struct u64_map hidden_gone;
	struct page_doubts doubts;
	bool open_gap; /* a CPU's last events are lost: no live block is sure */
	bool failed;
	struct page_fates fates;
	struct u64_map free_only_index;
	struct page_free_only *free_only;
	size_t nr_free_only, free_only_capacity;
	struct page_observer *observers;
	size_t nr_observers, observers_capacity;
	struct page_life *next; /* in @batch */
	struct page_life batch[2 * PAGE_LIVES_EVENTS];
};

/**
 * page_lives_observe() - have every batch of lives handed to @fn
 *
 * Observers are called in the order of these calls. @ctx is borrowed. 0 or -ENOMEM.
 */
int page_lives_observe(struct page_lives *lives,
		       void (*fn)(void *ctx, const struct page_life *batch, size_t nr),
		       void *ctx) __must_check;
/* Makes rows of tasks add up in @spent, which is borrowed. Before the first event. */
void page_lives_sum_tasks(struct page_lives *lives, struct spent *spent);
/* Takes the events that event_lists.h lists. */
void page_lives_listed(struct page_lives *lives, const struct event_lists *lists);
/* Takes @nr events, prefetches their blocks, and hands over the lives that begin and end. Ignores
 * events that are not the page allocator's.
 */
static inline void page_lives_events(struct page_lives *l, const struct kmem_event *ev,
				     size_t nr)
{
	struct event_lists lists;
	size_t done;

	for (done = 0; done < nr;) {
		done += event_lists_fill(&lists, ev + done, nr - done);
		page_lives_listed(l, &lists);
	}
}

/* No more events: settles frees that were only announced, and events in the wrong order. */
void page_lives_finish(struct page_lives *lives);
/* The number of rows. It only grows, unless there is @spent. */
static inline size_t page_lives_rows(const struct page_lives *lives)
{
	return lives->keys.count;
}

/* The key of row @row, which may be of hidden blocks; valid until the next events. */
const struct page_key *page_lives_key(const struct page_lives *lives, size_t row);
/* The live blocks that are not hidden, in no particular order: start with NULL; NULL at the
 * end.
 */
static inline const struct live_entry *page_lives_next(const struct page_lives *lives,
						       const struct live_entry *block)
{
	do
		block = live_next(&lives->blocks, (struct live_entry *)block);
	while (block && block->row & LIVE_HIDDEN);
	return block;
}

/* The first frame of the request to which the live @block belongs. */
uint64_t page_lives_first(const struct page_lives *lives, const struct live_entry *block);
/* Was the live @block allocated after the last gap? */
static inline bool page_lives_sure(const struct page_lives *lives,
				   const struct live_entry *block)
{
	return !lives->open_gap && live_is_recent(&lives->blocks, block);
}

/* Frees the lives, which cannot be used again. */
void page_lives_free(struct page_lives *lives);

#endif
