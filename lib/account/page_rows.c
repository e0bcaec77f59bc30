// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): who page allocations are by.
 * In: allocations. Out: numbers of their keys.
 */
#include "account/page_rows.h"

/* The key of an allocation. */
static struct page_key page_key_of(const struct kmem_event *ev,
				   const struct dimension_values *dims)
{
	return (struct page_key){ .gfp_flags = ev->page_alloc.gfp_flags,
				  .stack = ev->stack,
				  .order = ev->page_alloc.order,
				  .migratetype = ev->page_alloc.migratetype,
				  .dims = *dims };
}

uint32_t page_hidden_row(struct page_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims)
{
	const struct page_key key = page_key_of(ev, dims);
	uint32_t id = intern_id(&l->hidden_keys, &key, sizeof(key));

	l->failed |= !id;
	return id ? (id - 1) | LIVE_HIDDEN : UINT32_MAX;
}

uint32_t page_key_number(struct page_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims)
{
	const struct page_key key = page_key_of(ev, dims);
	uint32_t id = intern_id(&l->keys, &key, sizeof(key));

	l->failed |= !id;
	return id;
}
