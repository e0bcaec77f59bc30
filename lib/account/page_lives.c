// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/page_lives.h"

/* What an event needs: live_hash() of its frame, and the frame's word or NULL. */
struct page_place {
	uint32_t hash;
	struct page_word *word;
};

static struct page_key page_key_of(const struct kmem_event *ev,
				   const struct dimension_values *dims)
{
	return (struct page_key){ .gfp_flags = ev->page_alloc.gfp_flags,
				  .stack = ev->stack,
				  .order = ev->page_alloc.order,
				  .migratetype = ev->page_alloc.migratetype,
				  .dims = *dims };
}

/* The row of the allocation @ev; UINT32_MAX if memory ran out. Keys repeat all the time. */
static __always_inline uint32_t page_row(struct page_lives *l,
					 const struct kmem_event *ev, bool plain)
{
	struct dimension_values dims = { 0 };
	uint64_t gfp = ev->page_alloc.gfp_flags;
	uint64_t low = ev->stack | (uint64_t)ev->page_alloc.order << 32;
	uint32_t migratetype = (uint32_t)ev->page_alloc.migratetype;
	uint64_t mix = gfp ^ low << 24 ^ (uint64_t)migratetype << 48;
	struct page_recent *recent;
	struct page_key key;

	if (!plain) {
		dims = dimension_values_of(&l->any.dimensions, ev);
		mix ^= dimension_values_mix(&dims);
	}
	if (!plain && l->any.filtered && ev->hidden) {
		key = page_key_of(ev, &dims);
		return lives_hidden_row(&l->any, &key);
	}
	recent = &l->recent[(mix * HASH_GOLDEN >> 32) % PAGE_NR_RECENT];
	if (likely(recent->gfp_flags == gfp && recent->low == low &&
		   recent->migratetype == migratetype && recent->id &&
		   (plain || dimension_values_equal(&recent->dims, &dims))))
		return recent->id - 1;
	key = page_key_of(ev, &dims);
	*recent = (struct page_recent){ gfp, low, migratetype,
					lives_number(&l->any, &key), dims };
	return recent->id - 1;
}

static __always_inline bool page_plausible(struct page_lives *l, uint64_t pfn,
					   uint32_t order)
{
	if (order <= PAGE_ORDER_LIMIT && pfn <= UINT64_MAX >> 12 &&
	    page_frames_room(&l->frames, pfn, 1ULL << order, l->nr_events))
		return true;
	l->counted.implausible++;
	return false;
}

/* The free of live block @e came before its allocation, as doubt @d says: it was the surplus free.
 */
static void page_reorder(struct page_lives *l, struct live_entry *e,
			 const struct live_entry *d, const struct kmem_event *ev)
{
	struct page_totals *sum = &l->counted;
	uint64_t nr = 1ULL << e->order;

	if (d->again) {
		sum->again--;
		sum->again_pages -= nr;
	} else {
		sum->unmatched--;
		sum->unmatched_pages -= nr;
	}
	l->free_only.of[d->row].hit--;
	l->free_only.of[d->row].pages -= nr;
	if (e->row & LIVE_HIDDEN) {
		sum->frees--;
	} else {
		sum->matched++;
		sum->reordered++;
	}
	page_block_reordered(l, e, ev);
}

/* Ends the live blocks that the new block of @ev overlaps. Returns the doubt about the new block,
 * or 0.
 */
static uint32_t page_alloc_over(struct page_lives *l, const struct kmem_event *ev,
				const struct page_census *census)
{
	uint64_t pfn = ev->page_alloc.pfn;
	uint64_t begin;
	uint32_t order = ev->page_alloc.order, row;
	struct live_entry *e = live_find(&l->any.live, pfn), *d = NULL;
	bool whole = e && e->order == order && !e->split;

	if (whole && e->doubt == PAGE_EARLY)
		d = page_doubt_find(&l->doubts, PAGE_EARLY, pfn, order);
	if (d) {
		page_reorder(l, e, d, ev);
		page_doubt_drop(&l->doubts, d);
		return 0;
	}
	row = whole ? e->row : 0;
	begin = whole ? live_begin(&l->any.live, e) : 0;
	page_release(l, ev, pfn, 1ULL << order, PAGE_END_UNSEEN);
	if (!whole || census->announced)
		return 0;
	d = page_doubt_add(&l->doubts, PAGE_OVER, ev, pfn, order);
	if (!d) {
		l->any.failed = true;
		return 0;
	}
	d->row = row;
	live_set_begin(&l->doubts.table, d, begin);
	return PAGE_OVER;
}

