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

#include "account/slab_lives.h"

/* One object address, for reports by address. */
struct slab_ptr {
	uint64_t ptr;
	uint32_t row; /* row of its latest allocation */
	struct slab_counts counts;
};

/* By address: zero-initialise it. */
struct slab_addresses {
	struct u64_map index;
	struct slab_ptr *ptrs;
	size_t nr, capacity;
	bool failed; /* memory ran out */
};

/**
 * struct slab_account - zero-initialise it, set the options; do not move it afterwards
 * @lives: to be set: its options. If .any.failed is set, the numbers are void
 * @by_address: also makes sums by address
 * @rows, @nr_rows, @totals, @addresses.ptrs[].counts: as of the last slab_account_sum()
 */
struct slab_account {
	struct slab_lives lives;
	bool by_address;
	struct slab_addresses addresses;
	struct slab_counts *rows;
	size_t nr_rows, rows_capacity;
	struct slab_totals totals;
};

/* Also makes sums by address. Before the first event. 0 or -ENOMEM. */
int slab_account_by_address(struct slab_account *acc) __must_check;
/* Adds up what was observed so far: fills in @rows, @totals and @addresses. May be called
 * repeatedly. What only the end can settle stays open.
 */
void slab_account_sum(struct slab_account *acc);
/* No more events: settles events in the wrong order, adds up, finds what must still be live. */
void slab_account_finish(struct slab_account *acc);
/* Frees the account, which cannot be used again. */
void slab_account_free(struct slab_account *acc);

#endif
