// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: objects freed on a different CPU than the one that allocated them.
 * In: lives of slab objects. Out: counts by allocating and freeing callsite.
 */
#include "analysis/advise/far_frees.h"

#include <stdlib.h>

#include "base/array.h"

void far_frees_init(struct far_frees *f, const struct analysis_env *env,
		    const struct slab_lives *lives, struct sites *sites)
{
	*f = (struct far_frees){ .env = env, .lives = lives, .sites = sites };
}

/* The group of row @row, plus 1; 0: no memory. */
static uint32_t site_of(struct far_frees *f, uint32_t row)
{
	const struct slab_key *key;
	uint32_t stack;

	if (unlikely(row >= f->nr_rows)) {
		if (array_reserve(&f->site_of, &f->rows_capacity, row + 1UL,
				  sizeof(*f->site_of)))
			return 0;
		while (f->nr_rows <= row)
			f->site_of[f->nr_rows++] = 0;
	}
	if (unlikely(!f->site_of[row])) {
		key = slab_lives_key(f->lives, row);
		stack = lives_stack(&f->lives->any, row);
		f->site_of[row] =
			sites_group(f->sites,
				    sites_beyond(f->env, key->callsite, stack)) +
			1;
	}
	return f->site_of[row];
}

/* The number of the pair of row @row's callsite and @callsite, which freed; 0: no memory. */
static uint32_t find_pair(struct far_frees *f, uint32_t row, uint64_t callsite)
{
	uint32_t site = site_of(f, row), id;
	const struct far_frees_key key = { .by = site - 1,
					   .freed_by = sites_group(f->sites, callsite) };

	if (!site || key.freed_by == UINT32_MAX)
		return 0;
	id = intern_id(&f->keys, &key, sizeof(key));
	if (!id || array_reserve(&f->pairs, &f->capacity, id, sizeof(*f->pairs)))
		return 0;
	if (id > f->nr)
		f->pairs[f->nr++] = (struct far_frees_pair){ 0 };
	return id;
}

static void take_one(struct far_frees *f, const struct life *life)
{
	struct far_frees_pair *pair;
	uint64_t callsite;
	uint32_t *id;

	if (life->what != LIFE_FREED || !life->event ||
	    !kmem_ends_objects(life->event->type))
		return;
	callsite = life->event->slab_free.callsite;
	id = recent_key(&f->recent, callsite, life->row, 0);
	if (unlikely(!*id))
		*id = find_pair(f, life->row, callsite);
	if (unlikely(!*id)) {
		f->failed = true;
		return;
	}
	pair = &f->pairs[*id - 1];
	pair->nr++;
	pair->far += (life->flags & LIFE_OTHER_CPU) != 0;
}

void far_frees_take(struct far_frees *f, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++)
		take_one(f, life);
}

void far_frees_free(struct far_frees *f)
{
	free(f->site_of);
	intern_free(&f->keys);
	free(f->pairs);
}
