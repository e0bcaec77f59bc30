// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the accounts of page blocks.
 * In: page events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "analysis/page_account.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"

#define REGION_ORDER 9 /* page frames of a region: a huge page of most machines */
#define REGION_WORDS ((1U << REGION_ORDER) / 64)

/* How many events ahead a block's entry is fetched: memory's delay is a few events long. */
#define FETCH_AHEAD 12

/* The state of 512 page frames, a bit each: live, or freed, or neither. An announced page
 * is a live one that mm_page_free_batched spoke of.
 */
struct page_region {
	uint64_t base; /* pfn >> REGION_ORDER */
	struct {
		uint64_t live, freed, announced;
	} words[REGION_WORDS];
};

/* A request whose block was split; index 0 is unused. */
struct page_split {
	uint64_t pfn;  /* the block's first page frame */
	uint64_t live; /* pages left */
	uint32_t next; /* of the unused ones */
	bool implicit; /* a page of it ended without an event */
};

enum page_end { PAGE_FREED, PAGE_GONE, PAGE_ANNOUNCED };

/* live_entry.bytes_req of a block: the index of its request's split, or 0. */
#define block_split bytes_req
/* ... and what there is to doubt about it: PAGE_EARLY, PAGE_OVER, or 0. */
#define block_doubt bytes_alloc

/* Part of a range of page frames: up to 64 of them. */
struct page_span {
	uint64_t *live, *freed, *announced;
	uint64_t mask;
	unsigned int nr;
};

/* A hostile order or pfn must not make memory grow faster than the file: an ordinary
 * recording meets a region or two per event at the most.
 */
static bool region_allowed(const struct page_account *acc)
{
	return acc->nr_regions < 65536 + 4 * acc->nr_events;
}

/* The region @base, new; NULL if it would be one too many or memory ran out. */
static struct page_region *page_region_new(struct page_account *acc, uint64_t base)
{
	struct page_region *region;

	if (!region_allowed(acc))
		return NULL;
	if (array_reserve(&acc->regions, &acc->regions_capacity, acc->nr_regions + 1,
			  sizeof(*acc->regions)) ||
	    !u64_map_insert(&acc->region_index, base, (uint32_t)acc->nr_regions)) {
		acc->failed = true;
		return NULL;
	}
	region = &acc->regions[acc->nr_regions++];
	*region = (struct page_region){ .base = base };
	return region;
}

/* The region of frame @pfn; NULL if it would be one too many or memory ran out. */
static inline struct page_region *page_region(struct page_account *acc, uint64_t pfn)
{
	uint64_t base = pfn >> REGION_ORDER;
	uint32_t *index = u64_map_find(&acc->region_index, base);

	return likely(index) ? &acc->regions[*index] : page_region_new(acc, base);
}

/* The word that holds *@pfn, with a mask of the frames up to @end; moves *@pfn on. */
static inline bool page_span_next(struct page_account *acc, uint64_t *pfn, uint64_t end,
				  struct page_span *span)
{
	struct page_region *region;
	unsigned int word = (*pfn >> 6) % REGION_WORDS, bit = *pfn & 63;
	uint64_t left = end - *pfn;
	unsigned int count = left < 64 - bit ? (unsigned int)left : 64 - bit;

	if (!left)
		return false;
	region = page_region(acc, *pfn);
	if (!region)
		return false;
	span->live = &region->words[word].live;
	span->freed = &region->words[word].freed;
	span->announced = &region->words[word].announced;
	span->nr = count;
	span->mask = (count == 64 ? ~0ULL : (1ULL << count) - 1) << bit;
	*pfn += count;
	return true;
}

/* How many frames of a span have their bit set: mostly all or none. */
static inline uint64_t span_count(const struct page_span *span, uint64_t bits)
{
	bits &= span->mask;
	if (!bits)
		return 0;
	if (bits == span->mask)
		return span->nr;
	return (uint64_t)__builtin_popcountll(bits);
}

/* How many frames of a range are live, announced, freed. */
struct page_census {
	uint64_t live, announced, freed;
};

static struct page_census page_census(struct page_account *acc, uint64_t pfn, uint64_t nr)
{
	struct page_census c = { 0 };
	struct page_span span;
	uint64_t end = pfn + nr;

