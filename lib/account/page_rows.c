// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): who page allocations are by.
 * In: allocations. Out: numbers of their keys.
 */
#include "account/page_rows.h"

#include "base/array.h"

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

	if (array_reserve(&l->tallies, &l->tallies_capacity, id, sizeof(*l->tallies)) ||
	    (l->in_part &&
	     array_reserve(&l->firsts, &l->firsts_capacity, id, sizeof(*l->firsts))))
		id = 0;
	while (l->nr_tallies < id) {
		if (l->in_part)
			l->firsts[l->nr_tallies] = event_place(ev);
		l->tallies[l->nr_tallies++] = (struct page_tally){ 0 };
	}
	l->failed |= !id;
	return id;
}
