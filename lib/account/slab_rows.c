// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): who slab allocations are by.
 * In: allocations. Out: numbers of their keys.
 */
#include "account/slab_rows.h"

#include "base/array.h"

uint32_t slab_key_number(struct slab_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims)
{
	const struct slab_key key = { ev->slab_alloc.callsite,
				      ev->slab_alloc.cache & INT32_MAX,
				      kmem_is_kmalloc(ev->type), *dims, 0 };
	uint32_t id = intern_id(&l->keys, &key, sizeof(key));

	if (array_reserve(&l->tallies, &l->tallies_capacity, id, sizeof(*l->tallies)) ||
	    (l->in_part &&
	     array_reserve(&l->firsts, &l->firsts_capacity, id, sizeof(*l->firsts))))
		id = 0;
	while (l->nr_tallies < id) {
		if (l->in_part)
			l->firsts[l->nr_tallies] = event_place(ev);
		l->tallies[l->nr_tallies++] = (struct slab_tally){ 0 };
	}
	return id;
}