	while (page_span_next(acc, &pfn, end, &span)) {
		c.live += span_count(&span, *span.live);
		c.announced += span_count(&span, *span.announced);
		c.freed += span_count(&span, *span.freed);
	}
	return c;
}

static inline void span_mark(const struct page_span *span, bool live)
{
	*span->announced &= ~span->mask;
	if (live) {
		*span->live |= span->mask;
		*span->freed &= ~span->mask;
	} else {
		*span->live &= ~span->mask;
		*span->freed |= span->mask;
	}
}

static void page_mark(struct page_account *acc, uint64_t pfn, uint64_t nr, bool live)
{
	struct page_span span;
	uint64_t end = pfn + nr;

	while (page_span_next(acc, &pfn, end, &span))
		span_mark(&span, live);
}

/* The block that holds live frame @pfn. Blocks are aligned to their size and disjoint. */
static struct live_entry *page_block(struct page_account *acc, uint64_t pfn)
{
	unsigned int order;

	for (order = 0; order <= PAGE_ORDER_LIMIT; order++) {
		uint64_t first = pfn & ~((1ULL << order) - 1);
		struct live_entry *e;

		/* The same first frame as for a smaller order: looked up already. */
		if (order && !(pfn & (1ULL << (order - 1))))
			continue;
		e = live_find(&acc->blocks, first);
		if (e && pfn - first < 1ULL << e->order)
			return e;
	}
	return NULL;
}

static struct page_pfn *page_pfn(struct page_account *acc, uint64_t pfn, uint32_t row)
{
	struct {
		uint64_t pfn, row;
	} key = { pfn, row };
	uint32_t id = intern_id(&acc->pfn_keys, &key, sizeof(key));

	if (!id ||
	    array_reserve(&acc->pfns, &acc->pfns_capacity, id, sizeof(*acc->pfns))) {
		acc->failed = true;
		return NULL;
	}
	if (id > acc->nr_pfns)
		acc->pfns[acc->nr_pfns++] = (struct page_pfn){ .pfn = pfn, .row = row };
	return &acc->pfns[id - 1];
}

/* A split record for the request of @block, of which @live pages are left; 0: no memory. */
static uint32_t page_split_new(struct page_account *acc, uint64_t pfn, uint64_t live)
{
	uint32_t index = acc->free_split;

	if (index) {
		acc->free_split = acc->splits[index].next;
	} else {
		if (!acc->nr_splits)
			acc->nr_splits = 1; /* index 0 means none */
		if (array_reserve(&acc->splits, &acc->splits_capacity, acc->nr_splits + 1,
				  sizeof(*acc->splits))) {
			acc->failed = true;
			return 0;
		}
		index = (uint32_t)acc->nr_splits++;
	}
	acc->splits[index] = (struct page_split){ .pfn = pfn, .live = live };
	return index;
}

static void tell(const struct page_account *acc, uint32_t row, int64_t change)
{
	if (unlikely(acc->watch))
		acc->watch->fn(acc->watch->ctx, row, change);
}

/* The last page of a request is gone. */
static void page_request_end(struct page_account *acc, uint32_t row, bool implicit)
{
	acc->rows[row].live_hit--;
	acc->totals.live_blocks--;
	if (implicit)
		acc->totals.implicit_blocks++;
	else
		acc->totals.alloc_freed++;
}

/* @freed pages of block @e were freed by events and @gone without one. Returns the index
 * of the split to which what is left of the block belongs.
 */
static uint32_t page_block_end(struct page_account *acc, const struct live_entry *e,
			       uint64_t freed, uint64_t gone)
{
	struct page_counts *row = &acc->rows[e->row];
	uint32_t index = e->block_split;
	struct page_split *split;
	uint64_t first = index ? acc->splits[index].pfn : e->key;

	row->live_pages -= freed + gone;
	tell(acc, e->row, -(int64_t)(freed + gone));
	row->implicit_pages += gone;
	acc->totals.live_pages -= freed + gone;
	acc->totals.freed_pages += freed;
	acc->totals.implicit_pages += gone;
	if (acc->by_pfn) {
		struct page_pfn *pfn = page_pfn(acc, first, e->row);

		if (pfn) {
			pfn->live_pages -= freed + gone;
			pfn->implicit_pages += gone;
		}
	}
	if (!index) {
		if (freed + gone == 1ULL << e->order) {
			page_request_end(acc, e->row, gone != 0);
			return 0;
		}
		index = page_split_new(acc, first, 1ULL << e->order);
		if (!index)
			return 0;
	}
	split = &acc->splits[index];
	split->live -= freed + gone;
	split->implicit |= gone != 0;
	if (!split->live) {
		page_request_end(acc, e->row, split->implicit);
		split->next = acc->free_split;
		acc->free_split = index;
		return 0;
	}
	return index;
}

