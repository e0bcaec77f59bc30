/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): who page allocations are by.
 * In: allocations. Out: numbers of their keys; fewer keys.
 */
#ifndef KMEMX_ACCOUNT_PAGE_ROWS_H
#define KMEMX_ACCOUNT_PAGE_ROWS_H

#include "account/page_lives.h"

/* The row of hidden block of @ev, with LIVE_HIDDEN; UINT32_MAX if memory ran out. Rows that are
 * shown have none of these before them.
 */
uint32_t page_hidden_row(struct page_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims);
/* The number of the key of @ev, its row + 1, which has a tally; 0 if memory ran out. */
uint32_t page_key_number(struct page_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims);

/* Between two batches: rows of tasks of which nothing lives become sums, the others get new
 * numbers.
 */
void page_rows_sweep(struct page_lives *l);

#endif
