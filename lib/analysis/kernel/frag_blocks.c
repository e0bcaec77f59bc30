// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: pages in pageblocks of another migratetype.
 * In: fallbacks, page allocations and frees. Out: the number of such pages in each pageblock, and
 * since when.
 */

#include "analysis/kernel/frag.h"
#include "base/array.h"

static struct frag_block *find(const struct frag_blocks *b, uint64_t pfn)
{
	const uint32_t *place = u64_map_find(&b->by_number, pfn >> b->order);

	return place ? &b->blocks[*place] : NULL;
}

const struct frag_block *frag_blocks_find(const struct frag_blocks *b, uint64_t pfn)
{
	return b->order ? find(b, pfn) : NULL;
}

static size_t nr_words(const struct frag_blocks *b)
{
	return ((1UL << b->order) + 63) / 64;
}

static struct frag_block *find_or_add(struct frag_blocks *b, uint64_t pfn)
{
	struct frag_block *block = find(b, pfn);

	if (block)
		return block;
	if (b->nr == FRAG_BLOCKS_MAX) {
		b->untracked++;
		return NULL;
	}
	if (array_reserve(&b->blocks, &b->capacity, b->nr + 1, sizeof(*b->blocks)) ||
	    !u64_map_insert(&b->by_number, pfn >> b->order, (uint32_t)b->nr)) {
		b->failed = true;
		return NULL;
	}
	block = &b->blocks[b->nr++];
	*block = (struct frag_block){ .pfn = pfn >> b->order << b->order };
	return block;
}

void frag_blocks_add(struct frag_blocks *b, const struct kmem_event *ev)
{
	int32_t type = ev->extfrag.alloc_migratetype;
	struct frag_block *block;

	if (!b->order || type < 0 || type >= MIGRATETYPE_MAX ||
	    ev->extfrag.pfn == KMEM_NO_PFN)
		return;
	block = find_or_add(b, ev->extfrag.pfn);
	if (block)
		block->types |= 1U << type;
}

/* Sets or clears @nr > 0 bits, starting at @first; returns how many changed. */
static uint64_t change(struct frag_block *block, uint64_t first, uint64_t nr, bool set)
{
	uint64_t changed = 0, end = first + nr, i;

	for (i = first / 64; i * 64 < end; i++) {
		uint64_t mask = UINT64_MAX, bits;

		if (i == first / 64)
			mask &= UINT64_MAX << first % 64;
		if (end - i * 64 < 64)
			mask &= (1ULL << end % 64) - 1;
		bits = (set ? ~block->bits[i] : block->bits[i]) & mask;
		block->bits[i] ^= bits;
		changed += (uint64_t)__builtin_popcountll(bits);
	}
	return changed;
}

/* Allocates the bits with the first page: fallbacks alone need none. */
static bool has_bits(struct frag_blocks *b, struct frag_block *block)
{
	if (!block->bits)
		block->bits = calloc(nr_words(b), sizeof(*block->bits));
	b->failed |= !block->bits;
	return block->bits;
}

static void began(struct frag_block *block, uint64_t pages, uint64_t ts)
{
	if (pages && !block->live)
		block->since = ts;
	block->live += pages;
}

static void ended(struct frag_block *block, uint64_t pages, uint64_t ts)
{
	block->live -= pages;
	if (pages && !block->live && ts > block->since)
		block->time += ts - block->since;
}

static void freed(struct frag_blocks *b, uint64_t pfn, uint32_t order, uint64_t ts)
{
	uint64_t size = 1ULL << b->order, nr, here, i;
	struct frag_block *block;

	/* The largest block that the kernel frees at once holds a few pageblocks at most. */
	if (order > b->order + 4)
		return;
	nr = 1ULL << order;
	for (i = 0; i < nr; i += here) {
		uint64_t first = (pfn + i) & (size - 1);

		here = nr - i < size - first ? nr - i : size - first;
		block = find(b, pfn + i);
		if (block && block->live)
			ended(block, change(block, first, here, false), ts);
	}
}

static void allocated(struct frag_blocks *b, const struct kmem_event *ev)
{
	uint64_t size = 1ULL << b->order, pfn = ev->page_alloc.pfn, first, nr, ours;
	int32_t type = ev->page_alloc.migratetype;
	struct frag_block *block;

	/* An allocation of whole pageblocks does not mix types. */
	if (pfn == KMEM_NO_PFN || ev->page_alloc.order >= b->order)
		return;
	block = find(b, pfn);
	first = pfn & (size - 1);
	nr = 1ULL << ev->page_alloc.order;
	if (!block || nr > size - first)
		return;
	/* Older pages in this place were freed without an event. */
	if (block->live)
		ended(block, change(block, first, nr, false), ev->ts);
	if (type < 0 || type >= MIGRATETYPE_MAX || !(block->types >> type & 1) ||
	    !has_bits(b, block))
		return;
	ours = change(block, first, nr, true);
	block->pages += ours;
	began(block, ours, ev->ts);
}

void frag_blocks_page(struct frag_blocks *b, const struct kmem_event *ev)
{
	if (!b->nr || b->failed)
		return;
	if (ev->type == KMEM_PAGE_ALLOC)
		allocated(b, ev);
	else if (ev->page_free.pfn != KMEM_NO_PFN)
		freed(b, ev->page_free.pfn, ev->page_free.order, ev->ts);
}

void frag_blocks_free(struct frag_blocks *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->blocks[i].bits);
	free(b->blocks);
	u64_map_free(&b->by_number);
}