/* Frames [@pfn, @end), the rest of a split block, become aligned blocks of their own. */
static void page_pieces(struct page_account *acc, uint64_t pfn, uint64_t end,
			const struct live_entry *of)
{
	while (pfn < end) {
		unsigned int order = 63 - (unsigned int)__builtin_clzll(end - pfn);
		unsigned int align = pfn ? (unsigned int)__builtin_ctzll(pfn) : order;
		struct live_entry *e = live_insert(&acc->blocks, pfn);

		if (!e) {
			acc->failed = true;
			return;
		}
		if (align < order)
			order = align;
		*e = *of;
		e->key = pfn;
		e->order = (uint8_t)order;
		pfn += 1ULL << order;
	}
}

/* The first live frame in [@pfn, @end); @end if there is none. */
static uint64_t page_next_live(struct page_account *acc, uint64_t pfn, uint64_t end)
{
	struct page_span span;

	while (page_span_next(acc, &pfn, end, &span)) {
		uint64_t live = *span.live & span.mask;

		if (live)
			return ((pfn - 1) & ~63ULL) + (unsigned int)__builtin_ctzll(live);
	}
	return end;
}

/* A block in doubt ends in another way than one that would tell. */
static void page_undoubt(struct page_account *acc, struct live_entry *block)
{
	struct live_entry *d = page_doubt_find(&acc->doubts, block->block_doubt,
					       block->key, block->order);

	if (d)
		page_doubt_drop(&acc->doubts, d);
	block->block_doubt = 0;
}

/* Takes the live frames of [@pfn, @pfn + @nr) out of their blocks. */
static void page_release(struct page_account *acc, uint64_t pfn, uint64_t nr,
			 enum page_end why)
{
	uint64_t end = pfn + nr;

	for (;;) {
		uint64_t last, stop, announced, freed;
		struct live_entry old, *e;

		pfn = page_next_live(acc, pfn, end);
		e = pfn < end && !acc->failed ? page_block(acc, pfn) : NULL;
		if (!e)
			return;
		if (unlikely(e->block_doubt))
			page_undoubt(acc, e);
		old = *e;
		last = old.key + (1ULL << old.order);
		stop = last < end ? last : end;
		announced = why == PAGE_FREED
				    ? 0
				    : page_census(acc, pfn, stop - pfn).announced;
		freed = why == PAGE_FREED ? stop - pfn : announced;
		acc->totals.batched_pages += announced;
		live_remove(&acc->blocks, e);
		old.block_split = page_block_end(acc, &old, freed, stop - pfn - freed);
		page_pieces(acc, old.key, pfn, &old);
		page_pieces(acc, stop, last, &old);
		pfn = stop;
	}
}

static uint32_t page_row_slow(struct page_account *acc, const struct page_key *key)
{
	uint32_t id = intern_id(&acc->keys, key, sizeof(*key));

	if (!id ||
	    array_reserve(&acc->rows, &acc->rows_capacity, id, sizeof(*acc->rows))) {
		acc->failed = true;
		return UINT32_MAX;
	}
	if (id > acc->nr_rows)
		acc->rows[acc->nr_rows++] = (struct page_counts){ 0 };
	return id - 1;
}

