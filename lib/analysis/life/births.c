// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/life/births.h"

#include "base/array.h"

#define LIMIT_LEAST 16384

void births_start(struct births *b, uint16_t cpu, uint64_t ts, int32_t pid)
{
	struct births_start *last;
	struct births_cpu *c;

	if (array_reach(&b->cpus, &b->nr_cpus, &b->capacity, cpu + 1UL)) {
		b->failed = true;
		return;
	}
	if (!b->limit)
		b->limit = LIMIT_LEAST;
	c = &b->cpus[cpu];
	if (c->nr && ts < c->last_ts) {
		b->disordered = true;
		ts = c->last_ts;
	}
	last = c->nr ? &c->starts[c->nr - 1] : NULL;
	if (last && last->pid == pid) {
		c->last_ts = ts;
		return;
	}
	if (array_reserve(&c->starts, &c->capacity, c->nr + 1)) {
		b->failed = true;
		return;
	}
	c->starts[c->nr++] = (struct births_start){
		.ts = ts,
		.pid = pid,
		.tied = last && ts == c->last_ts,
	};
	c->last_ts = ts;
	b->count++;
}

/* The last start not after @ts, or the first one if all are later. NULL: the CPU has none. */
static struct births_start *find_start(const struct births *b, uint16_t cpu, uint64_t ts)
{
	const struct births_cpu *c = cpu < b->nr_cpus ? &b->cpus[cpu] : NULL;
	size_t nr;

	if (!c || !c->nr)
		return NULL;
	nr = COUNT_FIRST(i, c->nr, c->starts[i].ts <= ts);
	return &c->starts[nr ? nr - 1 : 0];
}

int32_t births_find(const struct births *b, uint16_t cpu, uint64_t ts, bool *guess)
{
	const struct births_start *start = find_start(b, cpu, ts);

	if (!start)
		return INT32_MIN;
	if (b->disordered || ts < start->ts || (start->tied && start->ts == ts))
		*guess = true;
	return start->pid;
}

void births_keep(struct births *b, uint16_t cpu, uint64_t ts)
{
	struct births_start *start = find_start(b, cpu, ts);

	if (start)
		start->needed = true;
}

/* Keeps the last start of each CPU: the next allocation may belong to it. */
void births_drop(struct births *b)
{
	b->count = 0;
	for_each(c, b->cpus, b->nr_cpus) {
		size_t nr = 0;

		for (size_t i = 0; i < c->nr; i++) {
			struct births_start start = c->starts[i];

			if (!start.needed && i + 1 < c->nr)
				continue;
			start.needed = false;
			c->starts[nr++] = start;
		}
		c->nr = nr;
		b->count += nr;
	}
	b->limit = 2 * b->count > LIMIT_LEAST ? 2 * b->count : LIMIT_LEAST;
}

void births_free(struct births *b)
{
	for (size_t cpu = 0; cpu < b->nr_cpus; cpu++)
		free(b->cpus[cpu].starts);
	free(b->cpus);
}
