// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sequences are the leaves of a binary tree, each inner node keeps the loser (the later) of the
 * two that met there, and the earliest of all is above the root (Knuth, The Art of Computer
 * Programming, vol. 3, 5.4.1). When it moves on, it meets only the losers on its own path, without
 * a branch on who wins: with hundreds of sequences, a processor mispredicts half of them.
 */
#include "recording/merge.h"

/* Stands for an empty sequence: later than all others. */
static const struct merge_item nothing = { UINT64_MAX, MERGE_NONE };

int merge_init(struct merge *m, uint32_t nr)
{
	uint32_t size = 1;

	*m = (struct merge){ .top = nothing };
	if (nr > 1U << 30)
		return -ENOMEM;
	while (size < nr)
		size *= 2;
	/* While it is filled, the second half holds the leaves. */
	m->losers = malloc(2UL * size * sizeof(*m->losers));
	if (!m->losers)
		return -ENOMEM;
	m->size = size;
	merge_clear(m);
	return 0;
}

void merge_clear(struct merge *m)
{
	for (uint32_t i = 0; i < 2 * m->size; i++)
		m->losers[i] = nothing;
	m->top = nothing;
}

void merge_build(struct merge *m)
{
	struct merge_item *winners = m->losers;

	if (!m->size)
		return;
	/* Each inner node first takes the earlier of its two children and, once the nodes above
	 * have read it, the later one.
	 */
	for (uint32_t node = m->size - 1; node >= 1; node--) {
		const struct merge_item *a = &winners[2 * (size_t)node], *b = a + 1;

		winners[node] = merge_before(a, b) ? *a : *b;
	}
	m->top = winners[1];
	for (uint32_t node = 1; node < m->size; node++) {
		const struct merge_item *a = &winners[2 * (size_t)node], *b = a + 1;

		m->losers[node] = merge_before(a, b) ? *b : *a;
	}
}

void merge_pop(struct merge *m)
{
	if (m->top.index != MERGE_NONE)
		merge_play(m, m->top.index, nothing);
}

void merge_free(struct merge *m)
{
	free(m->losers);
	*m = (struct merge){ 0 };
}