/* page_take_over() if a frame is live or in doubt. */
static __always_inline uint32_t page_take_over_slow(struct page_lives *l,
						    const struct kmem_event *ev)
{
	uint64_t pfn = ev->page_alloc.pfn;
	uint32_t order = ev->page_alloc.order, doubt = 0;
	struct page_census census = page_frames_census(&l->frames, pfn, 1ULL << order);
	struct live_entry *d = NULL;

	if (page_doubts_concern(&l->doubts, ev->ts)) {
		d = page_doubt_find(&l->doubts, PAGE_SURPLUS, pfn, order);
		if (d && page_doubt_recent(&l->doubts, d, ev)) {
			page_doubt_turn(&l->doubts, d, PAGE_EARLY, ev);
			doubt = PAGE_EARLY;
		} else {
			page_doubt_forget(&l->doubts, pfn, 1ULL << order);
		}
	}
	if (census.live)
		doubt = page_alloc_over(l, ev, &census);
	page_frames_mark(&l->frames, pfn, 1ULL << order, true);
	return doubt;
}

/* Makes the frames of a new block live, and ends blocks that were live there. Usually the frames
 * are in one word, none was live and nothing is in doubt. Returns the doubt, or 0.
 */
static __always_inline uint32_t page_take_over(struct page_lives *l,
					       const struct kmem_event *ev,
					       struct page_word *word, uint64_t mask)
{
	if (likely(word && !(word->live & mask) &&
		   !page_doubts_concern(&l->doubts, ev->ts))) {
		page_word_mark(word, mask, true);
		return 0;
	}
	return page_take_over_slow(l, ev);
}

static __always_inline void page_alloc(struct page_lives *l, const struct kmem_event *ev,
				       const struct page_place *at, bool plain)
{
	uint64_t pfn = ev->page_alloc.pfn, mask = 0;
	uint32_t order = ev->page_alloc.order, row, doubt;
	bool failed = pfn == KMEM_NO_PFN;
	enum life_what what;
	struct page_word *word = NULL;
	struct life *life;
	struct live_entry *e;

	/* Only plausible frames have a region, so a frame with a word needs no check. */
	if (likely(order <= PAGE_WORD_ORDER)) {
		word = at->word;
		mask = page_word_mask(pfn, order);
	}
	if (unlikely(!word) && !page_plausible(l, failed ? 0 : pfn, order))
		return;
	/* The buddy allocator's blocks are aligned to their size. */
	if (!failed && pfn & ((1ULL << order) - 1)) {
		l->counted.implausible++;
		return;
	}
	row = page_row(l, ev, plain);
	if (row == UINT32_MAX)
		return;
	if (!failed) {
		doubt = page_take_over(l, ev, word, mask);
		e = live_insert_hash(&l->any.live, pfn, at->hash);
		if (!e) {
			l->any.failed = true;
			return;
		}
		*e = (struct live_entry){ .key = pfn,
					  .doubt = doubt,
					  .row = row,
					  .cpu = (uint16_t)ev->cpu,
					  .order = (uint8_t)order,
					  .state = LIVE_ALLOCATED,
					  .epoch = l->any.live.epoch & LIVE_EPOCH_OLD };
		if (!plain)
			live_set_begin(&l->any.live, e, ev->ts);
	}
	what = failed ? LIFE_REFUSED : LIFE_BORN;
	if (plain) {
		page_tally_add(page_lives_tally(l, row), what, 1ULL << order);
		return;
	}
	life = page_life(l, ev, what, 1ULL << order);
	life->at = pfn;
	life->row = row;
	life->begin = l->any.live.times && !failed ? ev->ts : 0;
}

