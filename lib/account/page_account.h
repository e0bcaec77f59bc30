/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the accounts of page blocks.
 * In: page events and losses in time order. Out: who allocated what, and what became of it.
 *
 * Each page frame is, by its last event, live, freed or unknown; a block is a run of
 * 2^order live pages that one event allocated (or what a split left of it).
 *   alloc over live pages    they were freed unseen: implicit frees
 *   free of a whole block    matched
 *   free of part of a block  a split free; the rest of the block lives on
 *   free of several blocks   a merged free
 *   free of freed pages      again: freed twice, or allocated in bulk, which no event says
 *   free of unknown pages    unmatched: allocated before the recording (or in bulk)
 *   the same, where allocations were left out (@scope): of another block, counted apart
 * Clocks of two CPUs differ: within @doubts.skew, a free and an allocation of one block on two
 * CPUs may be in the wrong order; what slab_account.h says of objects holds for whole blocks.
 * In pages:    allocated = freed + implicit + live at the end.
 * In requests: requests - failures = alloc_freed + implicit_blocks + live_blocks, and
 *              frees = matched + split + merged + again + unmatched + other.
 *
 * mm_page_free_batched only announces; mm_page_free follows or precedes it. Where it does
 * not (none was recorded), the announcement is taken as the free, at the page's next
 * allocation or at the end.
 */
#ifndef KMEMX_ACCOUNT_PAGE_ACCOUNT_H
#define KMEMX_ACCOUNT_PAGE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "account/dimension.h"
#include "account/live.h"
#include "account/live_watch.h"
#include "account/page_doubt.h"
#include "account/page_frames.h"
#include "account/scope.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "event/event.h"

/* No kernel's page allocator gives blocks of this order: a larger one is damage. */
#define PAGE_ORDER_LIMIT 20

/* Who allocated: rows are distinct in all of these. */
struct page_key {
	uint64_t gfp_flags;
	uint32_t stack; /* in the stream's table; 0: none was recorded */
	uint32_t order;
	int32_t migratetype;
	uint32_t dim; /* of the account's dimension; 0 without one */
};

/* A short cut from a key to its number. */
struct page_recent {
	struct page_key key;
	uint32_t id; /* 0: unused */
};

#define PAGE_NR_RECENT 1024U

struct page_counts {
	uint64_t hit;	 /* allocations that succeeded; pages = hit << order */
	uint64_t failed; /* allocations that did not */
	uint64_t live_pages;
	uint64_t live_hit; /* blocks of which a page lives */
	uint64_t implicit_pages;
	uint64_t sure_pages; /* of the live: allocated after the last gap */
};

/* Who freed pages that were not seen allocated. */
struct page_free_only {
	uint32_t stack; /* of the free; 0: none was recorded */
	uint64_t hit, pages;
};

/* One page frame with the row of its allocations, for reports by page. */
struct page_pfn {
	uint64_t pfn;
	uint32_t row;
	uint64_t hit;
	uint64_t live_pages, sure_pages, implicit_pages;
};

struct page_totals {
	uint64_t requests, failures;
	uint64_t pages, failed_pages; /* allocated; asked for in vain */
	uint64_t frees;		      /* mm_page_free */
	uint64_t batched;	      /* mm_page_free_batched */
	uint64_t matched, split, merged, again, unmatched;
	uint64_t other, other_pages; /* freed: of what was allocated and left out */
	uint64_t reordered;   /* of the matched: their events were in the wrong order */
	uint64_t freed_pages; /* of those that were live */
	uint64_t again_pages; /* freed without a known allocation in between */
	uint64_t unmatched_pages; /* freed without a known allocation before */
	uint64_t implicit_pages;
	uint64_t
		batched_pages; /* part of freed_pages that only mm_page_free_batched said */
	uint64_t live_pages;
	uint64_t alloc_freed; /* requests whose pages were all freed by events */
	uint64_t
		implicit_blocks; /* requests that ended, a page of them without an event */
	uint64_t live_blocks;	 /* requests of which a page lives at the end */
	uint64_t implausible;	 /* orders over PAGE_ORDER_LIMIT: in no other number */
	uint64_t without_stack;	 /* successful requests whose caller is not known */
	uint64_t losses;
};

struct page_account {
	struct intern keys;
	struct page_counts *rows; /* of key number n at n - 1 */
	size_t nr_rows, rows_capacity;
	struct page_recent recent[PAGE_NR_RECENT];
	struct live_table blocks;  /* by first pfn */
	struct page_split *splits; /* requests whose block is in pieces */
	size_t nr_splits, splits_capacity;
	uint32_t free_split; /* head of the list of unused ones; 0: none */
	struct page_frames frames;
	uint64_t nr_events;	  /* bounds @frames: page_frames_room() */
	enum dimension dimension; /* what else tells rows apart */
	struct scope scope;	  /* whose allocations were left out */
	struct u64_map free_only_index;
	struct page_free_only *free_only;
	size_t nr_free_only, free_only_capacity;
	bool open_gap; /* the last events of a CPU are lost: nothing live is sure */
	bool by_pfn;
	struct intern pfn_keys;
	struct page_pfn *pfns;
	size_t nr_pfns, pfns_capacity;
	struct page_totals totals;
	struct page_doubts doubts;	/* .skew: to be set */
	const struct live_watch *watch; /* may be NULL */
	bool failed;			/* memory ran out; the numbers are void */
};

/* Takes one event; those that are not the page allocator's change nothing. */
void page_account_event(struct page_account *acc, const struct kmem_event *ev);
/* The same for @nr events, with their blocks' memory fetched ahead. */
void page_account_events(struct page_account *acc, const struct kmem_event *ev,
			 size_t nr);
/* No more events: settles what was only announced, finds out what must still live. */
void page_account_finish(struct page_account *acc);
const struct page_key *page_account_key(const struct page_account *acc, size_t row);
void page_account_free(struct page_account *acc);

#endif
