/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the sums of slab objects, by who allocated and by address.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
 *
 * slab_lives.h says what begins and ends, and adds it up, so that
 *     allocs = matched + implicit + live at the end,  and
 *     frees = matched + unmatched + double + null + other.
 */
#ifndef KMEMX_ACCOUNT_SLAB_ACCOUNT_H
#define KMEMX_ACCOUNT_SLAB_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "account/row_union.h"
#include "account/slab_addresses.h"
#include "account/slab_lives.h"

/* Sums over the rows (allocs, bytes_*, live_*, implicit, pingpong), and the lives' fates. */
struct slab_totals {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t implausible; /* sizes of 4 GiB and more: counted nowhere else */
	uint64_t frees, matched, unmatched, doubled, null;
	uint64_t other;	      /* frees of unrecorded objects; filtered: of unknown ones */
	uint64_t bytes_freed; /* bytes_alloc of the matched */
	uint64_t implicit, bytes_implicit;
	uint64_t live, live_req, live_alloc;
	uint64_t pingpong;
	uint64_t large, bytes_large; /* kmallocs that the page allocator served */
	uint64_t reordered; /* of the matched: their events were in the wrong order */
	uint64_t losses;    /* gaps, each of which may hide any number of events */
};

/**
 * struct slab_account - zero-initialise it, set the options; do not move it afterwards
 * @lives: to be set: dimension, scope, skew, large_bytes
 * @by_ptr: also make sums by address
 * @rows, @nr_rows, @totals, @addresses.ptrs[].counts: as of the last slab_account_sum()
 * @parts: it is the sum of these, and @rows_of maps their rows; else NULL
 * @spent: sums by task, if slab_account_sums_tasks() and this is not a part's account
 * @failed: memory ran out; the numbers are void
 */
struct slab_account {
	struct slab_lives lives;
	bool by_ptr;
	bool observing, failed;
	const struct slab_account *parts[EVENT_PARTS];
	struct row_union rows_of;
	struct slab_addresses addresses;
	struct slab_counts *rows;
	size_t nr_rows, rows_capacity;
	struct slab_totals totals;
	struct spent spent;
};

/* Takes one event. Ignores events that are not the slab allocator's. */
void slab_account_event(struct slab_account *acc, const struct kmem_event *ev);
/* The same for @nr events. Prefetches their objects' entries. */
void slab_account_events(struct slab_account *acc, const struct kmem_event *ev,
			 size_t nr);
/* The same for the events that event_lists.h lists. */
void slab_account_listed(struct slab_account *acc, const struct event_lists *lists);
/* Adds up what was observed so far: fills in @rows, @totals and @addresses. May be called
 * repeatedly. What only the end can settle stays open.
 */
void slab_account_sum(struct slab_account *acc);
/* No more events: settles events in the wrong order, adds up, finds what must still be live. */
void slab_account_finish(struct slab_account *acc);
/* Computes the totals from the rows and the fates. */
void slab_account_totals(struct slab_account *acc);

/**
 * struct slab_living - a walk over the live objects, in no particular order
 * @entry: the object's; with parts, its row is a part's: use @row instead
 */
struct slab_living {
	const struct live_entry *entry;
	uint32_t row;
	unsigned int part;
};

/* The next live object; start with a zeroed @at. False at the end. */
bool slab_account_living(const struct slab_account *acc, struct slab_living *at);
const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row);
/* How many allocations each of the row stands for: more than one only in a sample. */
uint32_t slab_account_weight(const struct slab_account *acc, size_t row);
/* May rows of tasks without live objects become sums? Call it after all users have asked for what
 * they need.
 */
bool slab_account_sums_tasks(const struct slab_account *acc);
/* slab_parts.c: makes @to the sum of @parts, one for each of EVENT_PARTS. They must outlive @to,
 * which reports their live objects. 0 or -ENOMEM.
 */
int slab_account_join(struct slab_account *to,
		      struct slab_account *const *parts) __must_check;
/* Frees the account, which cannot be used again. */
void slab_account_free(struct slab_account *acc);

#endif
