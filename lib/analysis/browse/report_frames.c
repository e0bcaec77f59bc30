// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who held which page frames, for a page.
 * In: pages by pageblock and callsite over time. Out: parts of the page frames; for each part and
 * bin, the pages live at its end and the callsite that held most.
 */
#include "analysis/browse/report_rows.h"

#include "base/array.h"

/* A pair of the map, and the part that contains its pageblock. */
struct placed {
	uint64_t number; /* of the pageblock */
	uint32_t part, pair;
};

/* Live pages of a part at the ends of the bins. @most: the most of one callsite, which is @site -
 * 1.
 */
struct held {
	uint64_t pages[FRAME_MAP_BINS], most[FRAME_MAP_BINS];
	uint32_t site[FRAME_MAP_BINS];
};

ORDER_BY(by_number, struct placed, number, pair)

static int by_part_and_site(const void *a, const void *b, void *ctx)
{
	const struct frame_pair *pairs = ctx;
	const struct placed *x = a, *y = b;
	uint32_t site = pairs[x->pair].site, other = pairs[y->pair].site;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (site > other) - (site < other);
}

/* The number of parts of 2^@shift pageblocks; @placed is sorted by pageblock number. */
static size_t nr_parts(const struct placed *placed, size_t nr, unsigned int shift)
{
	size_t parts = nr ? 1 : 0, i;

	for (i = 1; i < nr; i++)
		parts += placed[i].number >> shift != placed[i - 1].number >> shift;
	return parts;
}

/* Assigns a part to each pageblock, and a first frame to each part. */
static int divide(struct web_frames *f, const struct frame_map *m, struct placed *placed)
{
	size_t nr = m->nr_pairs, i;
	unsigned int shift = 0;

	qsort(placed, nr, sizeof(*placed), by_number);
	while (nr_parts(placed, nr, shift) > WEB_FRAME_PARTS)
		shift++;
	f->pages = 1ULL << m->order << shift;
	f->nr = nr_parts(placed, nr, shift);
	f->first = calloc(f->nr + 1, sizeof(*f->first));
	if (!f->first)
		return -ENOMEM;
	for (i = 0, f->nr = 0; i < nr; i++) {
		uint64_t first = placed[i].number >> shift << shift << m->order;

		if (!f->nr || f->first[f->nr - 1] != first)
			f->first[f->nr++] = first;
		placed[i].part = (uint32_t)f->nr - 1;
	}
	return 0;
}

/* Adds one callsite's pages, in @nr pairs, to its part. */
static void add_site(const struct frame_map *m, const struct placed *placed, size_t nr,
		     struct held *held)
{
	int64_t net[FRAME_MAP_BINS] = { 0 }, live = 0;
	uint32_t site = m->pairs[placed->pair].site, bin;
	const struct over_time_cell *c;

	for (size_t i = 0; i < nr; i++) {
		c = over_time_first(&m->time, MEMORY_PAGE, placed[i].pair);
		for (; c; c = over_time_next(&m->time, c))
			net[c->bin] += (int64_t)(c->bytes - c->ended);
	}
	for (bin = 0; bin < m->time.nr_bins; bin++) {
		live += net[bin];
		if (live <= 0) /* clocks of several CPUs differ */
			continue;
		held->pages[bin] += (uint64_t)live;
		/* Pages of several callsites belong to none. */
		if (site == FRAME_MAP_OTHERS || (uint64_t)live <= held->most[bin])
			continue;
		held->most[bin] = (uint64_t)live;
		held->site[bin] = site + 1;
	}
}

static bool alike(const struct held *h, uint32_t a, uint32_t b)
{
	return h->pages[a] == h->pages[b] && h->most[a] == h->most[b] &&
	       h->site[a] == h->site[b];
}

/* Appends a part as runs of equal bins. @names: group -> number of its name. */
static int add_runs(struct web_frames *f, const struct held *held, const uint32_t *names)
{
	uint32_t bin, end;

	for (bin = 0; bin < f->nr_bins; bin = end) {
		uint32_t site = held->site[bin];

		for (end = bin + 1; end < f->nr_bins && alike(held, bin, end);)
			end++;
		if (array_reserve(&f->runs, &f->capacity, f->nr_runs + 1,
				  sizeof(*f->runs)))
			return -ENOMEM;
		f->runs[f->nr_runs++] =
			(struct web_run){ .bins = end - bin,
					  .callsite = site ? names[site - 1] : 0,
					  .most = held->most[bin],
					  .pages = held->pages[bin] };
	}
	return 0;
}

static int add_parts(struct web_frames *f, const struct frame_map *m,
		     struct placed *placed, const uint32_t *names)
{
	size_t i = 0, end;
	int ret = 0;

	qsort_r(placed, m->nr_pairs, sizeof(*placed), by_part_and_site, m->pairs);
	while (i < m->nr_pairs && !ret) {
		struct held held = { 0 };
		uint32_t part = placed[i].part;

		for (; i < m->nr_pairs && placed[i].part == part; i = end) {
			uint32_t site = m->pairs[placed[i].pair].site;

			for (end = i + 1; end < m->nr_pairs && placed[end].part == part &&
					  m->pairs[placed[end].pair].site == site;)
				end++;
			add_site(m, placed + i, end - i, &held);
		}
		ret = add_runs(f, &held, names);
	}
	return ret;
}

int report_frames_fill(struct web_frames *f, const struct frame_map *m,
		       const uint32_t *names)
{
	struct placed *placed __auto_mem = calloc(m->nr_pairs + 1, sizeof(*placed));

	if (!placed || frame_map_failed(m))
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_pairs; i++) {
		placed[i].pair = (uint32_t)i;
		placed[i].number = m->blocks[m->pairs[i].block];
	}
	f->nr_bins = m->time.nr_bins;
	f->width = m->time.width;
	f->left_out = m->left_out;
	return divide(f, m, placed) ?: add_parts(f, m, placed, names);
}
