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
 * Where allocations were not recorded (@scope), a free of no live object is taken as the free of an
 * unrecorded one: it is counted apart and changes nothing. Clocks of two CPUs differ: within @skew,
 * a free without an allocation before it and an allocation without a free after it, on another CPU,
 * are one life in the wrong order, and so are an allocation over a live address and a double free.
 * Each pair is matched, and counted as reordered. If the user filters (@filtered), an object whose
 * allocation is hidden lives like any other, but its life is not handed over and no fate counts it.
 * Whether the filter would hide the object of a free of no live object is unknown.
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
#include "account/live.h"
#include "account/scope.h"
#include "account/slab_edges.h"
#include "account/spent.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "event/event.h"

enum slab_life_what {
	SLAB_BORN,
	SLAB_FREED, /* by a matched free */
	SLAB_GONE,  /* without an event */
	SLAB_FOUND, /* counted as gone before, and now its free comes */
	SLAB_LIFE_NR,
};

/**
 * struct slab_life - an object's life begins or ends
 * @event: the event that shows it, valid while the batch is handed over; NULL: the end of the
 *	events
 * @begin: time of the allocation; 0 unless the lives keep times
 * @row: who allocated it: slab_lives_key()
 * @cpu: where it was allocated, truncated to 16 bits
 * @what: enum slab_life_what; @flags: SLAB_OTHER_CPU, SLAB_REORDERED, SLAB_DOUBLED
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
#define SLAB_DOUBLED   4 /* that free was counted as double until now */

struct slab_tally_part {
	uint64_t nr, bytes_req, bytes_alloc, other_cpu;
};

/* What began and ended under one heading, by enum slab_life_what. */
struct slab_tally {
	struct slab_tally_part of[SLAB_LIFE_NR];
};

/* One more; @other_cpu: freed on another CPU than allocated on. */
static inline void slab_tally_add(struct slab_tally *tally, enum slab_life_what what,
				  uint32_t bytes_req, uint32_t bytes_alloc,
				  bool other_cpu)
{
	struct slab_tally_part *part = &tally->of[what];

	part->nr++;
	part->bytes_req += bytes_req;
	part->bytes_alloc += bytes_alloc;
	part->other_cpu += other_cpu;
}

/* What was allocated under one heading. */
struct slab_counts {
	uint64_t hit, bytes_req, bytes_alloc; /* all allocations */
	uint64_t live, live_req, live_alloc;  /* of those still live */
	uint64_t implicit, implicit_alloc;    /* ended without an event */
	uint64_t pingpong;		      /* freed on another CPU than allocated on */
	uint64_t sure, sure_alloc; /* of the live: allocated after the last gap */
};

/* The counts of a tally, without .sure. */
struct slab_counts slab_tally_counts(const struct slab_tally *tally);
/* Adds @times times the numbers of @from to those of @to. */
void slab_counts_add(struct slab_counts *to, const struct slab_counts *from,
		     uint64_t times);

/* Takes @nr lives, in the order of their events; remembers its own failures. */
struct slab_observer {
	void (*fn)(void *ctx, const struct slab_life *lives, size_t nr);
	void *ctx;
};

/* Takes each free of no live object, also of an unrecorded allocation, after the lives before it.
 * @doubled: of a freed object
 */
struct slab_surplus_observer {
	void (*fn)(void *ctx, const struct kmem_event *ev, bool doubled);
	void *ctx;
};

/* Who allocated: two rows differ in at least one of these. */
struct slab_key {
	uint64_t callsite;
	uint32_t cache : 31;	      /* name's number in the stream; 0 unknown */
	uint32_t kmalloc : 1;	      /* 1: kmalloc events, 0: kmem_cache_alloc */
	struct dimension_values dims; /* in the lives' dimensions */
	uint32_t all_tasks;	      /* as in struct row_tail */
};

/* A short cut from a key to its row. */
struct slab_recent {
	uint64_t callsite, rest; /* the key's; rest: its other members, if simple */
	uint32_t id;		 /* the row + 1; 0: unused */
};

#define SLAB_RECENT_BITS 10

/* Frees of no live object, by who freed. */
struct slab_free_only {
	uint64_t callsite;
	uint64_t unmatched, doubled;
};

/* What became of the events. */
struct slab_fates {
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t implausible; /* sizes of 4 GiB and more: counted nowhere else */
	uint64_t frees, unmatched, doubled, null;
	uint64_t other;	    /* frees of unrecorded allocations */
	uint64_t reordered; /* of the matched: their events were in the wrong order */
	uint64_t large, bytes_large; /* kmallocs of more than @large_bytes */
	uint64_t losses; /* gaps, each of which may hide any number of events */
};

/* An object that was ended by an allocation over its address. A slot keeps only the latest. */
#define SLAB_OVER_SLOTS 1024

