// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/browse/frame_map.h"

#include "analysis/kernel/frag.h"
#include "base/array.h"

void frame_map_init(struct frame_map *m, const struct analysis_env *env)
{
	*m = (struct frame_map){ 0 };
	sites_init(&m->sites, env);
	if (!frag_block_order(env->rec, &m->order) || !m->order ||
	    m->order > FRAG_BLOCK_ORDER_MAX)
		m->order = FRAME_MAP_ORDER;
	over_time_init(&m->time, env->first_ts, env->last_ts, FRAME_MAP_BINS,
		       FRAME_MAP_CELLS);
}

/* The index of the pageblock of @pfn; UINT32_MAX: too many pageblocks, or no memory. */
static uint32_t block_of(struct frame_map *m, uint64_t pfn)
{
	uint64_t number = pfn >> m->order;
	uint32_t *place = u64_map_find(&m->blocks.index, number);
	uint64_t *block;

	if (place)
		return *place;
	if (m->blocks.nr == FRAME_MAP_BLOCKS)
		return UINT32_MAX;
	block = INDEXED_ITEM(&m->blocks, number);
	if (!block) {
		m->failed = true;
		return UINT32_MAX;
	}
	*block = number;
	return (uint32_t)(block - m->blocks.of);
}

/* The group of row @row's callsite; UINT32_MAX: no memory. */
static uint32_t site_of(struct frame_map *m, uint32_t row)
{
	uint32_t group;

	if (likely(row < m->nr_rows && m->site_of[row]))
		return m->site_of[row] - 1;
	if (array_reach(&m->site_of, &m->nr_rows, &m->rows_capacity, row + 1UL))
		return UINT32_MAX;
	group = sites_group(&m->sites,
			    sites_of_stack(&m->sites, lives_stack(m->of, row)));
	if (group == UINT32_MAX ||
	    (group == m->nr_sites && ARRAY_ADD(m->row_of, m->nr_sites, row)))
		return UINT32_MAX;
	m->site_of[row] = group + 1;
	return group;
}

/* The index of a pair; UINT32_MAX: no memory. */
static uint32_t pair_of(struct frame_map *m, uint32_t block, uint32_t site)
{
	const uint64_t key = (uint64_t)block << 32 | site;
	uint32_t *place = u64_map_find(&m->pairs.index, key);
	struct frame_pair *pair;

	if (likely(place))
		return *place;
	if (m->pairs.nr >= FRAME_MAP_PAIRS && site != FRAME_MAP_OTHERS)
		return pair_of(m, block, FRAME_MAP_OTHERS);
	pair = INDEXED_ITEM(&m->pairs, key);
	if (!pair)
		return UINT32_MAX;
	*pair = (struct frame_pair){ block, site };
	return (uint32_t)(pair - m->pairs.of);
}

static void take(struct frame_map *m, const struct life *life)
{
	const struct over_time_cell born = { .hit = 1, .bytes = life->nr };
	const struct over_time_cell ended = { .ended = life->nr };
	bool begins = life->what == LIFE_BORN;
	uint32_t block = block_of(m, life->at), site, pair;

	if (block == UINT32_MAX) {
		m->left_out += begins ? life->nr : 0;
		return;
	}
	site = site_of(m, life->row);
	pair = site == UINT32_MAX ? UINT32_MAX : pair_of(m, block, site);
	if (pair == UINT32_MAX)
		m->failed = true;
	else
		over_time_add(&m->time, pair, over_time_of(life),
			      begins ? &born : &ended);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct frame_map *m = ctx;

	for (; life < end && !m->failed; life++) {
		if (life_changes(life))
			take(m, life);
	}
}

int frame_map_observe(struct frame_map *m, struct lives *of)
{
	m->of = of;
	return lives_observe(of, lived, m);
}

void frame_map_end(struct frame_map *m)
{
	over_time_end(&m->time);
}

bool frame_map_failed(const struct frame_map *m)
{
	return m->failed || m->time.failed;
}

void frame_map_free(struct frame_map *m)
{
	sites_free(&m->sites);
	INDEXED_FREE(&m->blocks);
	INDEXED_FREE(&m->pairs);
	free(m->site_of);
	free(m->row_of);
	over_time_free(&m->time);
	*m = (struct frame_map){ 0 };
}

/* --- for a page: parts of the page frames ------------------------------------------------ */

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
	size_t nr = m->pairs.nr, i;
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
	uint32_t site = m->pairs.of[placed->pair].site, bin, nr_cells;
	const struct over_time_cell *c;

	for (size_t i = 0; i < nr; i++) {
		c = over_time_cells(&m->time, placed[i].pair, &nr_cells);
		for (; nr_cells; nr_cells--, c++)
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
		if (ARRAY_ADD(f->runs, f->nr_runs,
			      (struct web_run){ .bins = end - bin,
						.callsite = site ? names[site - 1] : 0,
						.most = held->most[bin],
						.pages = held->pages[bin] }))
			return -ENOMEM;
	}
	return 0;
}

static int add_parts(struct web_frames *f, const struct frame_map *m,
		     struct placed *placed, const uint32_t *names)
{
	size_t i = 0, end;
	int ret = 0;

	qsort_r(placed, m->pairs.nr, sizeof(*placed), by_part_and_site, m->pairs.of);
	while (i < m->pairs.nr && !ret) {
		struct held held = { 0 };
		uint32_t part = placed[i].part;

		for (; i < m->pairs.nr && placed[i].part == part; i = end) {
			uint32_t site = m->pairs.of[placed[i].pair].site;

			for (end = i + 1; end < m->pairs.nr && placed[end].part == part &&
					  m->pairs.of[placed[end].pair].site == site;)
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
	struct placed *placed __auto_mem = calloc(m->pairs.nr + 1, sizeof(*placed));

	if (!placed || frame_map_failed(m))
		return -ENOMEM;
	for (size_t i = 0; i < m->pairs.nr; i++) {
		placed[i].pair = (uint32_t)i;
		placed[i].number = m->blocks.of[m->pairs.of[i].block];
	}
	f->nr_bins = m->time.nr_bins;
	f->width = m->time.width;
	f->left_out = m->left_out;
	return divide(f, m, placed) ?: add_parts(f, m, placed, names);
}