/* The row of the allocation @ev; UINT32_MAX if memory ran out. Callers repeat endlessly. */
static inline uint32_t page_row(struct page_account *acc, const struct kmem_event *ev)
{
	struct page_key key = { .gfp_flags = ev->page_alloc.gfp_flags,
				.stack = ev->stack,
				.order = ev->page_alloc.order,
				.migratetype = ev->page_alloc.migratetype };
	struct page_recent *recent;
	uint64_t mix;
	uint32_t row;

	if (unlikely(acc->dimension))
		key.dim = dimension_of(acc->dimension, ev);
	mix = key.gfp_flags ^ (uint64_t)key.stack << 24 ^ (uint64_t)key.order << 56 ^
	      (uint64_t)key.migratetype << 48 ^ (uint64_t)key.dim << 16;
	recent = &acc->recent[(mix * 0x9e3779b97f4a7c15ULL >> 32) % PAGE_NR_RECENT];
	if (likely(recent->id && recent->key.gfp_flags == key.gfp_flags &&
		   recent->key.stack == key.stack && recent->key.order == key.order &&
		   recent->key.migratetype == key.migratetype &&
		   recent->key.dim == key.dim))
		return recent->id - 1;
	row = page_row_slow(acc, &key);
	if (row != UINT32_MAX)
		*recent = (struct page_recent){ key, row + 1 };
	return row;
}

static inline bool page_plausible(struct page_account *acc, uint64_t pfn, uint32_t order)
{
	if (order <= PAGE_ORDER_LIMIT && pfn <= UINT64_MAX >> 12 &&
	    (region_allowed(acc) || page_region(acc, pfn)))
		return true;
	acc->totals.implausible++;
	return false;
}

/* The live block @e met its free before, as doubt @d says: the surplus free was it. */
static void page_reorder(struct page_account *acc, struct live_entry *e,
			 const struct live_entry *d)
{
	struct page_totals *sum = &acc->totals;
	struct live_entry old = *e;
	uint64_t nr = 1ULL << old.order;

	if (d->doubt_what & PAGE_DOUBT_AGAIN) {
		sum->again--;
		sum->again_pages -= nr;
	} else {
		sum->unmatched--;
		sum->unmatched_pages -= nr;
	}
	acc->free_only[d->row].hit--;
	acc->free_only[d->row].pages -= nr;
	sum->matched++;
	sum->reordered++;
	live_remove(&acc->blocks, e);
	page_block_end(acc, &old, nr, 0);
	page_mark(acc, old.key, nr, false);
}

/* A block is allocated whose frames are not all free: what lives there has ended. Returns
 * what there is to doubt about the new block.
 */
static uint32_t page_alloc_over(struct page_account *acc, const struct kmem_event *ev,
				const struct page_census *census)
{
	uint64_t pfn = ev->page_alloc.pfn;
	uint32_t order = ev->page_alloc.order, row;
	struct live_entry *e = live_find(&acc->blocks, pfn), *d = NULL;
	bool whole = e && e->order == order && !e->block_split;

	if (whole && e->block_doubt == PAGE_EARLY)
		d = page_doubt_find(&acc->doubts, PAGE_EARLY, pfn, order);
	if (d) {
		page_reorder(acc, e, d);
		page_doubt_drop(&acc->doubts, d);
		return 0;
	}
	row = whole ? e->row : 0;
	page_release(acc, pfn, 1ULL << order, PAGE_GONE);
	if (!whole || census->announced)
		return 0;
	d = page_doubt_add(&acc->doubts, PAGE_OVER, ev, pfn, order);
	if (!d) {
		acc->failed = true;
		return 0;
	}
	d->row = row;
	return PAGE_OVER;
}

/* page_take_over() where something lives there, or is in doubt. */
static uint32_t page_take_over_slow(struct page_account *acc, const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_alloc.pfn;
	uint32_t order = ev->page_alloc.order, doubt = 0;
	struct page_census census = page_census(acc, pfn, 1ULL << order);
	struct live_entry *d = NULL;

	if (page_doubts_concern(&acc->doubts, ev->ts)) {
		d = page_doubt_find(&acc->doubts, PAGE_SURPLUS, pfn, order);
		if (d && page_doubt_recent(&acc->doubts, d, ev)) {
			page_doubt_turn(&acc->doubts, d, PAGE_EARLY, ev);
			doubt = PAGE_EARLY;
		} else {
			page_doubt_forget(&acc->doubts, pfn, 1ULL << order);
		}
	}
	if (census.live)
		doubt = page_alloc_over(acc, ev, &census);
	page_mark(acc, pfn, 1ULL << order, true);
	return doubt;
}

/* The frames of a new block live; what lived there has ended. In the common case they are
 * in one word, nothing did, and nothing is in doubt. Returns what is.
 */
