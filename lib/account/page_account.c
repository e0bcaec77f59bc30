// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the accounts of page blocks: what an event means.
 * In: page events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "account/page_account.h"

#include <stddef.h>
#include <stdlib.h>

#include "account/page_block.h"
#include "base/array.h"

/* How many events ahead a block's entry is fetched: memory's delay is a few events long. */
#define FETCH_AHEAD 12

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
	    page_frames_room(&acc->frames, pfn, 1ULL << order, acc->nr_events))
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
	page_frames_mark(&acc->frames, old.key, nr, false);
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
	struct page_census census = page_frames_census(&acc->frames, pfn, 1ULL << order);
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
	page_frames_mark(&acc->frames, pfn, 1ULL << order, true);
	return doubt;
}

/* The frames of a new block live; what lived there has ended. In the common case they are
 * in one word, nothing did, and nothing is in doubt. Returns what is.
 */
static inline uint32_t page_take_over(struct page_account *acc,
				      const struct kmem_event *ev, uint64_t nr)
{
	struct page_bits bits;

	if (likely(page_bits(&acc->frames, ev->page_alloc.pfn, nr, &bits) &&
		   bits.nr == nr && !(bits.word->live & bits.mask) &&
		   !page_doubts_concern(&acc->doubts, ev->ts))) {
		page_bits_mark(&bits, true);
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
	page_tell(acc, row, (int64_t)nr);
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
	struct page_bits bits;

	if (!e || e->order != order || (e->block_split | e->block_doubt) || order > 6 ||
	    !page_bits(&acc->frames, pfn, 1ULL << order, &bits) || bits.nr != 1U << order)
		return false;
	acc->totals.matched++;
	page_bits_mark(&bits, false);
	old = *e;
	live_remove(&acc->blocks, e);
	page_block_freed(acc, &old, bits.nr);
	return true;
}

/* Is a free of no live page one of nothing that was recorded? Where an allocation that the
 * clocks put behind it may still come, that is known in the end.
 */
static bool page_free_other(const struct page_account *acc, const struct kmem_event *ev)
{
	return (acc->scope.part && !acc->doubts.skew) || scope_by_self(&acc->scope, ev);
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
	census = page_frames_census(&acc->frames, pfn, nr);
	if (unlikely(page_doubts_concern(&acc->doubts, ev->ts))) {
		if (!census.live && page_settle_over(acc, ev))
			return;
		page_doubt_forget(&acc->doubts, pfn, nr);
	}
	if (!census.live && page_free_other(acc, ev)) {
		sum->other++;
		sum->other_pages += nr;
		return;
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
		e = page_block_find(acc, pfn);
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
	page_frames_mark(&acc->frames, pfn, nr, false);
}

static void page_free_batched(struct page_account *acc, const struct kmem_event *ev)
{
	acc->totals.batched++;
	if (page_plausible(acc, ev->page_free.pfn, 0))
		page_frames_announce(&acc->frames, ev->page_free.pfn);
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
	acc->failed |= acc->frames.failed;
}

/* The memory that @ev will need: alloc and free have their frame in the same place. */
static __always_inline void page_fetch(const struct page_account *acc,
				       const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_free.pfn;

	_Static_assert(offsetof(struct kmem_event, page_alloc.pfn) ==
			       offsetof(struct kmem_event, page_free.pfn),
		       "one prefetch for both");
	if (ev->type < KMEM_PAGE_ALLOC || ev->type > KMEM_PAGE_FREE_BATCHED)
		return;
	live_prefetch(&acc->blocks, pfn);
	page_frames_prefetch(&acc->frames, pfn);
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
	acc->failed |= acc->frames.failed;
}

/* What was announced and never freed: the announcement is taken as the free. */
static void page_settle_announced(struct page_account *acc)
{
	struct page_frames *f = &acc->frames;
	size_t i;
	unsigned int word;

	for (i = 0; i < f->nr_regions; i++) {
		for (word = 0; word < REGION_WORDS && !f->regions[i].stale; word++) {
			uint64_t left = f->regions[i].words[word].announced;

			for (; left; left &= left - 1) {
				uint64_t pfn =
					((uint64_t)f->regions[i].base << REGION_ORDER) +
					word * 64 + (unsigned int)__builtin_ctzll(left);

				page_release(acc, pfn, 1, PAGE_ANNOUNCED);
				page_frames_mark(f, pfn, 1, false);
			}
		}
	}
}

/* Which frees were of what was left out, now that no allocation can follow them. */
static void page_settle_other(struct page_account *acc)
{
	struct page_totals *sum = &acc->totals;

	if (!acc->scope.part)
		return;
	sum->other += sum->unmatched + sum->again;
	sum->other_pages += sum->unmatched_pages + sum->again_pages;
	sum->unmatched = sum->again = 0;
	sum->unmatched_pages = sum->again_pages = 0;
}

void page_account_finish(struct page_account *acc)
{
	page_settle_announced(acc);
	page_settle_early(acc);
	page_sure(acc);
	page_settle_other(acc);
	acc->failed |= acc->frames.failed;
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
	page_frames_free(&acc->frames);
	u64_map_free(&acc->free_only_index);
	free(acc->free_only);
	intern_free(&acc->pfn_keys);
	free(acc->pfns);
	page_doubts_free(&acc->doubts);
	*acc = (struct page_account){ 0 };
}
