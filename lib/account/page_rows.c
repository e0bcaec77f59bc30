// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of page allocations.
 * In: batches of lives. Out: sums, totals; after a sweep fewer rows.
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

	/* In other doubts, .row is an index in .free_only. */
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
	u64_map_free(&l->free_only.index);
	l->free_only.nr = 0;
}

static uint64_t page_first(const struct lives *any, const struct live_entry *block)
{
	const struct page_lives *l = (const struct page_lives *)any;

	return block->split ? l->splits[block->split].pfn : block->key;
}

static uint32_t *page_stack(const struct lives *any, void *key)
{
	return any ? &((struct page_key *)key)->stack : NULL;
}

static struct lives_sums page_sums(const struct lives *any, const void *tally)
{
	const struct page_tally *t = tally;
	uint64_t pages = t->of[LIFE_BORN].pages, size = any->page_size;
	uint64_t live = pages - t->of[LIFE_FREED].pages - t->of[LIFE_GONE].pages;
	/* LIFE_FOUND is also counted in LIFE_GONE. */
	uint64_t implicit = t->of[LIFE_GONE].pages - t->of[LIFE_FOUND].pages;

	return (struct lives_sums){
		.hit = t->of[LIFE_BORN].nr,
		.nr = pages,
		.bytes_req = pages * size,
		.bytes_alloc = pages * size,
		.live_hit = t->of[LIFE_BORN].nr - t->last,
		.live = live,
		.live_req = live * size,
		.live_alloc = live * size,
		.implicit = implicit,
		.implicit_alloc = implicit * size,
		.failed = t->of[LIFE_REFUSED].nr,
	};
}

_Static_assert(sizeof(struct page_key) <= LIVES_KEY_MAX &&
		       offsetof(struct page_key, dims) + sizeof(struct row_tail) ==
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
	.first = page_first,
	.stack = page_stack,
	.sums = page_sums,
};

void page_totals_add(struct page_totals *sum, const struct lives *l, size_t row,
		     uint64_t times)
{
	const struct lives_sums *c = &l->rows[row];

	sum->requests += c->hit * times + c->failed;
	sum->pages += c->nr * times;
	sum->freed_pages += (c->nr - c->live - c->implicit) * times;
	sum->implicit_pages += c->implicit * times;
	sum->live_pages += c->live * times;
	sum->live_blocks += c->live_hit * times;
	sum->without_stack += lives_stack(l, row) ? 0 : c->hit * times;
}

/* Adds the totals of row @row that a sample cannot estimate. */
static void totals_add(struct page_totals *sum, const struct page_lives *l, size_t row)
{
	const struct page_tally *tally = page_lives_tally(l, row);

	sum->failures += tally->of[LIFE_REFUSED].nr;
	sum->failed_pages += tally->of[LIFE_REFUSED].pages;
	sum->implicit_blocks += tally->implicit - tally->of[LIFE_FOUND].nr;
	sum->alloc_freed += tally->last - tally->implicit + tally->of[LIFE_FOUND].nr;
}

/* Counts frees of no live block as those of unrecorded allocations. */
static void totals_settle_other(struct page_totals *sum)
{
	sum->other += sum->unmatched + sum->again;
	sum->other_pages += sum->unmatched_pages + sum->again_pages;
	sum->unmatched = sum->again = 0;
	sum->unmatched_pages = sum->again_pages = 0;
}

void page_lives_sum(struct page_lives *l)
{
	struct lives *any = &l->any;

	lives_sum(any);
	if (any->failed)
		return;
	l->totals = l->counted;
	l->totals.losses = any->losses;
	for (size_t i = 0; i < any->nr_tallies; i++) {
		page_totals_add(&l->totals, any, i, 1);
		totals_add(&l->totals, l, i);
	}
	if (any->scope.part || any->filtered)
		totals_settle_other(&l->totals);
}

void page_lives_free(struct page_lives *l)
{
	lives_free(&l->any);
	free(l->splits);
	page_frames_free(&l->frames);
	INDEXED_FREE(&l->free_only);
	page_doubts_free(&l->doubts);
}
