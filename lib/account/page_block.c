// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis (internal): the live blocks of page_account.h, and how they end.
 * In: frames that an event frees or takes. Out: the blocks without them.
 */
#include "account/page_block.h"

#include "base/array.h"

/* Blocks are aligned to their size and disjoint. */
struct live_entry *page_block_find(struct page_account *acc, uint64_t pfn)
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

struct page_pfn *page_pfn(struct page_account *acc, uint64_t pfn, uint32_t row)
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

uint32_t page_block_end(struct page_account *acc, const struct live_entry *e,
			uint64_t freed, uint64_t gone)
{
	struct page_counts *row = &acc->rows[e->row];
	uint32_t index = e->block_split;
	struct page_split *split;
	uint64_t first = index ? acc->splits[index].pfn : e->key;

	row->live_pages -= freed + gone;
	page_tell(acc, e->row, -(int64_t)(freed + gone));
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

/* A block in doubt ends in another way than one that would tell. */
static void page_undoubt(struct page_account *acc, struct live_entry *block)
{
	struct live_entry *d = page_doubt_find(&acc->doubts, block->block_doubt,
					       block->key, block->order);

	if (d)
		page_doubt_drop(&acc->doubts, d);
	block->block_doubt = 0;
}

void page_release(struct page_account *acc, uint64_t pfn, uint64_t nr, enum page_end why)
{
	uint64_t end = pfn + nr;

	for (;;) {
		uint64_t last, stop, announced, freed;
		struct live_entry old, *e;

		pfn = page_frames_next_live(&acc->frames, pfn, end);
		e = pfn < end && !acc->failed ? page_block_find(acc, pfn) : NULL;
		if (!e)
			return;
		if (unlikely(e->block_doubt))
			page_undoubt(acc, e);
		old = *e;
		last = old.key + (1ULL << old.order);
		stop = last < end ? last : end;
		announced = why == PAGE_FREED
				    ? 0
				    : page_frames_census(&acc->frames, pfn, stop - pfn)
					      .announced;
		freed = why == PAGE_FREED ? stop - pfn : announced;
		acc->totals.batched_pages += announced;
		live_remove(&acc->blocks, e);
		old.block_split = page_block_end(acc, &old, freed, stop - pfn - freed);
		page_pieces(acc, old.key, pfn, &old);
		page_pieces(acc, stop, last, &old);
		pfn = stop;
	}
}
