// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of slab allocations.
 * In: allocations. Out: numbers of their keys; after a sweep fewer keys.
 */
#include "account/slab_rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint32_t slab_key_number(struct slab_lives *l, const struct kmem_event *ev,
			 const struct dimension_values *dims)
{
	const struct slab_key key = { ev->slab_alloc.callsite,
				      ev->slab_alloc.cache & INT32_MAX,
				      kmem_is_kmalloc(ev->type), *dims, 0 };
	uint32_t id = intern_id(&l->keys, &key, sizeof(key));

	if (array_reserve(&l->tallies, &l->tallies_capacity, id, sizeof(*l->tallies)) ||
	    ((l->in_part || l->spent) &&
	     array_reserve(&l->firsts, &l->firsts_capacity, id, sizeof(*l->firsts))))
		id = 0;
	while (l->nr_tallies < id) {
		if (l->in_part)
			l->firsts[l->nr_tallies] = event_place(ev);
		else if (l->spent)
			l->firsts[l->nr_tallies] =
				(struct event_place){ .ts = ++l->nr_firsts };
		l->tallies[l->nr_tallies++] = (struct slab_tally){ 0 };
	}
	return id;
}

/* Marks the row of an entry as used, or with @now gives the entry its row's new number. */
static void see_row(struct live_entry *e, bool *used, const uint32_t *now)
{
	if (now)
		e->row = now[e->row];
	else
		used[e->row] = true;
}

/* The same for all entries that may still need their row. */
static void see_rows(struct slab_lives *l, bool *used, const uint32_t *now)
{
	struct live_entry *e = NULL;
	struct slab_over *over = &l->over[0][0];
	size_t i;

	while ((e = live_next(&l->live, e)))
		if (e->state == LIVE_ALLOCATED)
			see_row(e, used, now);
	for (i = 0; i < sizeof(l->over) / sizeof(*over); i++)
		if (over[i].object.key)
			see_row(&over[i].object, used, now);
}

void slab_rows_sweep(struct slab_lives *l)
{
	bool *used = calloc(l->nr_tallies + 1, sizeof(*used));
	struct spent_rows rows = {
		.keys = &l->keys,
		.key_size = sizeof(struct slab_key),
		.tallies = (uint64_t *)l->tallies,
		.firsts = l->firsts,
		.used = used,
		.now = calloc(l->nr_tallies + 1, sizeof(*rows.now)),
	};

	_Static_assert(offsetof(struct slab_key, dims) + sizeof(struct row_tail) ==
			       sizeof(struct slab_key),
		       "the end of a key");
	if (used)
		see_rows(l, used, NULL);
	if (!used || !rows.now || spent_sweep(l->spent, &l->dimensions, &rows))
		l->failed = true;
	else
		see_rows(l, NULL, rows.now);
	l->nr_tallies = l->keys.count;
	memset(l->recent, 0, sizeof(l->recent));
	l->sweep_at = spent_limit(l->nr_tallies, l->live.capacity);
	free(used);
	free(rows.now);
}
