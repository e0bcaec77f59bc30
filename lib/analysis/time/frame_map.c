// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/time/frame_map.h"

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
	uint32_t *place = u64_map_find(&m->by_number, number);

	if (place)
		return *place;
	if (m->nr_blocks == FRAME_MAP_BLOCKS)
		return UINT32_MAX;
	if (array_reserve(&m->blocks, &m->blocks_capacity, m->nr_blocks + 1,
			  sizeof(*m->blocks)) ||
	    !u64_map_insert(&m->by_number, number, (uint32_t)m->nr_blocks)) {
		m->failed = true;
		return UINT32_MAX;
	}
	m->blocks[m->nr_blocks] = number;
	return (uint32_t)m->nr_blocks++;
}

/* Makes room for row @row, and for one more group; false: no memory. */
static bool has_room(struct frame_map *m, uint32_t row)
{
	if (array_reach(&m->site_of, &m->nr_rows, &m->rows_capacity, row + 1UL,
			sizeof(*m->site_of)))
		return false;
	return !array_reserve(&m->row_of, &m->sites_capacity, m->nr_sites + 1,
			      sizeof(*m->row_of));
}

/* The group of row @row's callsite; UINT32_MAX: no memory. */
static uint32_t site_of(struct frame_map *m, uint32_t row)
{
	uint32_t group;

	if (likely(row < m->nr_rows && m->site_of[row]))
		return m->site_of[row] - 1;
	if (!has_room(m, row))
		return UINT32_MAX;
	group = sites_group(&m->sites,
			    sites_of_stack(&m->sites, lives_stack(m->of, row)));
	if (group == UINT32_MAX)
		return UINT32_MAX;
	if (group == m->nr_sites)
		m->row_of[m->nr_sites++] = row;
	m->site_of[row] = group + 1;
	return group;
}

/* The index of a pair; UINT32_MAX: no memory. */
static uint32_t pair_of(struct frame_map *m, uint32_t block, uint32_t site)
{
	uint32_t *place = u64_map_find(&m->by_pair, (uint64_t)block << 32 | site);

	if (likely(place))
		return *place;
	if (m->nr_pairs >= FRAME_MAP_PAIRS && site != FRAME_MAP_OTHERS)
		return pair_of(m, block, FRAME_MAP_OTHERS);
	if (array_reserve(&m->pairs, &m->pairs_capacity, m->nr_pairs + 1,
			  sizeof(*m->pairs)) ||
	    !u64_map_insert(&m->by_pair, (uint64_t)block << 32 | site,
			    (uint32_t)m->nr_pairs))
		return UINT32_MAX;
	m->pairs[m->nr_pairs] = (struct frame_pair){ block, site };
	return (uint32_t)m->nr_pairs++;
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
		over_time_add(&m->time, MEMORY_PAGE, pair, life->event,
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

bool frame_map_failed(const struct frame_map *m)
{
	return m->failed || m->time.failed;
}

void frame_map_free(struct frame_map *m)
{
	sites_free(&m->sites);
	u64_map_free(&m->by_number);
	u64_map_free(&m->by_pair);
	free(m->blocks);
	free(m->pairs);
	free(m->site_of);
	free(m->row_of);
	over_time_free(&m->time);
	*m = (struct frame_map){ 0 };
}
