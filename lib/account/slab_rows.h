/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the rows of slab allocations, their counts, and who observes them.
 * In: allocations, lives. Out: numbers of their keys; after a sweep fewer keys.
 */
#ifndef KMEMX_ACCOUNT_SLAB_ROWS_H
#define KMEMX_ACCOUNT_SLAB_ROWS_H

#include "account/slab_lives.h"

/* The key's number of @ev, which is its row + 1 and has a tally; 0 if memory ran out. */
uint32_t slab_key_number(struct slab_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims);

/* Between two batches: turns rows of tasks without live objects into sums, and renumbers the
 * others.
 */
void slab_rows_sweep(struct slab_lives *l);

/* Removes the lives of hidden objects from the batch and their frees from the fates. Keeps, by row,
 * how many ended without an event. Does nothing without a filter.
 */
void slab_hidden_drop(struct slab_lives *l);

#endif
