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

/* The lane's events from @from on; never a null pointer. */
static const struct parts_event *lane_events(const struct parts_lane *lane, size_t from)
{
	static const struct parts_event none;

	return lane->evs ? lane->evs + from : &none;
}

/* Gives CPU @i the lane's @run, as far as it is within the bound. The rest waits, and so does what
 * follows it. 0 or -ENOMEM.
 */
static int add_piece(struct parts *p, struct parts_merge *m, uint32_t i,
		     const struct parts_lane *lane, const struct parts_run *run)
{
	struct parts_lane *to = &m->waiting[p->round % 2];
	struct parts_run *rest = &m->runs[p->round % 2][i];
	const struct parts_event *evs = lane_events(lane, run->from);
	size_t nr = rest->nr ? 0 : count_within(&p->bound, i, evs, run->nr);

	if (parts_lane_reserve(to, run->nr - nr) ||
	    array_reserve(&m->pieces, &m->pieces_capacity, m->nr_pieces + 1,
			  sizeof(*m->pieces)))
		return -ENOMEM;
	wait_for(to, evs + nr, run->nr - nr);
	rest->nr += run->nr - nr;
	if (nr)
		m->pieces[m->nr_pieces++] = (struct parts_piece){ evs, evs + nr };
	return 0;
}

/* Moves the head to its next piece. False after the last. */
static inline bool next_piece(const struct parts_merge *m, struct parts_head *head)
{
	if (head->next == head->end)
		return false;
	head->now = m->pieces[head->next++];
	return true;
}

/* Sets the head of CPU @i to events that waited and that were scanned. 0 or -ENOMEM. */
static int begin_cpu(struct parts *p, struct parts_merge *m, unsigned int part,
		     uint32_t i)
{
	unsigned int now = p->round % 2, before = !now;
	const struct parts_run *of = &p->cpus[i].stretches[before];
	struct parts_head *head = &m->heads[i];
	size_t k, first = m->nr_pieces;
	int ret = 0;

	m->runs[now][i] = (struct parts_run){ m->waiting[now].nr, 0 };
	if (m->runs[before][i].nr)
		ret = add_piece(p, m, i, &m->waiting[before], &m->runs[before][i]);
	for (k = of->from; k < of->from + of->nr && !ret; k++) {
		const struct parts_stretch *s = &p->stretches[before][k];

		if (s->runs[part].nr)
			ret = add_piece(p, m, i, &p->groups[s->group].lanes[before][part],
					&s->runs[part]);
	}
	*head = (struct parts_head){ .next = first, .end = m->nr_pieces };
	if (!ret && next_piece(m, head))
		merge_add(&m->merge, head->now.next->ts, i);
	return ret;
}

/* Sets the heads and the merge. 0 or -ENOMEM. */
static int begin(struct parts *p, struct parts_merge *m, unsigned int part)
{
	uint32_t i;
	int ret = 0;

	merge_clear(&m->merge);
	m->waiting[p->round % 2].nr = 0;
	m->nr_pieces = 0;
	for (i = 0; i < p->st->nr_cpus && !ret; i++)
		ret = begin_cpu(p, m, part, i);
	merge_build(&m->merge);
	return ret;
}

/* Makes an event as the stream would, with its numbers of names and stacks. */
static inline void unpack(struct kmem_event *to, const struct parts_event *ev,
			  const struct parts_group *groups, const struct cpu_head *of,
			  uint64_t place)
{
	const struct parts_group *g = &groups[ev->place >> PARTS_PLACE_BITS];

	memcpy(to, ev, PARTS_HEAD);
	to->place = place | (ev->place & PARTS_PLACE_MASK);
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

/* Takes the events of CPU @index up to the time @limit: at least one, at most what there is room
 * for.
 */
static inline void take_run(const struct parts *p, struct parts_merge *m, uint32_t index,
			    uint64_t limit)
{
	const struct parts_event *ev = m->heads[index].now.next;
	const struct parts_event *end = m->heads[index].now.end;
	const struct cpu_head *of = &p->st->heads[index];

	do {
		unpack(&m->evs[m->nr++], ev++, p->groups, of,
		       (uint64_t)index << PARTS_PLACE_BITS);
	} while (ev < end && ev->ts <= limit && m->nr < PARTS_BATCH);
	m->heads[index].now.next = ev;
}

/* With more CPUs, most runs are of one event. */
#define FEW_CPUS 4

/* The last time stamp with which the top comes first. With short runs this costs more than the next
 * choice, so with many CPUs only a CPU that was first before is asked.
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

		take_run(p, m, index, few || index == before ? run_limit(&m->merge) : 0);
		before = index;
		if (m->nr == PARTS_BATCH)
			flush(p, m, part);
		if (head->now.next < head->now.end || next_piece(m, head))
			merge_replace_top(&m->merge, head->now.next->ts);
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
	free(m->pieces);
	free(m->heads);
	merge_free(&m->merge);
	free(m);
}
