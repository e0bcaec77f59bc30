// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: lives of page blocks: observers, keys of rows, live blocks.
 * In: lives. Out: their keys and live blocks, one by one.
 */
#include <errno.h>
#include <stdlib.h>

#include "account/page_block.h"
#include "account/page_lives.h"
#include "base/array.h"

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