struct slab_over {
	uint64_t ts;	/* of the allocation over it */
	uint64_t begin; /* of the object's life, if times are kept */
	struct live_entry object;
};

/* Events whose lives make one batch. An event ends one life and begins one, at most. */
#define SLAB_LIVES_EVENTS EVENT_LISTS_MAX

/**
 * struct slab_lives - zero-initialise it, set the options
 * @dimensions: what else distinguishes rows
 * @scope: whose allocations were not recorded
 * @filtered: the events say which allocations are hidden
 * @hidden_keys: like @keys, for hidden objects: row n | LIVE_HIDDEN has number n + 1
 * @hidden_gone: hidden row -> how many objects ended without an event
 * @skew: the time within which events of two CPUs may have changed places
 * @large_bytes: the page allocator serves kmallocs of more bytes
 * @keys: intern table of struct slab_key; row n has number n + 1
 * @tallies: one for each row, up to date after a batch
 * @firsts: with @spent, the number of each row's first event among such, from 1; @nr_firsts: so far
 * @spent: sums of tasks without live objects; rows are then renumbered between batches, so there
 *	must be no observers; NULL: rows stay
 * @sweep_at: sweep rows when there are this many
 * @live: live objects, and some freed ones; with live.times, each end of a life carries the time of
 *	its begin, for 6 more bytes an entry (8 if times are days apart)
 * @freed: freed addresses that @live no longer holds; @live takes precedence. So memory follows the
 *	   live objects and the pages that ever held one, not the events.
 * @surplus: frees of no live object: slab_surplus_key() -> how many
 * @early_free_only: who freed live objects whose free came first, by the clocks
 * @over: by a hash of the address
 * @edges: keeps events close to the kernel's counts; borrowed, may be NULL
 * @failed: memory ran out; the numbers are void
 */
struct slab_lives {
	struct intern keys;
	struct slab_tally *tallies;
	size_t nr_tallies, tallies_capacity;
	uint64_t *firsts;
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
	bool open_gap; /* a CPU's last events are lost: no live object is sure */
	bool failed;
	struct slab_fates fates;
	struct u64_map free_only_index; /* callsite -> index in @free_only */
	struct slab_free_only *free_only;
	size_t nr_free_only, free_only_capacity;
	struct u64_map early_free_only;
	struct u64_map surplus;
	struct slab_over over[SLAB_OVER_SLOTS];
	struct slab_edges *edges;
	struct slab_observer *observers;
	size_t nr_observers, observers_capacity;
	struct slab_surplus_observer on_surplus; /* borrowed; zero: none */
	struct slab_life *next;			 /* in @batch */
	struct slab_life batch[2 * SLAB_LIVES_EVENTS];
};

/**
 * slab_lives_observe() - have every batch of lives handed to @fn
 *
 * Observers are called in the order of these calls. @ctx is borrowed. 0 or -ENOMEM.
 */
int slab_lives_observe(struct slab_lives *lives,
		       void (*fn)(void *ctx, const struct slab_life *batch, size_t nr),
		       void *ctx) __must_check;
/* Makes rows of tasks add up in @spent, which is borrowed. Before the first event. */
void slab_lives_sum_tasks(struct slab_lives *lives, struct spent *spent);
/* Takes the events that event_lists.h lists. */
void slab_lives_listed(struct slab_lives *lives, const struct event_lists *lists);
/* Takes @nr events, prefetches their objects' entries, and hands over the lives that begin and end.
 * Ignores events that are not the slab allocator's.
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

/* No more events: settles events in the wrong order. */
void slab_lives_finish(struct slab_lives *lives);
/* The number of rows. It only grows, unless there is @spent. */
static inline size_t slab_lives_rows(const struct slab_lives *lives)
{
	return lives->keys.count;
}

/* The key of row @row, which may be of hidden objects; valid until the next events. */
const struct slab_key *slab_lives_key(const struct slab_lives *lives, size_t row);
/* The live objects that are not hidden, in no particular order: start with NULL; NULL at the end.
 */
const struct live_entry *slab_lives_next(const struct slab_lives *lives,
					 const struct live_entry *entry);
/* Was the live @entry allocated after the last gap? */
static inline bool slab_lives_sure(const struct slab_lives *lives,
				   const struct live_entry *entry)
{
	return !lives->open_gap && live_is_recent(&lives->live, entry);
}

/* Frees the lives, which cannot be used again. */
void slab_lives_free(struct slab_lives *lives);

/* Key in .surplus of frees of @cache that fates.unmatched counts, or with @doubled fates.doubled.
 */
static inline uint64_t slab_surplus_key(uint32_t cache, bool doubled)
{
	return (uint64_t)cache << 1 | doubled;
}

#endif
