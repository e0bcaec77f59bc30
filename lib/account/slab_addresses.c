// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sums of slab objects by address.
 * In: lives. Out: what was allocated at each address, and what became of it.
 */
#include "account/slab_addresses.h"

#include <stdlib.h>

#include "base/array.h"

/* The entry of address @ptr; NULL if memory ran out. */
static struct slab_ptr *address_of(struct slab_addresses *a, uint64_t ptr)
{
	uint32_t *index = u64_map_insert(&a->index, ptr, (uint32_t)a->nr);

	if (!index ||
	    array_reserve(&a->ptrs, &a->capacity, *index + 1UL, sizeof(*a->ptrs))) {
		a->failed = true;
		return NULL;
	}
	if (*index == a->nr)
		a->ptrs[a->nr++] = (struct slab_ptr){ .ptr = ptr };
	return &a->ptrs[*index];
}

static void end_life(struct slab_counts *c, const struct life *life)
{
	c->live--;
	c->live_req -= life->bytes_req;
	c->live_alloc -= life->bytes;
}

static void count_life(struct slab_counts *c, const struct life *life)
{
	switch (life->what) {
	case LIFE_BORN:
		c->hit++;
		c->bytes_req += life->bytes_req;
		c->bytes_alloc += life->bytes;
		c->live++;
		c->live_req += life->bytes_req;
		c->live_alloc += life->bytes;
		break;
	case LIFE_GONE:
		end_life(c, life);
		c->implicit++;
		c->implicit_alloc += life->bytes;
		break;
	case LIFE_FOUND: /* counted as gone before */
		c->implicit--;
		c->implicit_alloc -= life->bytes;
		break;
	default:
		end_life(c, life);
	}
	c->pingpong += life->flags & LIFE_OTHER_CPU;
}

void slab_addresses_lives(void *ctx, const struct lives *of, const struct life *life,
			  size_t nr)
{
	struct slab_addresses *a = ctx;
	size_t i;

	for (i = 0; i < nr && !a->failed; i++) {
		struct slab_ptr *ptr = address_of(a, life[i].at);

		if (!ptr)
			return;
		count_life(&ptr->counts, &life[i]);
		if (life[i].what == LIFE_BORN)
			ptr->row = life[i].row;
	}
}

void slab_addresses_sum(struct slab_addresses *a, const struct lives *lives)
{
	const struct live_entry *e = NULL;
	size_t i;

	for (i = 0; i < a->nr; i++)
		a->ptrs[i].counts.sure = a->ptrs[i].counts.sure_alloc = 0;
	while (a->nr && (e = lives_next(lives, e))) {
		const uint32_t *index = u64_map_find(&a->index, e->key);

		if (!index || !lives_sure(lives, e))
			continue;
		a->ptrs[*index].counts.sure++;
		a->ptrs[*index].counts.sure_alloc += e->bytes_alloc;
	}
}

void slab_addresses_free(struct slab_addresses *a)
{
	u64_map_free(&a->index);
	free(a->ptrs);
	*a = (struct slab_addresses){ 0 };
}