static inline uint32_t page_take_over(struct page_account *acc,
				      const struct kmem_event *ev, uint64_t nr)
{
	struct page_span span;
	uint64_t at = ev->page_alloc.pfn;

	if (likely(page_span_next(acc, &at, at + nr, &span) && span.nr == nr &&
		   !(*span.live & span.mask) &&
		   !page_doubts_concern(&acc->doubts, ev->ts))) {
		span_mark(&span, true);
		return 0;
	}
	return page_take_over_slow(acc, ev);
}

static inline void page_alloc(struct page_account *acc, const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_alloc.pfn;
	uint32_t order = ev->page_alloc.order, row, doubt;
	struct page_totals *sum = &acc->totals;
	bool failed = pfn == KMEM_NO_PFN;
	struct page_counts *counts;
	struct live_entry *e;
	uint64_t nr;

	if (!page_plausible(acc, failed ? 0 : pfn, order))
		return;
	/* The buddy allocator's blocks are aligned to their size. */
	nr = 1ULL << order;
	if (!failed && pfn & (nr - 1)) {
		sum->implausible++;
		return;
	}
	row = page_row(acc, ev);
	if (row == UINT32_MAX)
		return;
	counts = &acc->rows[row];
	sum->requests++;
	if (failed) {
		sum->failures++;
		sum->failed_pages += nr;
		counts->failed++;
		return;
	}
	doubt = page_take_over(acc, ev, nr);
	e = live_insert(&acc->blocks, pfn);
	if (!e) {
		acc->failed = true;
		return;
	}
	*e = (struct live_entry){ .key = pfn,
				  .row = row,
				  .block_doubt = doubt,
				  .cpu = (uint16_t)ev->cpu,
				  .order = (uint8_t)order,
				  .state = LIVE_ALLOCATED,
				  .epoch = acc->blocks.epoch & LIVE_EPOCH_OLD };
	counts = &acc->rows[row];
	counts->hit++;
	counts->live_hit++;
	counts->live_pages += nr;
	tell(acc, row, (int64_t)nr);
	sum->pages += nr;
	sum->live_pages += nr;
	sum->live_blocks++;
	sum->without_stack += !ev->stack;
	if (acc->by_pfn) {
		struct page_pfn *by_pfn = page_pfn(acc, pfn, row);

		if (by_pfn) {
			by_pfn->hit++;
			by_pfn->live_pages += nr;
		}
	}
}

/* @pages freed by @stack were not seen allocated. Returns whose row that is. */
static uint32_t page_free_only(struct page_account *acc, uint32_t stack, uint64_t pages)
{
	uint32_t *index =
		u64_map_insert(&acc->free_only_index, stack, (uint32_t)acc->nr_free_only);
	struct page_free_only *row;

	if (!index || array_reserve(&acc->free_only, &acc->free_only_capacity,
				    *index + 1UL, sizeof(*acc->free_only))) {
		acc->failed = true;
		return UINT32_MAX;
	}
	row = &acc->free_only[*index];
	if (*index == acc->nr_free_only) {
		acc->nr_free_only++;
		*row = (struct page_free_only){ .stack = stack };
	}
	row->hit++;
	row->pages += pages;
	return *index;
}

/* A free of no live block, by free-only row @row: it may be an allocation's still to come. */
static void page_free_surplus(struct page_account *acc, const struct kmem_event *ev,
			      const struct page_census *census, uint32_t row)
{
	struct live_entry *d;

	/* Counted half as one and half as the other it could not be taken back. */
	if (row == UINT32_MAX ||
	    (census->freed && census->freed != 1ULL << ev->page_free.order))
		return;
	d = page_doubt_add(&acc->doubts, PAGE_SURPLUS, ev, ev->page_free.pfn,
			   ev->page_free.order);
	if (!d) {
		acc->failed = true;
		return;
	}
	d->row = row;
	if (census->freed)
		d->doubt_what |= PAGE_DOUBT_AGAIN;
}

/* The whole block @e is freed, about which there is something to doubt. */
static void page_free_doubtful(struct page_account *acc, const struct kmem_event *ev,
			       struct live_entry *e)
{
	struct live_entry *d =
		page_doubt_find(&acc->doubts, e->block_doubt, e->key, e->order);

	e->block_doubt = 0;
	if (!d)
		return;
	if ((d->doubt_what & PAGE_DOUBT_KIND) == PAGE_EARLY)
		/* One free is still too many, and this may be it. */
		page_doubt_turn(&acc->doubts, d, PAGE_SURPLUS, ev);
	else if (page_doubt_recent(&acc->doubts, d, ev))
		page_doubt_turn(&acc->doubts, d, PAGE_OVER_FREED, ev);
	else
		page_doubt_drop(&acc->doubts, d);
}

