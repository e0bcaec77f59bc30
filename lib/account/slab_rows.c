// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of slab allocations, their counts, and who observes them.
 * In: allocations, lives. Out: numbers of their keys; after a sweep fewer keys.
 */
#include "account/slab_rows.h"

#include <errno.h>
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
	    (l->spent &&
	     array_reserve(&l->firsts, &l->firsts_capacity, id, sizeof(*l->firsts))))
		id = 0;
	while (l->nr_tallies < id) {
		if (l->spent)
			l->firsts[l->nr_tallies] = ++l->nr_firsts;
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
	size_t i;

	while ((e = live_next(&l->live, e)))
		if (e->state == LIVE_ALLOCATED)
			see_row(e, used, now);
	for (i = 0; i < SLAB_OVER_SLOTS; i++)
		if (l->over[i].object.key)
			see_row(&l->over[i].object, used, now);
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

struct slab_counts slab_tally_counts(const struct slab_tally *tally)
{
	struct slab_counts c = {
		.hit = tally->of[SLAB_BORN].nr,
		.bytes_req = tally->of[SLAB_BORN].bytes_req,
		.bytes_alloc = tally->of[SLAB_BORN].bytes_alloc,
		.implicit = tally->of[SLAB_GONE].nr - tally->of[SLAB_FOUND].nr,
		.implicit_alloc = tally->of[SLAB_GONE].bytes_alloc -
				  tally->of[SLAB_FOUND].bytes_alloc,
		.pingpong =
			tally->of[SLAB_FREED].other_cpu + tally->of[SLAB_FOUND].other_cpu,
	};

	/* What was found is counted as gone, too. */
	c.live = c.hit - tally->of[SLAB_FREED].nr - tally->of[SLAB_GONE].nr;
	c.live_req = c.bytes_req - tally->of[SLAB_FREED].bytes_req -
		     tally->of[SLAB_GONE].bytes_req;
	c.live_alloc = c.bytes_alloc - tally->of[SLAB_FREED].bytes_alloc -
		       tally->of[SLAB_GONE].bytes_alloc;
	return c;
}

void slab_counts_add(struct slab_counts *to, const struct slab_counts *from,
		     uint64_t times)
{
	to->hit += from->hit * times;
	to->bytes_req += from->bytes_req * times;
	to->bytes_alloc += from->bytes_alloc * times;
	to->live += from->live * times;
	to->live_req += from->live_req * times;
	to->live_alloc += from->live_alloc * times;
	to->implicit += from->implicit * times;
	to->implicit_alloc += from->implicit_alloc * times;
	to->pingpong += from->pingpong * times;
	to->sure += from->sure * times;
	to->sure_alloc += from->sure_alloc * times;
}

/* Counts a hidden object that ended without an event, or takes the count back. */
static void slab_count_gone(struct slab_lives *l, const struct slab_life *life)
{
	uint32_t *nr = u64_map_insert(&l->hidden_gone, life->row, 0);

	if (!nr)
		l->failed = true;
	else if (life->what == SLAB_GONE)
		++*nr;
	else if (*nr)
		--*nr;
}

void slab_hidden_drop(struct slab_lives *l)
{
	const struct slab_life *from = l->batch, *end = l->next;

	l->next = l->batch;
	for (; from < end; from++) {
		if (!(from->row & LIVE_HIDDEN)) {
			*l->next++ = *from;
			continue;
		}
		if (from->what == SLAB_FREED || from->what == SLAB_FOUND)
			l->fates.frees--;
		if (from->flags & SLAB_REORDERED)
			l->fates.reordered--;
		if (from->what == SLAB_GONE || from->what == SLAB_FOUND)
			slab_count_gone(l, from);
	}
}

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
