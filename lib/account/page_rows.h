/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the rows of page allocations, and who observes them.
 * In: allocations, lives. Out: numbers of their keys; after a sweep fewer keys.
 */
#ifndef KMEMX_ACCOUNT_PAGE_ROWS_H
#define KMEMX_ACCOUNT_PAGE_ROWS_H

#include "account/page_lives.h"

/* The row of the hidden block of @ev, with LIVE_HIDDEN; UINT32_MAX if memory ran out. Hidden rows
 * are numbered apart from shown ones.
 */
uint32_t page_hidden_row(struct page_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims);
/* The key's number of @ev, which is its row + 1 and has a tally; 0 if memory ran out. */
uint32_t page_key_number(struct page_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims);

/* Between two batches: turns rows of tasks without live blocks into sums, and renumbers the others.
 */
void page_rows_sweep(struct page_lives *l);

#endif
