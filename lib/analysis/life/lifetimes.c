// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/life/lifetimes.h"

#include "base/array.h"

uint64_t lifetime_step_time(uint32_t step)
{
	uint32_t power = step / 16 + 3;

	if (step < 32)
		return step;
	return ((16 + step % 16) << 1 | 1ULL) << (power - 5);
}

static void add_count(struct lifetimes *l, uint64_t key, uint64_t nr)
{
	uint64_t *count = INDEXED_ITEM(&l->counts, key);

	if (likely(count))
		*count += nr;
	else
		l->failed = true;
}

void lifetimes_add(struct lifetimes *l, const struct lifetime *life, uint64_t times)
{
	struct lifetime_row *row;

	if (unlikely(life->row >= l->nr_rows) &&
	    array_reach(&l->rows, &l->nr_rows, &l->rows_capacity, life->row + 1UL)) {
		l->failed = true;
		return;
	}
	row = &l->rows[life->row];
	if (life->time > row->longest)
		row->longest = life->time;
	if (life->here && life->time <= l->short_time) {
		row->nr_short += life->nr * times;
		row->bytes_short += life->bytes * times;
	}
	add_count(l,
		  (uint64_t)life->row << LIFETIME_STEP_BITS | lifetime_step(life->time),
		  life->nr * times);
}

void lifetimes_free(struct lifetimes *l)
{
	INDEXED_FREE(&l->counts);
	free(l->rows);
	*l = (struct lifetimes){ 0 };
}

ORDER_BY(compare_counts, struct lifetime_count, group, step)

/* Sorts the counts of all rows that are in a group. */
static int sort_counts(struct lifetime_groups *g, const struct lifetimes *l,
		       const uint32_t *group_of)
{
	g->counts = calloc(l->counts.nr + 1, sizeof(*g->counts));
	if (!g->counts)
		return -ENOMEM;
	for_each(slot, l->counts.index.slots, l->counts.index.capacity) {
		struct lifetime_count count;

		if (!slot->used)
			continue;
		count = (struct lifetime_count){
			.group = group_of[slot->key >> LIFETIME_STEP_BITS],
			.step = slot->key & ((1U << LIFETIME_STEP_BITS) - 1),
			.nr = l->counts.of[slot->value],
		};
		if (count.group != UINT32_MAX)
			g->counts[g->nr_counts++] = count;
	}
	qsort(g->counts, g->nr_counts, sizeof(*g->counts), compare_counts);
	return 0;
}

/* The lifetime of rank @rank, from 1, in the group's sorted order. */
static uint64_t time_of_rank(const struct lifetime_groups *g,
			     const struct lifetime_group *group, uint64_t rank)
{
	const struct lifetime_count *count = &g->counts[group->counts];

	while (count->nr < rank)
		rank -= count++->nr;
	return SMALLER(lifetime_step_time(count->step), group->row.longest);
}

/* @percent of @nr, rounded up. */
static uint64_t part_of(uint64_t nr, uint64_t percent)
{
	return nr / 100 * percent + (nr % 100 * percent + 99) / 100;
}

int lifetime_groups_make(struct lifetime_groups *g, const struct lifetimes *l,
			 const uint32_t *group_of, size_t nr)
{
	struct lifetime_group *group;

	g->nr = nr;
	g->groups = calloc(nr + 1, sizeof(*g->groups));
	if (l->failed || !g->groups || sort_counts(g, l, group_of))
		return -ENOMEM;
	for (size_t i = 0; i < l->nr_rows; i++) {
		const struct lifetime_row *row = &l->rows[i];

		if (group_of[i] == UINT32_MAX)
			continue;
		group = &g->groups[group_of[i]];
		group->row.nr_short += row->nr_short;
		group->row.bytes_short += row->bytes_short;
		group->row.longest = LARGER(row->longest, group->row.longest);
	}
	for (size_t i = 0; i < g->nr_counts; i++) {
		group = &g->groups[g->counts[i].group];
		if (!group->nr_counts++)
			group->counts = i;
		group->nr += g->counts[i].nr;
	}
	for (group = g->groups; group < g->groups + nr; group++) {
		if (!group->nr)
			continue;
		group->median = time_of_rank(g, group, part_of(group->nr, 50));
		group->p99 = time_of_rank(g, group, part_of(group->nr, 99));
	}
	return 0;
}

unsigned int lifetime_octaves(const struct lifetime_groups *g, size_t group,
			      uint64_t octaves[LIFETIME_OCTAVES])
{
	const struct lifetime_count *count = &g->counts[g->groups[group].counts];
	const struct lifetime_count *end = count + g->groups[group].nr_counts;
	unsigned int nr = 0, i;

	for (i = 0; i < LIFETIME_OCTAVES; i++)
		octaves[i] = 0;
	for (; count < end; count++) {
		uint64_t time = lifetime_step_time(count->step);

		i = time ? 63 - (unsigned int)__builtin_clzll(time) : 0;
		octaves[i] += count->nr;
		nr = i + 1;
	}
	return nr;
}

void lifetime_groups_free(struct lifetime_groups *g)
{
	free(g->counts);
	free(g->groups);
	*g = (struct lifetime_groups){ 0 };
}
