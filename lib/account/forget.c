// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: drops what a long-running account no longer needs.
 * In: an account between two batches, the rows to keep. Out: the account without other rows.
 */
#include "account/forget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers the kept rows, in their order. 0 or -ENOMEM. */
static int number_rows(const struct intern *keys, const bool *keep, uint32_t *to,
		       struct intern *out)
{
	uint32_t i;

	for (i = 0; i < keys->count; i++) {
		size_t size = 0;
		const void *key = intern_get(keys, i + 1, &size);
		uint32_t id = 0;

		to[i] = FORGET_GONE;
		if (!keep[i])
			continue;
		id = intern_id(out, key, size);
		if (!id)
			return -ENOMEM;
		to[i] = id - 1;
	}
	return 0;
}

/* Moves the @nr tallies of @size bytes to the new places of their rows. Returns how many are left.
 */
static size_t move_tallies(void *tallies, size_t nr, size_t size, const uint32_t *to)
{
	char *all = tallies;
	size_t i, left = 0;

	for (i = 0; i < nr; i++) {
		if (to[i] == FORGET_GONE)
			continue;
		memmove(all + to[i] * size, all + i * size, size);
		left = to[i] + 1UL;
	}
	memset(all + left * size, 0, (nr - left) * size);
	return left;
}

/* Removes freed objects from the table. */
static void drop_freed(struct live_table *t)
{
	size_t i;

	for (i = 0; i < t->capacity; i++) {
		/* A removal moves another entry into the place, perhaps a freed one. */
		while (t->entries[i].state == LIVE_FREED)
			live_remove(t, &t->entries[i]);
	}
}

int forget_slab(struct slab_account *acc, bool *keep, uint32_t *to)
{
	struct slab_lives *l = &acc->lives;
	struct live_entry *e = NULL;
	struct intern keys = { 0 };
	int ret;

	while ((e = live_next(&l->live, e))) {
		if (e->state == LIVE_ALLOCATED && !(e->row & LIVE_HIDDEN))
			keep[e->row] = true;
	}
	ret = number_rows(&l->keys, keep, to, &keys);
	if (ret) {
		intern_free(&keys);
		return ret;
	}
	drop_freed(&l->live);
	while ((e = live_next(&l->live, e))) {
		e->flags = 0;
		if (!(e->row & LIVE_HIDDEN))
			e->row = to[e->row];
	}
	l->nr_tallies = move_tallies(l->tallies, l->nr_tallies, sizeof(*l->tallies), to);
	intern_free(&l->keys);
	l->keys = keys;
	memset(l->recent, 0, sizeof(l->recent));
	memset(l->over, 0, sizeof(l->over));
	addr_set_free(&l->freed);
	u64_map_free(&l->free_only_index);
	l->nr_free_only = 0;
	u64_map_free(&l->early_free_only);
	u64_map_free(&l->surplus);
	return 0;
}

int forget_page(struct page_account *acc, bool *keep, uint32_t *to)
{
	struct page_lives *l = &acc->lives;
	const uint64_t skew = l->doubts.skew;
	struct live_entry *e = NULL;
	struct intern keys = { 0 };
	int ret;

	while ((e = live_next(&l->blocks, e))) {
		if (!(e->row & LIVE_HIDDEN))
			keep[e->row] = true;
	}
	ret = number_rows(&l->keys, keep, to, &keys);
	if (ret) {
		intern_free(&keys);
		return ret;
	}
	while ((e = live_next(&l->blocks, e))) {
		e->doubt = 0;
		if (!(e->row & LIVE_HIDDEN))
			e->row = to[e->row];
	}
	page_doubts_free(&l->doubts);
	l->doubts = (struct page_doubts){ .skew = skew };
	l->nr_tallies = move_tallies(l->tallies, l->nr_tallies, sizeof(*l->tallies), to);
	intern_free(&l->keys);
	l->keys = keys;
	memset(l->recent, 0, sizeof(l->recent));
	u64_map_free(&l->free_only_index);
	l->nr_free_only = 0;
	return 0;
}

void forget_mark_stacks(const struct slab_account *slab, const struct page_account *page,
			uint32_t *used)
{
	const int dim =
		slab ? dimensions_find(&slab->lives.dimensions, DIMENSION_STACK) : -1;
	uint32_t row;

	for (row = 0; dim >= 0 && row < slab->lives.nr_tallies; row++)
		used[slab_lives_key(&slab->lives, row)->dims.of[dim]] = 1;
	for (row = 0; page && row < page->lives.nr_tallies; row++)
		used[page_lives_key(&page->lives, row)->stack] = 1;
}

static int renumber_slab(struct slab_lives *l, const uint32_t *to)
{
	const int dim = dimensions_find(&l->dimensions, DIMENSION_STACK);
	struct intern keys = { 0 };
	uint32_t row;

	if (dim < 0)
		return 0;
	for (row = 0; row < l->nr_tallies; row++) {
		struct slab_key key = *slab_lives_key(l, row);

		key.dims.of[dim] = to[key.dims.of[dim]];
		if (intern_id(&keys, &key, sizeof(key)) != row + 1) {
			intern_free(&keys);
			return -ENOMEM;
		}
	}
	intern_free(&l->keys);
	l->keys = keys;
	memset(l->recent, 0, sizeof(l->recent));
	return 0;
}

static int renumber_page(struct page_lives *l, const uint32_t *to)
{
	struct intern keys = { 0 };
	uint32_t row;

	for (row = 0; row < l->nr_tallies; row++) {
		struct page_key key = *page_lives_key(l, row);

		key.stack = to[key.stack];
		if (intern_id(&keys, &key, sizeof(key)) != row + 1) {
			intern_free(&keys);
			return -ENOMEM;
		}
	}
	intern_free(&l->keys);
	l->keys = keys;
	memset(l->recent, 0, sizeof(l->recent));
	return 0;
}

int forget_renumber_stacks(struct slab_account *slab, struct page_account *page,
			   const uint32_t *to)
{
	int ret = slab ? renumber_slab(&slab->lives, to) : 0;

	return ret || !page ? ret : renumber_page(&page->lives, to);
}
