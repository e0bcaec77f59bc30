// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the live blocks of page_lives.h, and how they end.
 * In: frames that an event frees or takes. Out: the blocks without them, and the lives that
 * ended.
 */
#include "account/page_lives.h"

#include "base/array.h"

/* Blocks are aligned to their size and disjoint. */
struct live_entry *page_block_find(struct page_lives *l, uint64_t pfn)
{
	for (unsigned int order = 0; order <= PAGE_ORDER_LIMIT; order++) {
		uint64_t first = pfn & ~((1ULL << order) - 1);
		struct live_entry *e;

		/* A smaller order has the same first frame, which was looked up already. */
		if (order && !(pfn & (1ULL << (order - 1))))
			continue;
		e = live_find(&l->any.live, first);
		if (e && pfn - first < 1ULL << e->order)
			return e;
	}
	return NULL;
}

bool page_block_hidden(struct page_lives *l, uint64_t pfn, uint64_t nr)
{
	uint64_t end = pfn + nr;
	bool hidden = true;

	while (hidden && (pfn = page_frames_next_live(&l->frames, pfn, end)) < end) {
		const struct live_entry *e = page_block_find(l, pfn);

		if (!e)
			break;
		hidden = e->row & LIVE_HIDDEN;
		pfn = e->key + (1ULL << e->order);
	}
	return hidden;
}

/* A split record for the request of @block, of which @live pages are left; 0: no memory. */
static uint32_t page_split_new(struct page_lives *l, uint64_t pfn, uint64_t live)
{
	uint32_t index = l->free_split;

	if (index) {
		l->free_split = l->splits[index].next;
	} else {
		if (!l->nr_splits)
			l->nr_splits = 1; /* index 0 means none */
		if (array_reserve(&l->splits, &l->splits_capacity, l->nr_splits + 1,
				  sizeof(*l->splits))) {
			l->any.failed = true;
			return 0;
		}
		index = (uint32_t)l->nr_splits++;
	}
	l->splits[index] = (struct page_split){ .pfn = pfn, .live = live };
	return index;
}

/* What an event does to a block. */
struct block_end {
	const struct kmem_event *ev;
	uint64_t begin; /* of the block, if times are kept */
	uint64_t freed; /* pages freed by events */
	uint64_t gone;	/* pages that ended without one */
	bool reordered;
};

static void block_life(struct page_lives *l, const struct live_entry *e, uint64_t pfn,
		       const struct block_end *end, enum life_what what)
{
	struct life *life =
		page_life(l, end->ev, what, what == LIFE_GONE ? end->gone : end->freed);

	life->at = pfn;
	life->begin = end->begin;
	life->row = e->row;
	if (end->reordered)
		life->flags = LIFE_REORDERED | LIFE_OTHER_CPU;
	/* An announced page ends with the next event, whatever that is. */
	else if (end->ev && end->ev->type == KMEM_PAGE_FREE &&
		 e->cpu != (uint16_t)end->ev->cpu)
		life->flags = LIFE_OTHER_CPU;
}

/* Pages of block @e, which has left the table, end as @end says. Returns the index of the split
 * that the remaining pages belong to.
 */
static uint32_t block_end(struct page_lives *l, const struct live_entry *e,
			  const struct block_end *end)
{
	uint64_t nr = end->freed + end->gone, left = 1ULL << e->order, first = e->key;
	uint32_t index = e->split;
	bool implicit = end->gone != 0;

	if (index) {
		struct page_split *split = &l->splits[index];

		first = split->pfn;
		left = split->live;
		implicit = split->implicit |= implicit;
	}
	if (end->freed)
		block_life(l, e, first, end, LIFE_FREED);
	if (end->gone)
		block_life(l, e, first, end, LIFE_GONE);
	if (left == nr)
		l->any.next[-1].flags |= implicit ? LIFE_LAST | LIFE_IMPLICIT : LIFE_LAST;
	if (unlikely(l->any.next >= l->any.batch + LIVES_EVENTS))
		lives_flush(&l->any);
	if (!index && left == nr)
		return 0;
	if (!index) {
		index = page_split_new(l, first, left);
		if (!index)
			return 0;
		l->splits[index].implicit = implicit;
	}
	l->splits[index].live = left - nr;
	if (left != nr)
		return index;
	l->splits[index].next = l->free_split;
	l->free_split = index;
	return 0;
}

void page_block_reordered(struct page_lives *l, struct live_entry *e,
			  const struct kmem_event *ev)
{
	const struct live_entry old = *e;
	const struct block_end end = { .ev = ev,
				       .begin = live_begin(&l->any.live, e),
				       .freed = 1ULL << old.order,
				       .reordered = true };

	live_remove(&l->any.live, e);
	block_end(l, &old, &end);
}

/* Frames [@pfn, @end), the rest of a split block, become aligned blocks of their own. */
static void page_pieces(struct page_lives *l, uint64_t pfn, uint64_t end,
			const struct live_entry *of, uint64_t begin)
{
	while (pfn < end) {
		unsigned int order = 63 - (unsigned int)__builtin_clzll(end - pfn);
		unsigned int align = pfn ? (unsigned int)__builtin_ctzll(pfn) : order;
		struct live_entry *e = live_insert(&l->any.live, pfn);

		if (!e) {
			l->any.failed = true;
			return;
		}
		if (align < order)
			order = align;
		*e = *of;
		e->key = pfn;
		e->order = (uint8_t)order;
		live_set_begin(&l->any.live, e, begin);
		pfn += 1ULL << order;
	}
}

/* A block in doubt ended without the event that would settle its doubt. */
static void page_undoubt(struct page_lives *l, struct live_entry *block)
{
	struct live_entry *d =
		page_doubt_find(&l->doubts, block->doubt, block->key, block->order);

	if (d)
		page_doubt_drop(&l->doubts, d);
	block->doubt = 0;
}

void page_release(struct page_lives *l, const struct kmem_event *ev, uint64_t pfn,
		  uint64_t nr, enum page_end why)
{
	struct block_end how = { .ev = ev };
	uint64_t end = pfn + nr;

	for (;;) {
		uint64_t last, stop, announced = 0;
		struct live_entry old, *e;

		pfn = page_frames_next_live(&l->frames, pfn, end);
		e = pfn < end && !l->any.failed ? page_block_find(l, pfn) : NULL;
		if (!e)
			return;
		if (unlikely(e->doubt))
			page_undoubt(l, e);
		old = *e;
		last = old.key + (1ULL << old.order);
		stop = last < end ? last : end;
		if (why != PAGE_END_FREED)
			announced =
				page_frames_census(&l->frames, pfn, stop - pfn).announced;
		how.freed = why == PAGE_END_FREED ? stop - pfn : announced;
		how.gone = stop - pfn - how.freed;
		how.begin = live_begin(&l->any.live, e);
		if (announced && !(e->row & LIVE_HIDDEN))
			l->totals.batched_pages += announced;
		live_remove(&l->any.live, e);
		old.split = block_end(l, &old, &how);
		page_pieces(l, old.key, pfn, &old, how.begin);
		page_pieces(l, stop, last, &old, how.begin);
		pfn = stop;
	}
}
