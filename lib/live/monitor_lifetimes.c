// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live (internal): lifetimes of what an opened row allocated.
 * In: lives that end. Out: how many ended after 1 us, 10 us and so on.
 */

#include "live/monitor.h"

/* Lifetimes are at most 1000, 10000, ... ns; the last one has no limit. */
static void add(struct monitor *m, const struct lifetime *life, uint32_t weight)
{
	unsigned int i = 0;

	for (uint64_t limit = 1000; i + 1 < MONITOR_LIFETIMES && life->time >= limit; i++)
		limit *= 10;
	m->lifetimes[i].nr += life->nr * weight;
	m->lifetimes[i].bytes += life->bytes * weight;
}

static void ended(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	struct monitor *m = ctx;
	const struct monitor_side *side = &m->sides[of->kind->memory];
	const struct life *end = life + nr;
	struct lifetime one;

	for (; m->by_lifetime && life < end; life++) {
		if (!lifetime_of(life, &one))
			continue;
		/* It may have begun and ended since the last round. */
		if (one.row >= side->nr && monitor_rows_find(m))
			((struct lives *)of)->failed = true;
		if (one.row < side->nr && side->rows[one.row].group != MONITOR_HIDDEN)
			add(m, &one, lives_weight(of, one.row));
	}
}

int monitor_lifetimes_begin(struct monitor *m, unsigned int i)
{
	struct lives *l = (struct lives *)accounts_lives(&m->accounts, (enum memory)i);
	bool observed = false;

	for (size_t k = 0; k < l->nr_observers; k++)
		observed |= l->observers[k].fn == ended;
	memset(m->lifetimes, 0, sizeof(m->lifetimes));
	m->by_lifetime = true;
	return observed ? 0 : lives_observe(l, ended, m);
}
