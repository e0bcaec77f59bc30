// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: page blocks whose events may be in the wrong order.
 * In: the page account's doubts about a block. Out: the same, when the block's next event comes.
 *
 * The rule is that of slab objects (Documentation/clocks.md); a block is the same one if it
 * has the same first page frame and order. The account decides and this remembers, so only doubtful
 * blocks cost anything.
 */
#include "account/page_lives.h"

/* Up to this many frames are looked up one by one. No allocator has larger blocks. */
#define FRAMES_FEW 1024U

/* Drops what time has settled from the full table. If that is less than half, lets it grow. */
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

/* Drops the doubt about frame @pfn if its block is not live and reaches up to @from. */
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
