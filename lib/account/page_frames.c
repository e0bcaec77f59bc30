// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/page_frames.h"

/* Ranges up to this long, as real blocks are, use the words of regions, which will be needed again.
 * Longer ranges set the state of whole regions.
 */
#define WORDS_MAX 2048U

static struct page_span *find_span(const struct page_frames *f, uint64_t pfn)
{
	uint32_t *index = u64_map_find(&f->spans.index, pfn >> SPAN_ORDER);

	return index ? &f->spans.of[*index] : NULL;
}

static struct page_span *get_span(struct page_frames *f, uint64_t pfn)
{
	struct page_span *span = INDEXED_ITEM(&f->spans, pfn >> SPAN_ORDER);

	f->failed |= !span;
	return span;
}

/* The region's place in memory, with whatever is in it; NULL if memory ran out. */
static struct page_region *get_region(struct page_frames *f, uint64_t base)
{
	size_t before = f->regions.nr;
	struct page_region *region = INDEXED_ITEM(&f->regions, base);

	f->changes += f->regions.nr != before;
	f->failed |= !region;
	return region;
}

/* Gives the region words of its own, which repeat what its span says. NULL: no memory. */
static struct page_region *open_region(struct page_frames *f, uint64_t pfn)
{
	struct page_span *span = get_span(f, pfn);
	struct page_region *region = span ? get_region(f, pfn >> REGION_ORDER) : NULL;
	uint64_t bit = 1ULL << (pfn >> REGION_ORDER & 63);

	if (!region)
		return NULL;
	region->base = pfn >> REGION_ORDER;
	region->stale = false;
	for (unsigned int i = 0; i < REGION_WORDS; i++)
		region->words[i] = (struct page_word){ span->live & bit ? ~0ULL : 0,
						       span->freed & bit ? ~0ULL : 0, 0 };
	span->detail |= bit;
	return region;
}

struct page_region *page_region_slow(struct page_frames *f, uint64_t pfn)
{
	uint64_t base = pfn >> REGION_ORDER;
	const uint32_t *index = u64_map_find(&f->regions.index, base);
	struct page_region *region = index ? &f->regions.of[*index] : NULL;

	if (!region || region->stale)
		region = open_region(f, pfn);
	if (region)
		f->recent[base % PAGE_SHORT_CUTS] =
			(struct page_short_cut){ base + 1,
						 (uint32_t)(region - f->regions.of) };
	return region;
}

/* Frames in the same state, or in one word. */
struct page_run {
	uint64_t nr;
	struct page_bits bits; /* .word NULL: all are @live or @freed or neither */
	bool live, freed;
};

/* The run that begins at @pfn and ends at @end at the latest; @end must be greater than @pfn. */
static void next_run(const struct page_frames *f, uint64_t pfn, uint64_t end,
		     struct page_run *run)
{
	unsigned int bit = pfn >> REGION_ORDER & 63;
	const struct page_span *span = find_span(f, pfn);
	uint64_t left = end - pfn, alike, nr;
	uint64_t in_span = (1ULL << SPAN_ORDER) - (pfn & ((1ULL << SPAN_ORDER) - 1));

	*run = (struct page_run){ .nr = left < in_span ? left : in_span };
	if (!span)
		return;
	if (span->detail >> bit & 1) {
		uint32_t *index = u64_map_find(&f->regions.index, pfn >> REGION_ORDER);

		run->bits = page_bits_of(&f->regions.of[*index], pfn, left);
		run->nr = run->bits.nr;
		return;
	}
	run->live = span->live >> bit & 1;
	run->freed = span->freed >> bit & 1;
	alike = run->live    ? span->live
		: run->freed ? span->freed
			     : ~(span->live | span->freed);
	/* The following regions in the same state. */
	alike = ~((alike & ~span->detail) >> bit);
	nr = alike ? (uint64_t)__builtin_ctzll(alike) : 64 - bit;
	nr = (nr << REGION_ORDER) - (pfn & ((1ULL << REGION_ORDER) - 1));
	run->nr = SMALLER(nr, run->nr);
}