/* Counts @pages that @ev frees and that were not seen allocated. Returns the free-only row. */
static uint32_t page_free_only(struct page_lives *l, const struct kmem_event *ev,
			       uint64_t pages)
{
	struct page_free_only *row = INDEXED_ITEM(&l->free_only, ev->stack);

	l->any.failed |= !row;
	if (!row)
		return UINT32_MAX;
	row->stack = ev->stack;
	row->hit++;
	row->pages += pages;
	return (uint32_t)(row - l->free_only.of);
}

/* A free of no live block, by free-only row @row: its allocation may still come. */
static void page_free_surplus(struct page_lives *l, const struct kmem_event *ev,
			      const struct page_census *census, uint32_t row)
{
	struct live_entry *d;

	/* A free counted partly as again and partly as unmatched could not be taken back. */
	if (row == UINT32_MAX ||
	    (census->freed && census->freed != 1ULL << ev->page_free.order))
		return;
	d = page_doubt_add(&l->doubts, PAGE_SURPLUS, ev, ev->page_free.pfn,
			   ev->page_free.order);
	if (!d) {
		l->any.failed = true;
		return;
	}
	d->row = row;
	d->again = census->freed != 0;
}

/* Updates the doubt about block @e, which is freed as a whole. */
static void page_free_doubtful(struct page_lives *l, const struct kmem_event *ev,
			       struct live_entry *e)
{
	struct live_entry *d = page_doubt_find(&l->doubts, e->doubt, e->key, e->order);

	e->doubt = 0;
	if (!d)
		return;
	if (d->kind == PAGE_EARLY)
		/* One free is still surplus, perhaps this one. */
		page_doubt_turn(&l->doubts, d, PAGE_SURPLUS, ev);
	else if (page_doubt_recent(&l->doubts, d, ev))
		page_doubt_turn(&l->doubts, d, PAGE_OVER_FREED, ev);
	else
		page_doubt_drop(&l->doubts, d);
}

/* Is this the free of a block that was counted as gone when it was allocated again? */
static bool page_settle_over(struct page_lives *l, const struct kmem_event *ev)
{
	struct live_entry *d = page_doubt_find(&l->doubts, PAGE_OVER_FREED,
					       ev->page_free.pfn, ev->page_free.order);
	struct life *life;

	if (!d)
		return false;
	life = page_life(l, ev, LIFE_FOUND, 1ULL << d->order);
	life->at = d->key;
	life->begin = live_begin(&l->doubts.table, d);
	life->row = d->row;
	life->flags = LIFE_REORDERED | LIFE_OTHER_CPU;
	if (d->row & LIVE_HIDDEN) {
		l->counted.frees--;
	} else {
		l->counted.matched++;
		l->counted.reordered++;
	}
	page_doubt_drop(&l->doubts, d);
	return true;
}

/* The common case, at a third of the cost: the whole block is freed, and its frames' states are in
 * one word. False: it is another case.
 */
static __always_inline bool page_free_matched(struct page_lives *l,
					      const struct kmem_event *ev,
					      const struct page_place *at, bool plain)
{
	uint64_t pfn = ev->page_free.pfn;
	uint32_t order = ev->page_free.order;
	struct live_entry *e = live_probe_hash(&l->any.live, pfn, at->hash);
	struct life *life;

	if (e->state == LIVE_EMPTY || e->order != order || (e->split | e->doubt) ||
	    order > PAGE_WORD_ORDER || unlikely(!at->word) ||
	    (!plain && e->row & LIVE_HIDDEN))
		return false;
	l->counted.matched++;
	page_word_mark(at->word, page_word_mask(pfn, order), false);
	if (plain) {
		page_tally_add(page_lives_tally(l, e->row), LIFE_FREED, 1ULL << order);
		page_lives_tally(l, e->row)->last++;
	} else {
		life = page_life(l, ev, LIFE_FREED, 1ULL << order);
		life->at = pfn;
		life->begin = live_begin(&l->any.live, e);
		life->row = e->row;
		life->flags = LIFE_LAST;
		if (e->cpu != (uint16_t)ev->cpu)
			life->flags |= LIFE_OTHER_CPU;
	}
	live_remove(&l->any.live, e);
	return true;
}

