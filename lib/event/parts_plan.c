// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: plans what a round scans, and up to where it takes events.
 * In: how far each CPU is. Out: stretches of about the same work for each group; a bound.
 */
#include <errno.h>

#include "event/parts_state.h"

/* Nothing of the CPU that can still come is before this bound: no event, and no callchain for an
 * event that was scanned.
 */
static struct parts_bound bound_of(const struct parts_cpu *cpu)
{
	struct parts_bound bound = { cpu->last_ts, cpu->index + 1 };
	unsigned int i;

	for (i = 0; i < STACK_CONTEXTS; i++) {
		const struct parts_claim *claim = &cpu->waiting[i];

		if (claim->there && claim->part != PARTS_NOWHERE && claim->ts <= bound.ts)
			bound = (struct parts_bound){ claim->ts, cpu->index };
	}
	return bound;
}

/* The earliest of all CPUs' bounds. True: nothing can come any more. */
static bool find_bound(struct parts *p)
{
	uint32_t i;

	p->bound = (struct parts_bound){ UINT64_MAX, UINT32_MAX };
	p->bound_by = UINT32_MAX;
	for (i = 0; i < p->st->nr_cpus; i++) {
		struct parts_bound bound = bound_of(&p->cpus[i]);

		if (p->cpus[i].ended || bound.ts > p->bound.ts ||
		    (bound.ts == p->bound.ts && bound.index >= p->bound.index))
			continue;
		p->bound = bound;
		p->bound_by = i;
	}
	return p->bound_by == UINT32_MAX;
}

/* Forgets sub-buffers within the bound of the next round. Returns how many events wait after it. */
static uint64_t waiting(const struct parts *p, struct parts_cpu *cpu)
{
	uint64_t nr = 0;
	size_t gone = 0, i;

	while (gone < cpu->nr_held &&
	       parts_within(&p->bound, cpu->held[gone].last_ts, cpu->index))
		gone++;
	cpu->nr_held -= gone;
	for (i = 0; i < cpu->nr_held; i++) {
		cpu->held[i] = cpu->held[i + gone];
		nr += cpu->held[i].nr;
	}
	return nr;
}

/* A CPU's share of @target, the events ahead of the bound, is its share of what the last round
 * took, so all CPUs advance alike. If too much is ahead already, all shares are equal. The CPU
 * that sets the bound is always scanned.
 *
 * At least one sub-buffer of each CPU waits, and waiting events are copied in each round, so a
 * round should take as much.
 */
static void share_out(struct parts *p)
{
	uint64_t all = 0, taken = 0, target = p->round_events;
	uint32_t nr = p->st->nr_cpus, i;

	for (i = 0; i < nr; i++) {
		struct parts_cpu *cpu = &p->cpus[i];
		uint64_t now = cpu->scanned - waiting(p, cpu);

		cpu->taken = now - cpu->taken_before;
		cpu->taken_before = now;
		taken += cpu->taken;
		all += cpu->scanned - now;
		target += cpu->nr_held ? cpu->held[0].nr : 0;
	}
	for (i = 0; i < nr; i++) {
		struct parts_cpu *cpu = &p->cpus[i];
		uint64_t ahead = cpu->scanned - cpu->taken_before;
		uint64_t want = taken && all <= 2 * target ? target * cpu->taken / taken
							   : target / nr;

		cpu->budget = ahead < want ? want - ahead : 0;
	}
	/* Otherwise the bound would not move. */
	if (p->bound_by < nr && !p->cpus[p->bound_by].budget)
		p->cpus[p->bound_by].budget = 1;
}

/* Assumed size of an event, header and callchain included, before any was seen. */
#define USUAL_BYTES 64

/* Bytes of sub-buffers that hold @events of the CPU, judged by those scanned so far. */
static uint64_t bytes_of(const struct parts_cpu *cpu, uint64_t events)
{
	return cpu->scanned ? events * (cpu->bytes / cpu->scanned + 1)
			    : events * USUAL_BYTES;
}

/* Where a round's stretches are cut: the @share of @group has @left bytes. */
struct cut {
	unsigned int group;
	uint64_t share, left;
};

/* Cuts the next stretch of @cpu: @want bytes or the rest of the group's share. Sets @want to what
 * it really is. 0 or -EAGAIN.
 */
static int cut_stretch(struct parts *p, struct cut *cut, struct parts_cpu *cpu,
		       uint64_t *want)
{
	unsigned int now = p->round % 2;
	struct parts_run *of = &cpu->stretches[now];
	struct parts_stretch *s = &p->stretches[now][p->nr_stretches[now]];
	bool last = cut->group == p->nr_groups - 1;
	uint64_t bytes = *want;
	int ret;

	/* With a window, only the one who scans a stretch's first event knows which events are in
	 * it.
	 */
	if (!last && !p->windowed && bytes > cut->left)
		bytes = cut->left;
	*s = (struct parts_stretch){ .cpu = cpu->index,
				     .group = cut->group,
				     .first = !of->nr,
				     .place = (uint64_t)cut->group << PARTS_PLACE_BITS |
					      cpu->place };
	ret = cpu_cursor_cut(cpu->cursor, bytes, &s->range);
	/* An event has at least eight bytes, and each sub-buffer may have a loss. */
	cpu->place += s->range.bytes / 4 + 1;
	if (ret < 0 || cpu->place > PARTS_PLACE_MASK)
		return -EAGAIN;
	cpu->bytes += s->range.bytes;
	cpu->ended = s->last = cpu_cursor_ended(cpu->cursor);
	of->nr++;
	p->nr_stretches[now]++;
	p->cost[cut->group] += s->range.bytes * (cpu->scanned + 1) /
			       (cpu->scanned ? cpu->bytes : USUAL_BYTES);
	*want -= s->range.bytes < *want ? s->range.bytes : *want;
	if (s->range.bytes < cut->left)
		cut->left -= s->range.bytes;
	else if (!last)
		*cut = (struct cut){ cut->group + 1, cut->share, cut->share };
	return 0;
}

/* Cuts stretches off the CPUs, as far as their budgets go. 0 or -EAGAIN. */
static int cut_stretches(struct parts *p)
{
	unsigned int now = p->round % 2;
	uint32_t nr = p->st->nr_cpus, i;
	struct cut cut = { 0 };
	int ret = 0;

	for (i = 0; i < p->nr_groups; i++)
		p->cost[i] = 0;
	for (i = 0; i < nr; i++) {
		if (!p->cpus[i].ended)
			cut.share += bytes_of(&p->cpus[i], p->cpus[i].budget);
	}
	cut.share = cut.left = cut.share / p->nr_groups + 1;
	p->nr_stretches[now] = 0;
	for (i = 0; i < nr && !ret; i++) {
		struct parts_cpu *cpu = &p->cpus[i];
		uint64_t want = bytes_of(cpu, cpu->budget);

		cpu->stretches[now] = (struct parts_run){ p->nr_stretches[now], 0 };
		while (want && !cpu->ended && !ret)
			ret = cut_stretch(p, &cut, cpu, &want);
	}
	return ret;
}

int parts_plan(struct parts *p)
{
	if (p->round)
		p->last = find_bound(p);
	share_out(p);
	return cut_stretches(p);
}