/* How many frames have their bit set: mostly all or none. */
static inline uint64_t bits_count(const struct page_bits *bits, uint64_t set)
{
	set &= bits->mask;
	if (!set)
		return 0;
	if (set == bits->mask)
		return bits->nr;
	return (uint64_t)__builtin_popcountll(set);
}

static inline void bits_census(const struct page_bits *bits, struct page_census *c)
{
	c->live += bits_count(bits, bits->word->live);
	c->announced += bits_count(bits, bits->word->announced);
	c->freed += bits_count(bits, bits->word->freed);
}

struct page_census page_frames_census(struct page_frames *f, uint64_t pfn, uint64_t nr)
{
	struct page_census c = { 0 };
	uint64_t end = pfn + nr;
	struct page_run run;

	while (pfn < end) {
		next_run(f, pfn, end, &run);
		pfn += run.nr;
		if (run.bits.word) {
			bits_census(&run.bits, &c);
		} else {
			c.live += run.live ? run.nr : 0;
			c.freed += run.freed ? run.nr : 0;
		}
	}
	return c;
}

uint64_t page_frames_next_live(struct page_frames *f, uint64_t pfn, uint64_t end)
{
	struct page_run run;

	while (pfn < end) {
		next_run(f, pfn, end, &run);
		if (run.live)
			return pfn;
		if (run.bits.word && run.bits.word->live & run.bits.mask)
			return (pfn & ~63ULL) +
			       (unsigned int)__builtin_ctzll(run.bits.word->live &
							     run.bits.mask);
		pfn += run.nr;
	}
	return end;
}

/* Marks frames up to @end, in regions that keep their words. */
static void mark_words(struct page_frames *f, uint64_t pfn, uint64_t end, bool live)
{
	struct page_bits bits;

	while (pfn < end && page_bits(f, pfn, end - pfn, &bits)) {
		page_word_mark(bits.word, bits.mask, live);
		pfn += bits.nr;
	}
}

/* Marks the regions of @span in @mask as a whole; @pfn is in the span. */
static void mark_regions(struct page_frames *f, uint64_t pfn, uint64_t mask, bool live)
{
	struct page_span *span = get_span(f, pfn);

	if (!span)
		return;
	f->changes++;
	for (uint64_t stale = span->detail & mask; stale; stale &= stale - 1) {
		uint64_t base =
			(pfn >> SPAN_ORDER << 6) + (unsigned int)__builtin_ctzll(stale);

		f->regions.of[*u64_map_find(&f->regions.index, base)].stale = true;
		f->recent[base % PAGE_SHORT_CUTS].next = 0;
	}
	span->detail &= ~mask;
	span->live = live ? span->live | mask : span->live & ~mask;
	span->freed = live ? span->freed & ~mask : span->freed | mask;
}

void page_frames_mark(struct page_frames *f, uint64_t pfn, uint64_t nr, bool live)
{
	const uint64_t region = 1ULL << REGION_ORDER;
	uint64_t end = pfn + nr, first, last;

	if (likely(nr <= WORDS_MAX)) {
		mark_words(f, pfn, end, live);
		return;
	}
	first = (pfn + region - 1) & ~(region - 1);
	last = end & ~(region - 1);
	mark_words(f, pfn, first, live);
	mark_words(f, last, end, live);
	for (pfn = first; pfn < last; pfn = end) {
		unsigned int bit = pfn >> REGION_ORDER & 63, count;

		end = (pfn | ((1ULL << SPAN_ORDER) - 1)) + 1;
		end = SMALLER(end, last);
		count = (unsigned int)((end - pfn) >> REGION_ORDER);
		mark_regions(f, pfn, ~0ULL >> (64 - count) << bit, live);
	}
}

void page_frames_announce(struct page_frames *f, uint64_t pfn)
{
	struct page_bits bits;

	if (page_bits(f, pfn, 1, &bits))
		bits.word->announced |= bits.word->live & bits.mask;
}

void page_frames_free(struct page_frames *f)
{
	INDEXED_FREE(&f->regions);
	INDEXED_FREE(&f->spans);
}