/* Is a free of no live page surely that of an unrecorded allocation? If the clocks differ, the
 * allocation may still come, and only the end tells.
 */
static bool page_free_other(const struct page_lives *l, const struct kmem_event *ev)
{
	return (l->any.scope.part && !l->doubts.skew) || scope_by_self(&l->any.scope, ev);
}

/* A free of frames of which some are live: one block, a part of one, or several. */
static __always_inline void
page_free_live(struct page_lives *l, const struct kmem_event *ev, uint64_t nr, bool plain)
{
	uint64_t pfn = ev->page_free.pfn;
	struct live_entry *e = page_block_find(l, pfn);
	bool whole = e && e->key == pfn && e->order == ev->page_free.order;

	if (!plain && l->any.filtered && page_block_hidden(l, pfn, nr))
		l->counted.frees--;
	else if (whole)
		l->counted.matched++;
	else if (e && pfn + nr <= e->key + (1ULL << e->order))
		l->counted.split++;
	else
		l->counted.merged++;
	if (whole && e->doubt)
		page_free_doubtful(l, ev, e);
	page_release(l, ev, pfn, nr, PAGE_END_FREED);
}

static __always_inline void page_free(struct page_lives *l, const struct kmem_event *ev,
				      const struct page_place *at, bool plain)
{
	uint64_t pfn = ev->page_free.pfn, nr;
	uint32_t order = ev->page_free.order;
	struct page_totals *sum = &l->counted;
	struct page_census census;
	uint32_t row = UINT32_MAX;

	if (likely(page_free_matched(l, ev, at, plain))) {
		sum->frees++;
		return;
	}
	if (!page_plausible(l, pfn, order))
		return;
	nr = 1ULL << order;
	sum->frees++;
	census = page_frames_census(&l->frames, pfn, nr);
	if (unlikely(page_doubts_concern(&l->doubts, ev->ts))) {
		if (!census.live && page_settle_over(l, ev))
			return;
		page_doubt_forget(&l->doubts, pfn, nr);
	}
	if (!census.live && page_free_other(l, ev)) {
		sum->other++;
		sum->other_pages += nr;
		return;
	}
	sum->again_pages += census.freed;
	sum->unmatched_pages += nr - census.live - census.freed;
	if (census.live < nr)
		row = page_free_only(l, ev, nr - census.live);
	if (!census.live) {
		if (census.freed)
			sum->again++;
		else
			sum->unmatched++;
		page_free_surplus(l, ev, &census, row);
	} else {
		page_free_live(l, ev, nr, plain);
	}
	page_frames_mark(&l->frames, pfn, nr, false);
}

static __always_inline void page_free_batched(struct page_lives *l,
					      const struct kmem_event *ev,
					      struct page_word *word, bool plain)
{
	bool all = plain || !l->any.filtered;
	const struct live_entry *e = all ? NULL : page_block_find(l, ev->page_free.pfn);

	l->counted.batched += all || (e && !(e->row & LIVE_HIDDEN));
	if (likely(word))
		word->announced |= word->live & page_word_mask(ev->page_free.pfn, 0);
	else if (page_plausible(l, ev->page_free.pfn, 0))
		page_frames_announce(&l->frames, ev->page_free.pfn);
}

static __always_inline void page_take(struct page_lives *l, const struct kmem_event *ev,
				      const struct page_place *at, bool plain)
{
	if (ev->type == KMEM_PAGE_FREE) {
		page_free(l, ev, at, plain);
	} else if (ev->type == KMEM_PAGE_ALLOC) {
		page_alloc(l, ev, at, plain);
	} else if (likely(ev->type == KMEM_PAGE_FREE_BATCHED)) {
		page_free_batched(l, ev, at->word, plain);
	} else {
		lives_loss(&l->any, ev);
	}
}

/* Settles the doubts about blocks whose next event never came. */
static void page_settle_early(struct page_lives *l)
{
	struct live_entry *d = NULL, *e;

	while ((d = live_next(&l->doubts.table, d))) {
		e = page_doubt_find(&l->doubts, PAGE_EARLY, d->key, d->order) == d
			    ? live_find(&l->any.live, d->key)
			    : NULL;
		if (e && e->doubt == PAGE_EARLY)
			page_reorder(l, e, d, NULL);
	}
}

