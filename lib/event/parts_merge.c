// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: one part's events, in the time order of all CPUs.
 * In: the part's events of each CPU. Out: all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/parts_state.h"

/* How many of the events @evs, @nr of them, are within the bound. */
static size_t count_within(const struct parts_bound *bound, uint32_t index,
			   const struct parts_event *evs, size_t nr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (parts_within(bound, evs[mid].ts, index))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void wait_for(struct parts_lane *lane, const struct parts_event *evs, size_t nr)
{
	if (nr)
		memcpy(lane->evs + lane->nr, evs, nr * sizeof(*evs));
	lane->nr += nr;
}

/* Where @from of the lane's events begins; no null pointer where it has none. */
static const struct parts_event *lane_events(const struct parts_lane *lane, size_t from)
{
	static const struct parts_event none;

	return lane->evs ? lane->evs + from : &none;
}

/* Sets the head of CPU @i to what is within the bound; the rest waits. 0 or -ENOMEM. */
static int begin_cpu(struct parts *p, struct parts_merge *m, unsigned int part,
		     uint32_t i)
{
	unsigned int now = p->round % 2, before = !now;
	const struct parts_lane *lane = &p->groups[i % p->nr_groups].lanes[before][part];
	const struct parts_run *old = &m->runs[before][i];
	const struct parts_run *new = &p->cpus[i].runs[before][part];
	const struct parts_event *waited = lane_events(&m->waiting[before], old->from);
	const struct parts_event *scanned = lane_events(lane, new->from);
	size_t nr = count_within(&p->bound, i, waited, old->nr);
	size_t more = nr < old->nr ? 0 : count_within(&p->bound, i, scanned, new->nr);
	struct parts_lane *to = &m->waiting[now];

	m->runs[now][i] = (struct parts_run){ to->nr, old->nr - nr + new->nr - more };
	if (parts_lane_reserve(to, m->runs[now][i].nr))
		return -ENOMEM;
	wait_for(to, waited + nr, old->nr - nr);
	wait_for(to, scanned + more, new->nr - more);
	m->heads[i] = (struct parts_head){ waited, waited + nr, scanned, scanned + more };
	if (!nr)
		m->heads[i] =
			(struct parts_head){ .next = scanned, .end = scanned + more };
	if (nr + more)
		merge_add(&m->merge, m->heads[i].next->ts, i);
	return 0;
}

/* Sets the heads and the merge. 0 or -ENOMEM. */
static int begin(struct parts *p, struct parts_merge *m, unsigned int part)
{
	uint32_t i;
	int ret = 0;

	merge_clear(&m->merge);
	m->waiting[p->round % 2].nr = 0;
	for (i = 0; i < p->st->nr_cpus && !ret; i++)
		ret = begin_cpu(p, m, part, i);
	merge_build(&m->merge);
	return ret;
}

/* An event as the stream would give it, with its numbers of names and stacks. */
static inline void unpack(struct kmem_event *to, const struct parts_event *ev,
			  const struct parts_group *g, const struct cpu_head *of)
{
	memcpy(to, ev, PARTS_HEAD);
	memcpy(&to->slab_alloc.callsite, ev->words, 16);
	memcpy(&to->slab_alloc.bytes_req, &ev->words[2], 8);
	to->slab_alloc.bytes_alloc = ev->more | (uint64_t)ev->large << 32;
	to->cpu = of->cpu;
	to->buffer = of->buffer;
	to->hidden = false;
	to->stack = ev->stack ? g->stacks.ids[ev->stack - 1] : 0;
	if (kmem_is_slab_alloc(ev->type)) {
		to->slab_alloc.node = ev->node;
		to->slab_alloc.cache = ev->cache ? g->names.ids[ev->cache - 1] : 0;
	} else if (kmem_is_slab_free(ev->type) && to->slab_free.cache) {
		to->slab_free.cache = g->names.ids[to->slab_free.cache - 1];
	}
}

static void flush(struct parts *p, struct parts_merge *m, unsigned int part)
{
	const struct event_part *to = &p->how->parts[part];

	if (m->nr)
		to->take(to->ctx, m->evs, m->nr);
	m->nr = 0;
}

/* The events of @head up to the time @limit, at least one, at most those that there is room
 * for.
 */
static inline void take_run(struct parts_merge *m, struct parts_head *head,
			    const struct parts_group *g, const struct cpu_head *of,
			    uint64_t limit)
{
	const struct parts_event *ev = head->next, *end = head->end;

	do {
		unpack(&m->evs[m->nr++], ev++, g, of);
	} while (ev < end && ev->ts <= limit && m->nr < PARTS_BATCH);
	head->next = ev;
}

/* With more of them a run is mostly of one event. */
#define FEW_CPUS 4

/* The last time stamp with which the top comes first. It costs more than the next choice where
 * runs are short: with many CPUs only whoever was first before is asked.
 */
static uint64_t run_limit(const struct merge *merge)
{
	struct merge_item second;

	if (!merge_second(merge, &second))
		return UINT64_MAX;
	return second.ts - (merge->top.index > second.index);
}

void parts_take(struct parts *p, unsigned int part)
{
	struct parts_merge *m = p->merges[part];
	const struct event_part *to = &p->how->parts[part];
	bool few = p->st->nr_cpus <= FEW_CPUS;
	uint32_t before = MERGE_NONE;
	const struct merge_item *top;

	if (!m->error)
		m->error = begin(p, m, part);
	if (m->error)
		return;
	while ((top = merge_top(&m->merge))) {
		uint32_t index = top->index;
		struct parts_head *head = &m->heads[index];

		take_run(m, head, &p->groups[index % p->nr_groups], &p->st->heads[index],
			 few || index == before ? run_limit(&m->merge) : 0);
		before = index;
		if (m->nr == PARTS_BATCH)
			flush(p, m, part);
		if (head->next == head->end && head->then < head->then_end)
			*head = (struct parts_head){ .next = head->then,
						     .end = head->then_end };
		if (head->next < head->end)
			merge_replace_top(&m->merge, head->next->ts);
		else
			merge_pop(&m->merge);
	}
	flush(p, m, part);
	if (p->last && to->end)
		to->end(to->ctx);
}

struct parts_merge *parts_merge_new(const struct event_stream *st)
{
	struct parts_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->runs[0] = calloc(st->nr_cpus + 1UL, sizeof(*m->runs[0]));
	m->runs[1] = calloc(st->nr_cpus + 1UL, sizeof(*m->runs[1]));
	m->heads = calloc(st->nr_cpus + 1UL, sizeof(*m->heads));
	if (!merge_init(&m->merge, st->nr_cpus) && m->runs[0] && m->runs[1] && m->heads)
		return m;
	parts_merge_free(m);
	return NULL;
}

void parts_merge_free(struct parts_merge *m)
{
	if (!m)
		return;
	free(m->waiting[0].evs);
	free(m->waiting[1].evs);
	free(m->runs[0]);
	free(m->runs[1]);
	free(m->heads);
	merge_free(&m->merge);
	free(m);
}
