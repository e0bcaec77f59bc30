// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: lives of slab objects: observers, keys of rows, live objects.
 * In: lives. Out: their keys and live objects, one by one.
 */
#include <errno.h>
#include <stdlib.h>

#include "account/slab_lives.h"
#include "base/array.h"

int slab_lives_observe(struct slab_lives *l,
		       void (*fn)(void *ctx, const struct slab_life *batch, size_t nr),
		       void *ctx)
{
	if (array_reserve(&l->observers, &l->observers_capacity, l->nr_observers + 1,
			  sizeof(*l->observers)))
		return -ENOMEM;
	l->observers[l->nr_observers++] = (struct slab_observer){ fn, ctx };
	return 0;
}

void slab_lives_sum_tasks(struct slab_lives *l, struct spent *spent)
{
	l->spent = spent;
	l->sweep_at = spent_limit(0, 0);
}

const struct slab_key *slab_lives_key(const struct slab_lives *l, size_t row)
{
	const struct intern *keys = row & LIVE_HIDDEN ? &l->hidden_keys : &l->keys;

	return intern_get(keys, ((uint32_t)row & ~LIVE_HIDDEN) + 1, NULL);
}

const struct live_entry *slab_lives_next(const struct slab_lives *l,
					 const struct live_entry *entry)
{
	do
		entry = live_next(&l->live, (struct live_entry *)entry);
	while (entry && (entry->state != LIVE_ALLOCATED || entry->row & LIVE_HIDDEN));
	return entry;
}

void slab_lives_free(struct slab_lives *l)
{
	intern_free(&l->keys);
	free(l->tallies);
	free(l->firsts);
	live_free(&l->live);
	addr_set_free(&l->freed);
	u64_map_free(&l->free_only_index);
	free(l->free_only);
	u64_map_free(&l->early_free_only);
	u64_map_free(&l->surplus);
	intern_free(&l->hidden_keys);
	u64_map_free(&l->hidden_gone);
	free(l->observers);
}
