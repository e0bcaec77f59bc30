/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the lives of slab objects.
 * In: slab events and losses in time order. Out: what began and what ended, added up by who
 * allocated, and in batches.
 *
 * The life of an object, by its address:
 *   alloc                     it lives
 *   alloc of a live address   the old object was freed unseen (kmem_cache_free_bulk() and
 *                             kfree_rcu() batches have no event): an implicit free
 *   free of a live address    matched
 *   free of a freed address   double (or allocated by kmem_cache_alloc_bulk(), which has
 *                             no event either)
 *   free of any other         unmatched: allocated before the recording began
 *   kfree(NULL)               counted apart
 * Where allocations were left out (@scope), a free of no live object is one of another
 * object: it is counted apart and changes nothing.
 * Clocks of two CPUs differ: within @skew, a free without an allocation before it and an
 * allocation without a free after it, on another CPU, are one life in the wrong order, and
 * so are an allocation over a live address and a double free. Each pair is matched, and
 * counted as reordered.
 * Where the user filters (@filtered), the objects whose allocation is hidden live as any other,
 * but nothing of their lives is handed over and no fate counts them. Whose object a free of
 * no live object was, nobody knows.
 * So  frees = matched + unmatched + double + null + other.
 */
#ifndef KMEMX_ACCOUNT_SLAB_LIVES_H
#define KMEMX_ACCOUNT_SLAB_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/addr_set.h"
#include "account/dimension.h"
#include "account/event_lists.h"
#include "account/event_place.h"
#include "account/live.h"
#include "account/scope.h"
#include "account/slab_edges.h"
#include "account/slab_tally.h"
#include "account/spent.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "event/event.h"
#include "event/parts.h"

/**
 * struct slab_life - an object's life begins or ends
 * @event: that says so, valid while the batch is handed over; NULL: none was left to come
 * @begin: time of the allocation; 0 unless the lives keep times
 * @row: who allocated it: slab_lives_key()
 * @cpu: where it was allocated, truncated to 16 bits
 * @what: enum slab_life_what; @flags: SLAB_OTHER_CPU, SLAB_REORDERED
 */
struct slab_life {
	const struct kmem_event *event;
	uint64_t begin;
	uint64_t ptr;
	uint32_t bytes_req, bytes_alloc;
	uint32_t row;
	uint16_t cpu;
	uint8_t what, flags;
};

#define SLAB_OTHER_CPU 1 /* the free came from another CPU than the allocation */
#define SLAB_REORDERED 2 /* the free came before the allocation, by their clocks */

/* Takes @nr lives, in the order of their events; keeps its failures. */
struct slab_observer {
	void (*fn)(void *ctx, const struct slab_life *lives, size_t nr);
	void *ctx;
};

/* Who allocated: rows are distinct in all of these. */
struct slab_key {
	uint64_t callsite;
	uint32_t cache : 31;	      /* name's number in the stream; 0 unknown */
	uint32_t kmalloc : 1;	      /* 1: kmalloc events, 0: kmem_cache_alloc */
	struct dimension_values dims; /* of the lives' dimensions */
	uint32_t all_tasks;	      /* struct row_tail's */
};

/* A short cut from a key to its row. */
struct slab_recent {
	uint64_t callsite, rest; /* the key's; rest: the others, of simple dimensions */
	uint32_t id;		 /* the row + 1; 0: unused */
};

#define SLAB_RECENT_BITS 10

/* Frees of no live object, by who freed. @first: the first of them. */
struct slab_free_only {
	uint64_t callsite;
	struct event_place first;
	uint64_t unmatched, doubled;
};

/* What became of the events. */
struct slab_fates {
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t implausible; /* sizes of 4 GiB and more: in no other number */
	uint64_t frees, unmatched, doubled, null;
	uint64_t other;	    /* frees of what was allocated and left out */
	uint64_t reordered; /* of the matched: their events were in the wrong order */
	uint64_t large, bytes_large; /* kmallocs of more than @large_bytes */
	uint64_t losses; /* gaps, each of which may hide any number of events */
};

/* An object that an allocation over its address ended; bounded, so that the oldest go. */
#define SLAB_OVER_SLOTS 64

struct slab_over {
	uint64_t ts;	/* of the allocation over it */
	uint64_t begin; /* of its own, if times are kept */
	struct live_entry object;
};

/* Events whose lives make one batch. An event ends one life and begins one, at most. */
#define SLAB_LIVES_EVENTS EVENT_LISTS_MAX