/* Prefetches the memory that @ev will need. Alloc and free have their frame in the same place; in
 * other events anything may be there.
 */
static __always_inline void page_fetch(const struct page_lives *l,
				       const struct kmem_event *ev, struct page_place *at)
{
	uint64_t pfn = ev->page_free.pfn;

	_Static_assert(offsetof(struct kmem_event, page_alloc.pfn) ==
			       offsetof(struct kmem_event, page_free.pfn),
		       "one place for both");
	at->hash = live_hash(pfn);
	live_prefetch(&l->any.live, at->hash);
	at->word = page_word_near(&l->frames, pfn);
	__builtin_prefetch(at->word, 1);
}

/* Looks up the words of the next @nr events again, because they may have moved. */
static void page_find_again(const struct page_lives *l,
			    const struct kmem_event *const *evs, size_t nr,
			    struct page_place *at)
{
	for (size_t i = 0; i < nr && i < EVENT_LISTS_AHEAD; i++)
		at[i].word = page_word_near(&l->frames, evs[i]->page_free.pfn);
}

/* Takes @nr listed events. */
static __always_inline void page_take_all(struct page_lives *l,
					  const struct kmem_event *const *evs, size_t nr,
					  bool plain)
{
	struct page_place at[EVENT_LISTS_MAX];
	uint64_t changes = l->frames.changes;
	size_t i, ahead = SMALLER(nr, EVENT_LISTS_AHEAD);

	for (i = 0; i < ahead; i++)
		page_fetch(l, evs[i], &at[i]);
	for (i = 0; i < nr; i++) {
		if (unlikely(changes != l->frames.changes)) {
			changes = l->frames.changes;
			page_find_again(l, evs + i, nr - i, at + i);
		}
		if (likely(i + EVENT_LISTS_AHEAD < nr))
			page_fetch(l, evs[i + EVENT_LISTS_AHEAD],
				   &at[i + EVENT_LISTS_AHEAD]);
		page_take(l, evs[i], &at[i], plain);
	}
}

static void page_batch_end(struct page_lives *l, bool last)
{
	l->any.failed |=
		l->frames.failed | l->doubts.starts.failed | l->doubts.table.failed;
	lives_batch_end(&l->any, last);
}

void page_lives_listed(struct page_lives *l, const struct event_lists *lists)
{
	if (unlikely(!l->any.live.capacity))
		lives_begin(&l->any, &page_kind);
	if (unlikely(l->any.failed))
		return;
	l->doubts.table.times = l->any.live.times;
	l->any.next = l->any.batch;
	l->nr_events += lists->nr_page;
	if (lives_plain(&l->any))
		page_take_all(l, lists->page, lists->nr_page, true);
	else
		page_take_all(l, lists->page, lists->nr_page, false);
	page_batch_end(l, false);
}

/* Frees pages whose free was announced but never came. */
static void page_settle_announced(struct page_lives *l)
{
	struct page_frames *f = &l->frames;

	for (size_t i = 0; i < f->regions.nr; i++) {
		const struct page_region *region = &f->regions.of[i];

		for (unsigned int word = 0; word < REGION_WORDS && !region->stale;
		     word++) {
			uint64_t left = region->words[word].announced;

			for (; left; left &= left - 1) {
				uint64_t pfn = ((uint64_t)region->base << REGION_ORDER) +
					       word * 64 +
					       (unsigned int)__builtin_ctzll(left);

				page_release(l, NULL, pfn, 1, PAGE_END_ANNOUNCED);
				page_frames_mark(f, pfn, 1, false);
			}
		}
	}
}

void page_lives_finish(struct page_lives *l)
{
	if (!l->any.live.capacity)
		lives_begin(&l->any, &page_kind);
	l->any.next = l->any.batch;
	page_settle_announced(l);
	page_settle_early(l);
	page_batch_end(l, true);
	page_lives_sum(l);
}
