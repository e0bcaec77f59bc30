// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of page allocations.
 * In: batches of lives. Out: sums; after a sweep fewer rows.
 */

#include "account/page_lives.h"

static void page_add_up(struct lives *any)
{
	for (const struct life *life = any->batch; life < any->next; life++) {
		struct page_tally *tally =
			page_lives_tally((struct page_lives *)any, life->row);

		page_tally_add(tally, life->what, life->nr);
		tally->last += (life->flags & LIFE_LAST) != 0;
		tally->implicit += (life->flags & LIFE_IMPLICIT) != 0;
	}
}

static void page_see_rows(struct lives *any, bool *used, const uint32_t *now)
{
	struct page_lives *l = (struct page_lives *)any;
	struct live_entry *e = NULL;

	/* In other doubts, the row is that of who freed. */
	while ((e = live_next(&l->doubts.table, e)))
		if (e->kind == PAGE_OVER || e->kind == PAGE_OVER_FREED)
			lives_see_row(e, used, now);
}

static void page_renumbered(struct lives *any)
{
	struct page_lives *l = (struct page_lives *)any;

	memset(l->recent, 0, sizeof(l->recent));
}

static void page_forget(struct lives *any)
{
	struct page_lives *l = (struct page_lives *)any;
	const uint64_t skew = l->doubts.skew;
	struct live_entry *e = NULL;

	while ((e = live_next(&any->live, e)))
		e->doubt = 0;
	page_doubts_free(&l->doubts);
	l->doubts = (struct page_doubts){ .skew = skew };
	u64_map_free(&l->free_only_index);
	l->nr_free_only = 0;
}

static uint32_t *page_stack(const struct lives *any, void *key)
{
	return any ? &((struct page_key *)key)->stack : NULL;
}

static struct lives_sums page_sums(const struct lives *any, size_t row)
{
	const struct page_lives *l = (const struct page_lives *)any;
	const struct page_tally *t = page_lives_tally(l, row);
	uint64_t pages = t->of[LIFE_BORN].pages;
	uint64_t live = pages - t->of[LIFE_FREED].pages - t->of[LIFE_GONE].pages;

	return (struct lives_sums){
		.hit = t->of[LIFE_BORN].nr,
		.nr = pages,
		.bytes_req = pages * any->page_size,
		.bytes = pages * any->page_size,
		.live_hit = t->of[LIFE_BORN].nr - t->last,
		.live_nr = live,
		.live_bytes = live * any->page_size,
		.gone_nr = t->of[LIFE_GONE].pages - t->of[LIFE_FOUND].pages,
	};
}

_Static_assert(offsetof(struct page_key, dims) + sizeof(struct row_tail) ==
		       sizeof(struct page_key),
	       "the end of a key");

const struct life_kind page_kind = {
	.memory = MEMORY_PAGE,
	.key_size = sizeof(struct page_key),
	.tally_size = sizeof(struct page_tally),
	.add_up = page_add_up,
	.see_rows = page_see_rows,
	.renumbered = page_renumbered,
	.forget = page_forget,
	.stack = page_stack,
	.sums = page_sums,
};

uint64_t page_lives_first(const struct page_lives *l, const struct live_entry *block)
{
	return block->split ? l->splits[block->split].pfn : block->key;
}

void page_lives_free(struct page_lives *l)
{
	lives_free(&l->any);
	free(l->splits);
	page_frames_free(&l->frames);
	u64_map_free(&l->free_only_index);
	free(l->free_only);
	page_doubts_free(&l->doubts);
}