/**
 * struct slab_lives - zero-initialise it, set what is wanted
 * @dimensions: what else distinguishes rows
 * @scope: whose allocations were left out
 * @filtered: the events say which allocations are hidden
 * @hidden_keys: as @keys, of hidden objects: row n | LIVE_HIDDEN has number n + 1
 * @hidden_gone: of those rows: how many hidden objects ended without an event
 * @skew: of the recording's clock: clock_skew()
 * @large_bytes: a kmalloc of more bytes is a large one, which the page allocator served
 * @keys: intern table of struct slab_key; row n has number n + 1
 * @tallies: of each row, once a batch is over
 * @firsts: the first event of each row, where the lives are of a part (event/parts.h),
 *	    @in_part; with @spent alone a number that grows, @nr_firsts
 * @spent: what tasks had of which nothing lives: rows change their numbers between batches, so
 *	   nobody may observe the lives; NULL: each row stays
 * @sweep_at: rows are looked at again when there are so many
 * @live: what lives, and some of what was freed; with live.times, each end of a life has the
 *	  time of its beginning, for 6 bytes more an entry (8 where times are days apart)
 * @freed: freed addresses that @live no longer holds; what it holds counts, whatever this
 *	   one says. So memory follows the live objects and the pages that ever held one,
 *	   not the events.
 * @surplus: frees of no live object: slab_surplus_key() -> how many
 * @early_free_only: of live objects freed before, by the clocks
 * @over: by event_part() of the address, and by its hash
 * @edges: keeps events next to the kernel's counts; the caller's, may be NULL
 * @failed: memory ran out; the numbers are void
 */
struct slab_lives {
	struct intern keys;
	struct slab_tally *tallies;
	size_t nr_tallies, tallies_capacity;
	bool in_part;
	struct event_place *firsts;
	size_t firsts_capacity;
	uint64_t nr_firsts;
	struct spent *spent;
	size_t sweep_at;
	struct slab_recent recent[1 << SLAB_RECENT_BITS];
	struct live_table live;
	struct addr_set freed;
	struct dimensions dimensions;
	struct scope scope;
	bool filtered;
	struct intern hidden_keys;
	struct u64_map hidden_gone;
	uint64_t skew;
	uint64_t large_bytes;
	bool open_gap; /* the last events of a CPU are lost: nothing live is sure */
	bool failed;
	struct slab_fates fates;
	struct u64_map free_only_index; /* of callsites in @free_only */
	struct slab_free_only *free_only;
	size_t nr_free_only, free_only_capacity;
	struct u64_map early_free_only;
	struct u64_map surplus;
	struct slab_over over[EVENT_PARTS][SLAB_OVER_SLOTS];
	struct slab_edges *edges;
	struct slab_observer *observers;
	size_t nr_observers, observers_capacity;
	struct slab_life *next; /* in @batch */
	struct slab_life batch[2 * SLAB_LIVES_EVENTS];
};

/**
 * slab_lives_observe() - have every batch of lives handed to @fn
 *
 * Observers are called in the order in which they came. @ctx is borrowed. 0 or -ENOMEM.
 */
int slab_lives_observe(struct slab_lives *lives,
		       void (*fn)(void *ctx, const struct slab_life *batch, size_t nr),
		       void *ctx) __must_check;
/* Before the first event: has rows of tasks added up in @spent, which is borrowed. */
void slab_lives_sum_tasks(struct slab_lives *lives, struct spent *spent);
/* Takes what event_lists.h lists. */
void slab_lives_listed(struct slab_lives *lives, const struct event_lists *lists);
/* Takes @nr events, with their objects' memory fetched ahead, and hands over what they begin
 * and end. Those that are not the slab allocator's change nothing.
 */
static inline void slab_lives_events(struct slab_lives *l, const struct kmem_event *ev,
				     size_t nr)
{
	struct event_lists lists;
	size_t done;

	for (done = 0; done < nr;) {
		done += event_lists_fill(&lists, ev + done, nr - done);
		slab_lives_listed(l, &lists);
	}
}

/* No more events: settles what was in the wrong order. */
void slab_lives_finish(struct slab_lives *lives);
/* How many rows there are. They only become more. */
static inline size_t slab_lives_rows(const struct slab_lives *lives)
{
	return lives->keys.count;
}

/* Who row @row, of a hidden object too, stands for; valid until the next events. */
const struct slab_key *slab_lives_key(const struct slab_lives *lives, size_t row);
/* What lives and is not hidden, in no particular order: start with NULL; NULL at the end. */
const struct live_entry *slab_lives_next(const struct slab_lives *lives,
					 const struct live_entry *entry);
/* Was the live @entry allocated after the last gap? */
static inline bool slab_lives_sure(const struct slab_lives *lives,
				   const struct live_entry *entry)
{
	return !lives->open_gap && live_is_recent(&lives->live, entry);
}

/* It is not to be used again. */
void slab_lives_free(struct slab_lives *lives);

/* Key of fates.unmatched (or .doubled) where the event names the cache. */
static inline uint64_t slab_surplus_key(uint32_t cache, bool doubled)
{
	return (uint64_t)cache << 1 | doubled;
}

#endif
