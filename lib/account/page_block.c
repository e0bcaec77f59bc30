// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the live blocks of page_lives.h, how they end, and those whose events may be
 * in the wrong order.
 * In: frames that an event frees or takes; the account's doubts about a block. Out: the blocks
 * without them, and the lives that ended; the doubt, when the block's next event comes.
 *
 * Doubts follow the rule for slab objects (Documentation/clocks.md); two events are of the same
 * block if they have the same first page frame and order. page_lives.c decides, this file keeps
 * the doubts: only doubtful blocks cost anything.
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

/* Index of a new split for the request at @pfn, which has @live pages left; 0: no memory. */
static uint32_t page_split_new(struct page_lives *l, uint64_t pfn, uint64_t live)
{
	uint32_t index = l->free_split;

	if (index) {
		l->free_split = l->splits[index].next;
	} else {
		if (!l->nr_splits)
			l->nr_splits = 1; /* index 0 means none */
		if (array_reserve(&l->splits, &l->splits_capacity, l->nr_splits + 1)) {
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

/* Ends pages of block @e, which has left the table, as @end says. Returns the index of the split
 * that the remaining pages belong to; 0: none.
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

/* Makes frames [@pfn, @end), the rest of a split block, aligned blocks of their own. */
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
		order = SMALLER(align, order);
		*e = *of;
		e->key = pfn;
		e->order = (uint8_t)order;
		live_set_begin(&l->any.live, e, begin);
		pfn += 1ULL << order;
	}
}

/* Drops the doubt about @block, which ended without the event that would have settled it. */
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
		stop = SMALLER(last, end);
		if (why != PAGE_END_FREED)
			announced =
				page_frames_census(&l->frames, pfn, stop - pfn).announced;
		how.freed = why == PAGE_END_FREED ? stop - pfn : announced;
		how.gone = stop - pfn - how.freed;
		how.begin = live_begin(&l->any.live, e);
		if (announced && !(e->row & LIVE_HIDDEN))
			l->counted.batched_pages += announced;
		live_remove(&l->any.live, e);
		old.split = block_end(l, &old, &how);
		page_pieces(l, old.key, pfn, &old, how.begin);
		page_pieces(l, stop, last, &old, how.begin);
		pfn = stop;
	}
}

/* --- doubts ------------------------------------------------------------------------------ */

/* Up to this many frames are looked up one by one. Few machines have larger blocks. */
#define FRAMES_FEW 1024U

/* Drops doubts older than the skew from the full table, and grows it if it is still more than half
 * full. False: no memory.
 */
static bool doubts_sweep(struct page_doubts *d, uint64_t now)
{
	struct live_table *t = &d->table;

	for (size_t i = 0; i < t->capacity; i++) {
		struct live_entry *doubt = &t->entries[i];

		/* A removal moves another entry into the place, perhaps a settled one. */
		while (doubt->state != LIVE_EMPTY &&
		       (doubt->kind == PAGE_SURPLUS || doubt->kind == PAGE_OVER) &&
		       now - doubt->ts > d->skew)
			page_doubt_drop(d, doubt);
	}
	return t->count * 2 <= t->capacity || live_grow(t);
}

struct live_entry *page_doubt_find(const struct page_doubts *d, enum page_doubt_kind kind,
				   uint64_t pfn, uint32_t order)
{
	struct live_entry *doubt = live_find(&d->table, pfn);

	return doubt && doubt->kind == kind && doubt->order == order ? doubt : NULL;
}

void page_doubt_turn(struct page_doubts *d, struct live_entry *doubt,
		     enum page_doubt_kind kind, const struct kmem_event *ev)
{
	d->nr_over_freed -= doubt->kind == PAGE_OVER_FREED;
	d->nr_over_freed += kind == PAGE_OVER_FREED;
	if (kind == PAGE_SURPLUS)
		d->until = ev->ts + d->skew;
	doubt->kind = kind & 7;
	doubt->cpu = (uint16_t)ev->cpu;
	doubt->ts = ev->ts;
}

struct live_entry *page_doubt_add(struct page_doubts *d, enum page_doubt_kind kind,
				  const struct kmem_event *ev, uint64_t pfn,
				  uint32_t order)
{
	struct live_entry *doubt;

	if (live_full(&d->table) && d->table.capacity && !doubts_sweep(d, ev->ts))
		return NULL;
	doubt = live_insert(&d->table, pfn);
	if (!doubt)
		return NULL;
	if (doubt->state == LIVE_EMPTY)
		doubt->state = LIVE_ALLOCATED;
	doubt->order = (uint8_t)order;
	page_doubt_turn(d, doubt, kind, ev);
	doubt->again = false;
	if (unlikely(d->mapped))
		page_frames_mark(&d->starts, pfn, 1, true);
	return d->starts.failed ? NULL : doubt;
}

bool page_doubt_recent(const struct page_doubts *d, const struct live_entry *doubt,
		       const struct kmem_event *ev)
{
	return doubt->cpu != (uint16_t)ev->cpu && ev->ts - doubt->ts <= d->skew;
}

void page_doubt_drop(struct page_doubts *d, struct live_entry *doubt)
{
	d->nr_over_freed -= doubt->kind == PAGE_OVER_FREED;
	if (unlikely(d->mapped))
		page_frames_mark(&d->starts, doubt->key, 1, false);
	live_remove(&d->table, doubt);
}

/* Drops the doubt about frame @pfn if its block is not live and ends after frame @from. */
static void doubt_forget(struct page_doubts *d, uint64_t pfn, uint64_t from)
{
	struct live_entry *doubt = live_find(&d->table, pfn);

	if (!doubt || doubt->kind == PAGE_EARLY || doubt->kind == PAGE_OVER)
		return;
	if (pfn + (1ULL << doubt->order) > from)
		page_doubt_drop(d, doubt);
}

static void map_starts(struct page_doubts *d)
{
	struct live_entry *doubt = NULL;

	while ((doubt = live_next(&d->table, doubt)))
		page_frames_mark(&d->starts, doubt->key, 1, true);
	d->mapped = true;
}

void page_doubt_forget(struct page_doubts *d, uint64_t pfn, uint64_t nr)
{
	uint64_t p, end = pfn + nr;

	/* Blocks are aligned to their size: look at those that begin before @pfn. */
	for (unsigned int order = 1; order <= PAGE_ORDER_LIMIT; order++) {
		if (pfn & (1ULL << (order - 1)))
			doubt_forget(d, pfn & ~((1ULL << order) - 1), pfn);
	}
	if (likely(nr <= FRAMES_FEW)) {
		for (p = pfn; p < end && d->table.count; p++)
			doubt_forget(d, p, pfn);
		return;
	}
	if (!d->mapped)
		map_starts(d);
	for (p = pfn; (p = page_frames_next_live(&d->starts, p, end)) < end; p++)
		doubt_forget(d, p, pfn);
}

void page_doubts_free(struct page_doubts *d)
{
	live_free(&d->table);
	page_frames_free(&d->starts);
}
