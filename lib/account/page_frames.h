/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the state of each page frame: live, freed, or neither yet.
 * In: ranges of page frames. Out: how many are in each state, in time that does not grow with the
 * range.
 *
 * A region is 512 frames, with three bits per frame. A span is 64 regions; for each it says whether
 * the region has its own bits or all its frames are alike. A large range touches only spans, and
 * once each region that small ranges had made.
 */
#ifndef KMEMX_ACCOUNT_PAGE_FRAMES_H
#define KMEMX_ACCOUNT_PAGE_FRAMES_H

#include "base/keyed.h"

#define REGION_ORDER 9 /* a huge page on most machines */
#define REGION_WORDS ((1U << REGION_ORDER) / 64)
#define SPAN_ORDER   (REGION_ORDER + 6)

/* A larger order is damage: no kernel's page allocator has blocks even of this one. */
#define PAGE_ORDER_LIMIT 20

/* An announced frame is live, and mm_page_free_batched has announced its free. */
struct page_word {
	uint64_t live, freed, announced;
};

/**
 * struct page_region - the state of 512 frames
 * @base: pfn >> REGION_ORDER
 * @stale: out of date; its span has the state
 */
struct page_region {
	uint64_t base : 63;
	uint64_t stale : 1;
	struct page_word words[REGION_WORDS];
};

/**
 * struct page_span - 64 regions, a bit each
 * @detail: the region has its own words; if not,
 * @live, @freed: the state of all its frames
 */
struct page_span {
	uint64_t detail, live, freed;
};

/* A short cut from a region's number to its place; @next: the number plus 1, 0: unused. */
struct page_short_cut {
	uint64_t next;
	uint32_t index;
};

/* The short cuts cover 4 GiB of neighbouring pages. */
#define PAGE_SHORT_CUTS 2048U

/* Zero-initialise it. @recent: short cuts to regions that are not stale. @changes: grows whenever
 * words may have moved or a region became stale.
 */
struct page_frames {
	INDEXED(struct page_region) regions;
	INDEXED(struct page_span) spans;
	struct page_short_cut recent[PAGE_SHORT_CUTS];
	uint64_t changes;
	bool failed; /* memory ran out */
};

/* How many frames of a range are live, announced, freed. */
struct page_census {
	uint64_t live, announced, freed;
};

/* Up to 64 frames in one word. */
struct page_bits {
	struct page_word *word;
	uint64_t mask;
	unsigned int nr;
};

/* The region of frame @pfn with its own words; NULL if memory ran out. */
struct page_region *page_region_slow(struct page_frames *f, uint64_t pfn);

/* The same, if a short cut leads there; else NULL. */
static inline struct page_region *page_region_near(const struct page_frames *f,
						   uint64_t pfn)
{
	uint64_t base = pfn >> REGION_ORDER;
	const struct page_short_cut *cut = &f->recent[base % PAGE_SHORT_CUTS];

	return likely(cut->next == base + 1) ? &f->regions.of[cut->index] : NULL;
}

static inline struct page_region *page_region(struct page_frames *f, uint64_t pfn)
{
	struct page_region *region = page_region_near(f, pfn);

	return likely(region) ? region : page_region_slow(f, pfn);
}

/* An aligned block up to this order has all its frames in one word. */
#define PAGE_WORD_ORDER 6

/* The word of frame @pfn, if a short cut leads there; else NULL. */
static inline struct page_word *page_word_near(const struct page_frames *f, uint64_t pfn)
{
	struct page_region *region = page_region_near(f, pfn);

	return likely(region) ? &region->words[(pfn >> 6) % REGION_WORDS] : NULL;
}

/* The bits of an aligned block of at most PAGE_WORD_ORDER in its word. */
static inline uint64_t page_word_mask(uint64_t pfn, uint32_t order)
{
	static const uint64_t masks[PAGE_WORD_ORDER + 1] = {
		1, 3, 0xf, 0xff, UINT16_MAX, UINT32_MAX, UINT64_MAX,
	};

	return masks[order] << (pfn & 63);
}

/* The frames of @region from @pfn to the end of its word, at most @nr, which is not 0. */
static inline struct page_bits page_bits_of(struct page_region *region, uint64_t pfn,
					    uint64_t nr)
{
	unsigned int bit = pfn & 63, count = (unsigned int)SMALLER(nr, 64 - bit);

	return (struct page_bits){ .word = &region->words[(pfn >> 6) % REGION_WORDS],
				   .mask = ~0ULL >> (64 - count) << bit,
				   .nr = count };
}

/* The same of any region. False: no memory. */
static inline bool page_bits(struct page_frames *f, uint64_t pfn, uint64_t nr,
			     struct page_bits *out)
{
	struct page_region *region = page_region(f, pfn);

	if (region)
		*out = page_bits_of(region, pfn, nr);
	return region;
}

static inline void page_word_mark(struct page_word *w, uint64_t mask, bool live)
{
	w->announced &= ~mask;
	if (live) {
		w->live |= mask;
		w->freed &= ~mask;
	} else {
		w->live &= ~mask;
		w->freed |= mask;
	}
}

/* This many regions and spans are always allowed. */
#define PAGE_FRAMES_FREE 65536U

/**
 * page_frames_room() - may the frames [@pfn, @pfn + @nr) get a state?
 *
 * A hostile order or pfn must not make memory grow faster than the file does: an ordinary
 * recording has at most two regions per event. @nr_events: so far.
 */
static inline bool page_frames_room(const struct page_frames *f, uint64_t pfn,
				    uint64_t nr, uint64_t nr_events)
{
	uint64_t more = nr >> SPAN_ORDER, all = f->regions.nr + f->spans.nr + more;

	return likely(all < PAGE_FRAMES_FREE) || all < PAGE_FRAMES_FREE + 4 * nr_events ||
	       (!more && u64_map_find(&f->regions.index, pfn >> REGION_ORDER));
}

/* A range must not end after frame 2^63. */
struct page_census page_frames_census(struct page_frames *f, uint64_t pfn, uint64_t nr);
/* Makes the frames live or freed, and no longer announced. */
void page_frames_mark(struct page_frames *f, uint64_t pfn, uint64_t nr, bool live);
/* The first live frame in [@pfn, @end); else @end. */
uint64_t page_frames_next_live(struct page_frames *f, uint64_t pfn, uint64_t end);
/* Announces @pfn if it is live. */
void page_frames_announce(struct page_frames *f, uint64_t pfn);
/* @f cannot be used again. */
void page_frames_free(struct page_frames *f);

#endif
