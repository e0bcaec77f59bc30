/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the accounts of slab objects.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
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
 * So  allocs = matched + implicit + live at the end,  and
 *     frees = matched + unmatched + double + null + other.
 */
#ifndef KMEMX_ACCOUNT_SLAB_ACCOUNT_H
#define KMEMX_ACCOUNT_SLAB_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "account/addr_set.h"
#include "account/dimension.h"
#include "account/live.h"
#include "account/live_watch.h"
#include "account/scope.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "event/event.h"

/* What was allocated under one heading. */
struct slab_counts {
	uint64_t hit, bytes_req, bytes_alloc; /* all allocations */
	uint64_t live, live_req, live_alloc;  /* of those still live */
	uint64_t implicit, implicit_alloc;    /* ended without an event */
	uint64_t pingpong;		      /* freed on another CPU than allocated on */
	uint64_t sure, sure_alloc; /* of the live: allocated after the last gap */
};

/* Who allocated: rows are distinct in all of these. */
struct slab_key {
	uint64_t callsite;
	uint32_t cache : 31;  /* name's number in the stream; 0 unknown */
	uint32_t kmalloc : 1; /* 1: kmalloc events, 0: kmem_cache_alloc */
	uint32_t dim;	      /* of the account's dimension; 0 without one */
};

/* A short cut from a key to its row. */
struct slab_recent {
	uint64_t callsite, rest; /* the key's; rest: the other three */
	uint32_t id;		 /* the row + 1; 0: unused */
};

#define SLAB_NR_RECENT 512U

/* One object address, for reports by address. */
struct slab_ptr {
	uint64_t ptr;
	uint32_t row; /* its latest allocation's */
	struct slab_counts counts;
};

/* Sums of the rows (allocs, bytes_*, live_*, implicit, pingpong) once it is finished. */
/* Frees of no live object, by who freed. */
struct slab_free_only {
	uint64_t callsite;
	uint64_t unmatched, doubled;
};

struct slab_totals {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t implausible; /* sizes of 4 GiB and more: in no other number */
	uint64_t frees, matched, unmatched, doubled, null;
	uint64_t other;	      /* frees of what was allocated and left out */
	uint64_t bytes_freed; /* bytes_alloc of the matched */
	uint64_t implicit, bytes_implicit;
	uint64_t live, live_req, live_alloc;
	uint64_t pingpong;
	uint64_t large, bytes_large; /* kmallocs that the page allocator served */
	uint64_t reordered; /* of the matched: their events were in the wrong order */
	uint64_t losses;    /* gaps, each of which may hide any number of events */
};

/* An object that an allocation over its address ended; bounded, so that the oldest go. */
#define SLAB_OVER_SLOTS 64

struct slab_over {
	uint64_t ts; /* of the allocation over it */
	struct live_entry object;
};

/**
 * struct slab_account - zero-initialise it, set what is wanted
 * @dimension: what else tells rows apart
 * @scope: whose allocations were left out
 * @large_bytes: a kmalloc of more bytes is a large one
 * @keys: intern table of struct slab_key; number n belongs to @rows[n - 1]
 * @live: what lives, and some of what was freed
 * @freed: freed addresses that @live no longer holds; what it holds counts, whatever this
 *	   one says. So memory follows the live objects and the pages that ever held one,
 *	   not the events.
 * @ptrs: only with @by_ptr
 * @failed: memory ran out; the numbers are void
 */
struct slab_account {
	struct intern keys;
	struct slab_counts *rows;
	size_t nr_rows, rows_capacity;
	struct slab_recent recent[SLAB_NR_RECENT];
	struct live_table live;
	struct addr_set freed;
	enum dimension dimension;
	struct scope scope;
	uint64_t large_bytes;
	bool by_ptr;
	bool open_gap; /* the last events of a CPU are lost: nothing live is sure */
	struct u64_map ptr_index;
	struct slab_ptr *ptrs;
	size_t nr_ptrs, ptrs_capacity;
	struct u64_map free_only_index; /* of call sites in @free_only */
	struct slab_free_only *free_only;
	size_t nr_free_only, free_only_capacity;
	struct u64_map early_free_only; /* of live objects freed before, by the clocks */
	struct slab_totals totals;
	struct u64_map
		surplus; /* frees of no live object: slab_surplus_key() -> how many */
	uint64_t skew;	 /* of the recording's clock: clock_skew() */
	struct slab_over over[SLAB_OVER_SLOTS]; /* by hash of the address */
	const struct live_watch *watch;		/* may be NULL */
	bool failed;
};

/* Takes one event; those that are not the slab allocator's change nothing. */
void slab_account_event(struct slab_account *acc, const struct kmem_event *ev);
/* The same for @nr events, with their objects' memory fetched ahead. */
void slab_account_events(struct slab_account *acc, const struct kmem_event *ev,
			 size_t nr);
/* No more events: settles what was in the wrong order, finds out what must still live. */
void slab_account_finish(struct slab_account *acc);
const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row);
/* Adds @from's numbers to @to's. */
void slab_counts_add(struct slab_counts *to, const struct slab_counts *from);
/* (internal) Once the account is finished: what the rows say in sum. */
void slab_totals_of_rows(struct slab_account *acc);
void slab_account_free(struct slab_account *acc);

/* Key of totals.unmatched (or .doubled) where the event names the cache. */
static inline uint64_t slab_surplus_key(uint32_t cache, bool doubled)
{
	return (uint64_t)cache << 1 | doubled;
}

#endif
