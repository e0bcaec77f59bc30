// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of page allocations, and who observes them.
 * In: allocations, lives. Out: numbers of their keys; after a sweep fewer keys.
 */
#include "account/page_rows.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "account/page_block.h"
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
	    (l->spent &&
	     array_reserve(&l->firsts, &l->firsts_capacity, id, sizeof(*l->firsts))))
		id = 0;
	while (l->nr_tallies < id) {
		if (l->spent)
			l->firsts[l->nr_tallies] = ++l->nr_firsts;
		l->tallies[l->nr_tallies++] = (struct page_tally){ 0 };
	}
	l->failed |= !id;
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
static void see_rows(struct page_lives *l, bool *used, const uint32_t *now)
{
	struct live_entry *e = NULL;

	while ((e = live_next(&l->blocks, e)))
		see_row(e, used, now);
	/* In other doubts, the row is that of who freed. */
	while ((e = live_next(&l->doubts.table, e)))
		if (e->kind == PAGE_OVER || e->kind == PAGE_OVER_FREED)
			see_row(e, used, now);
}

void page_rows_sweep(struct page_lives *l)
{
	bool *used = calloc(l->nr_tallies + 1, sizeof(*used));
	struct spent_rows rows = {
		.keys = &l->keys,
		.key_size = sizeof(struct page_key),
		.tallies = (uint64_t *)l->tallies,
		.firsts = l->firsts,
		.used = used,
		.now = calloc(l->nr_tallies + 1, sizeof(*rows.now)),
	};

	_Static_assert(offsetof(struct page_key, dims) + sizeof(struct row_tail) ==
			       sizeof(struct page_key),
		       "the end of a key");
	if (used)
		see_rows(l, used, NULL);
	if (!used || !rows.now || spent_sweep(l->spent, &l->dimensions, &rows))
		l->failed = true;
	else
		see_rows(l, NULL, rows.now);
	l->nr_tallies = l->keys.count;
	memset(l->recent, 0, sizeof(l->recent));
	l->sweep_at = spent_limit(l->nr_tallies, l->blocks.capacity);
	free(used);
	free(rows.now);
}

int page_lives_observe(struct page_lives *l,
		       void (*fn)(void *ctx, const struct page_life *batch, size_t nr),
		       void *ctx)
{
	if (array_reserve(&l->observers, &l->observers_capacity, l->nr_observers + 1,
			  sizeof(*l->observers)))
		return -ENOMEM;
	l->observers[l->nr_observers++] = (struct page_observer){ fn, ctx };
	return 0;
}

void page_lives_sum_tasks(struct page_lives *l, struct spent *spent)
{
	l->spent = spent;
	l->sweep_at = spent_limit(0, 0);
}

const struct page_key *page_lives_key(const struct page_lives *l, size_t row)
{
	const struct intern *keys = row & LIVE_HIDDEN ? &l->hidden_keys : &l->keys;

	return intern_get(keys, ((uint32_t)row & ~LIVE_HIDDEN) + 1, NULL);
}

uint64_t page_lives_first(const struct page_lives *l, const struct live_entry *block)
{
	return block->split ? l->splits[block->split].pfn : block->key;
}

void page_lives_free(struct page_lives *l)
{
	intern_free(&l->keys);
	free(l->tallies);
	free(l->firsts);
	live_free(&l->blocks);
	free(l->splits);
	page_frames_free(&l->frames);
	u64_map_free(&l->free_only_index);
	free(l->free_only);
	page_doubts_free(&l->doubts);
	intern_free(&l->hidden_keys);
	u64_map_free(&l->hidden_gone);
	free(l->observers);
}
