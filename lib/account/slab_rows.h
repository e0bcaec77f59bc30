/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): who slab allocations are by.
 * In: allocations. Out: numbers of their keys; fewer keys.
 */
#ifndef KMEMX_ACCOUNT_SLAB_ROWS_H
#define KMEMX_ACCOUNT_SLAB_ROWS_H

#include "account/slab_lives.h"

/* The number of the key of @ev, its row + 1, which has a tally; 0 if memory ran out. */
uint32_t slab_key_number(struct slab_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims);

/* Between two batches: rows of tasks of which nothing lives become sums, the others get new
 * numbers.
 */
void slab_rows_sweep(struct slab_lives *l);

#endif
