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
 * @spent: sums by task, if slab_account_sums_tasks()
 * @failed: memory ran out; the numbers are void
 */
struct slab_account {
	struct slab_lives lives;
	bool by_ptr;
	bool observing, failed;
	struct slab_addresses addresses;
	struct slab_counts *rows;
	size_t nr_rows, rows_capacity;
	struct slab_totals totals;
	struct spent spent;
};

/* Takes @nr events. Ignores those that are not the slab allocator's. Prefetches their objects'
 * entries.
 */
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
const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row);
/* How many allocations each of the row stands for: more than one only in a sample. */
uint32_t slab_account_weight(const struct slab_account *acc, size_t row);
/* May rows of tasks without live objects become sums? Call it after all users have asked for what
 * they need.
 */
bool slab_account_sums_tasks(const struct slab_account *acc);
/* Frees the account, which cannot be used again. */
void slab_account_free(struct slab_account *acc);

#endif