/* Is this the free of a block that was taken for gone when it was allocated again? */
static bool page_settle_over(struct page_account *acc, const struct kmem_event *ev)
{
	struct live_entry *d = page_doubt_find(&acc->doubts, PAGE_OVER_FREED,
					       ev->page_free.pfn, ev->page_free.order);
	struct page_totals *sum = &acc->totals;
	uint64_t nr = 1ULL << ev->page_free.order;
	struct page_pfn *pfn;

	if (!d)
		return false;
	acc->rows[d->row].implicit_pages -= nr;
	pfn = acc->by_pfn ? page_pfn(acc, d->key, d->row) : NULL;
	if (pfn)
		pfn->implicit_pages -= nr;
	sum->implicit_pages -= nr;
	sum->implicit_blocks--;
	sum->freed_pages += nr;
	sum->alloc_freed++;
	sum->matched++;
	sum->reordered++;
	page_doubt_drop(&acc->doubts, d);
	return true;
}

/* The common case, at a third of the cost: the block is free as a whole, and its frames'
 * states are in one word. False: it is not that.
 */
static inline bool page_free_matched(struct page_account *acc, uint64_t pfn,
				     uint32_t order)
{
	struct live_entry *e = live_find(&acc->blocks, pfn), old;
	struct page_span span;

	if (!e || e->order != order || (e->block_split | e->block_doubt) || order > 6 ||
	    !page_span_next(acc, &pfn, pfn + (1ULL << order), &span) ||
	    span.nr != 1U << order)
		return false;
	acc->totals.matched++;
	span_mark(&span, false);
	old = *e;
	live_remove(&acc->blocks, e);
	page_block_end(acc, &old, span.nr, 0);
	return true;
}

static inline void page_free(struct page_account *acc, const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_free.pfn, nr;
	uint32_t order = ev->page_free.order;
	struct page_totals *sum = &acc->totals;
	struct page_census census;
	uint32_t row = UINT32_MAX;
	struct live_entry *e;

	if (!page_plausible(acc, pfn, order))
		return;
	nr = 1ULL << order;
	sum->frees++;
	if (likely(page_free_matched(acc, pfn, order)))
		return;
	census = page_census(acc, pfn, nr);
	if (unlikely(page_doubts_concern(&acc->doubts, ev->ts))) {
		if (!census.live && page_settle_over(acc, ev))
			return;
		page_doubt_forget(&acc->doubts, pfn, nr);
	}
	sum->again_pages += census.freed;
	sum->unmatched_pages += nr - census.live - census.freed;
	if (census.live < nr)
		row = page_free_only(acc, ev->stack, nr - census.live);
	if (!census.live) {
		if (census.freed)
			sum->again++;
		else
			sum->unmatched++;
		page_free_surplus(acc, ev, &census, row);
	} else {
		e = page_block(acc, pfn);
		if (e && e->key == pfn && e->order == order) {
			sum->matched++;
			if (e->block_doubt)
				page_free_doubtful(acc, ev, e);
		} else if (e && pfn + nr <= e->key + (1ULL << e->order))
			sum->split++;
		else
			sum->merged++;
		page_release(acc, pfn, nr, PAGE_FREED);
	}
	page_mark(acc, pfn, nr, false);
}

static void page_free_batched(struct page_account *acc, const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_free.pfn;
	struct page_span span;

	acc->totals.batched++;
	if (page_plausible(acc, pfn, 0) && page_span_next(acc, &pfn, pfn + 1, &span))
		*span.announced |= *span.live & span.mask;
}

/* page_account_event() where it is wanted inline. */
static inline void page_take(struct page_account *acc, const struct kmem_event *ev)
{
	acc->nr_events++;
	switch (ev->type) {
	case KMEM_PAGE_ALLOC:
		page_alloc(acc, ev);
		break;
	case KMEM_PAGE_FREE:
		page_free(acc, ev);
		break;
	case KMEM_PAGE_FREE_BATCHED:
		page_free_batched(acc, ev);
		break;
	case KMEM_LOSS:
		acc->totals.losses++;
		/* With no event after it on its CPU, the gap lasts to the end. */
		acc->open_gap |= ev->ts <= ev->loss.since_ts;
		live_gap(&acc->blocks);
		break;
	default:
		break;
	}
}

