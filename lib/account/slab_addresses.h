/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the sums of slab objects by address.
 * In: lives. Out: what was allocated at each address, and what became of it.
 */
#ifndef KMEMX_ACCOUNT_SLAB_ADDRESSES_H
#define KMEMX_ACCOUNT_SLAB_ADDRESSES_H

#include <stdbool.h>

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

/* An observer: @ctx is struct slab_addresses. */
lives_fn slab_addresses_lives;
/* Sets .sure of the counts: objects that must still be live. */
void slab_addresses_sum(struct slab_addresses *a, const struct lives *lives);
void slab_addresses_free(struct slab_addresses *a);

#endif
