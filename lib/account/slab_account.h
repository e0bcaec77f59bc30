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
#include "account/slab_tally.h"

/* Sums over the rows (allocs, bytes_*, live_*, implicit, pingpong), and the lives' fates. */
struct slab_totals {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t implausible; /* sizes of 4 GiB and more: in no other number */
	uint64_t frees, matched, unmatched, doubled, null;
	uint64_t other; /* frees of what was left out; filtered: nobody knows of what */
	uint64_t bytes_freed; /* bytes_alloc of the matched */
	uint64_t implicit, bytes_implicit;
	uint64_t live, live_req, live_alloc;
	uint64_t pingpong;
	uint64_t large, bytes_large; /* kmallocs that the page allocator served */
	uint64_t reordered; /* of the matched: their events were in the wrong order */
	uint64_t losses;    /* gaps, each of which may hide any number of events */
};

/**
 * struct slab_account - zero-initialise it, set what is wanted; do not move it then
 * @lives: to be set: dimension, scope, skew, large_bytes
 * @by_ptr: sums by address are wanted too
 * @rows, @nr_rows, @totals, @addresses.ptrs[].counts: when it was last added up
 * @parts: it is the sum of these, each of whose rows is one of @rows_of; else NULL
 * @spent: sums of tasks, if the lives may have them, and are not those of a part
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

/* Takes one event; those that are not the slab allocator's change nothing. */
void slab_account_event(struct slab_account *acc, const struct kmem_event *ev);
/* The same for @nr events, with their objects' memory fetched ahead. */
void slab_account_events(struct slab_account *acc, const struct kmem_event *ev,
			 size_t nr);
/* The same of what event_lists.h lists. */
void slab_account_listed(struct slab_account *acc, const struct event_lists *lists);
/* Adds up what was observed so far, as often as asked: fills in @rows, @totals and what
 * @addresses say. What only the end can settle is not settled.
 */
void slab_account_sum(struct slab_account *acc);
/* No more events: settles what was in the wrong order, adds up, finds out what must still
 * live.
 */
void slab_account_finish(struct slab_account *acc);
/* Makes @to what @from is, with memory of its own; who observes @from does not observe it. Not
 * while a batch is handed over. 0; -ENOMEM: slab_account_free() then, too.
 */
int slab_account_copy(struct slab_account *to,
		      const struct slab_account *from) __must_check;
/* Adds up the totals of what the rows say, and the fates. */
void slab_account_totals(struct slab_account *acc);

/**
 * struct slab_living - a walk over what lives, in no particular order
 * @entry: of an object; its row is another part's, if there are parts: take this @row
 */
struct slab_living {
	const struct live_entry *entry;
	uint32_t row;
	unsigned int part;
};

/* The next one; start with a zeroed @at. False: there is none. */
bool slab_account_living(const struct slab_account *acc, struct slab_living *at);
const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row);
/* How many like it the row stands for: more than one only in a sample. */
uint32_t slab_account_weight(const struct slab_account *acc, size_t row);
/* May rows of tasks of which nothing lives become sums? Once all have asked for what they need. */
bool slab_account_sums_tasks(const struct slab_account *acc);
/* It is not to be used again. */
void slab_account_free(struct slab_account *acc);

#endif