/* The blocks whose next event never came. */
static void page_settle_early(struct page_account *acc)
{
	struct live_entry *d = NULL, *e;

	while ((d = live_next(&acc->doubts.table, d))) {
		e = page_doubt_find(&acc->doubts, PAGE_EARLY, d->key, d->order) == d
			    ? live_find(&acc->blocks, d->key)
			    : NULL;
		if (e && e->block_doubt == PAGE_EARLY)
			page_reorder(acc, e, d);
	}
}

/* What lives and was allocated after the last gap. */
static void page_sure(struct page_account *acc)
{
	struct live_entry *e = NULL;

	while (!acc->open_gap && (e = live_next(&acc->blocks, e))) {
		uint64_t first =
			e->block_split ? acc->splits[e->block_split].pfn : e->key;
		struct page_pfn *pfn;

		if (!live_is_recent(&acc->blocks, e))
			continue;
		acc->rows[e->row].sure_pages += 1ULL << e->order;
		pfn = acc->by_pfn ? page_pfn(acc, first, e->row) : NULL;
		if (pfn)
			pfn->sure_pages += 1ULL << e->order;
	}
}

void page_account_event(struct page_account *acc, const struct kmem_event *ev)
{
	if (likely(!acc->failed))
		page_take(acc, ev);
}

/* The memory that @ev will need: alloc and free have their frame in the same place. */
static __always_inline void page_fetch(const struct page_account *acc,
				       const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_free.pfn;
	const uint32_t *region;

	_Static_assert(offsetof(struct kmem_event, page_alloc.pfn) ==
			       offsetof(struct kmem_event, page_free.pfn),
		       "one prefetch for both");
	if (ev->type < KMEM_PAGE_ALLOC || ev->type > KMEM_PAGE_FREE_BATCHED)
		return;
	live_prefetch(&acc->blocks, pfn);
	region = u64_map_find(&acc->region_index, pfn >> REGION_ORDER);
	if (region)
		__builtin_prefetch(
			&acc->regions[*region].words[(pfn >> 6) % REGION_WORDS], 1);
}

void page_account_events(struct page_account *acc, const struct kmem_event *ev, size_t nr)
{
	size_t i, ahead = nr < FETCH_AHEAD ? nr : FETCH_AHEAD;

	for (i = 0; i < ahead; i++)
		page_fetch(acc, &ev[i]);
	for (i = 0; i < nr && likely(!acc->failed); i++) {
		if (likely(i + FETCH_AHEAD < nr))
			page_fetch(acc, &ev[i + FETCH_AHEAD]);
		/* Most events are the slab allocator's. */
		if (ev[i].type >= KMEM_PAGE_ALLOC || ev[i].type == KMEM_LOSS)
			page_take(acc, &ev[i]);
	}
}

void page_account_finish(struct page_account *acc)
{
	size_t i;
	unsigned int word;

	for (i = 0; i < acc->nr_regions; i++) {
		for (word = 0; word < REGION_WORDS; word++) {
			uint64_t left = acc->regions[i].words[word].announced;

			for (; left; left &= left - 1) {
				uint64_t pfn = (acc->regions[i].base << REGION_ORDER) +
					       word * 64 +
					       (unsigned int)__builtin_ctzll(left);

				page_release(acc, pfn, 1, PAGE_ANNOUNCED);
				page_mark(acc, pfn, 1, false);
			}
		}
	}
	page_settle_early(acc);
	page_sure(acc);
}

const struct page_key *page_account_key(const struct page_account *acc, size_t row)
{
	return intern_get(&acc->keys, (uint32_t)row + 1, NULL);
}

void page_account_free(struct page_account *acc)
{
	intern_free(&acc->keys);
	free(acc->rows);
	live_free(&acc->blocks);
	free(acc->splits);
	u64_map_free(&acc->region_index);
	free(acc->regions);
	u64_map_free(&acc->free_only_index);
	free(acc->free_only);
	intern_free(&acc->pfn_keys);
	free(acc->pfns);
	page_doubts_free(&acc->doubts);
	*acc = (struct page_account){ 0 };
}
