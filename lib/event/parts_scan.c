// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: the CPUs' events, each handed on to the part of its address.
 * In: CPUs of a stream. Out: for each part, its events of each CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/parts_state.h"
#include "recording/cpu_cursor.h"

/* Is the page event @ev about pages of more than one part? An allocation that is not aligned to
 * its size is none: all of it is in any part.
 */
static inline bool in_two_parts(const struct kmem_event *ev, unsigned int shift)
{
	bool alloc = ev->type == KMEM_PAGE_ALLOC;
	uint32_t order = alloc ? ev->page_alloc.order : ev->page_free.order;
	uint64_t low = ev->page_free.pfn & ((1ULL << shift) - 1);

	return order > shift || (!alloc && low + (1ULL << order) > 1ULL << shift);
}

int parts_lane_reserve(struct parts_lane *lane, size_t nr)
{
	return array_reserve(&lane->evs, &lane->capacity, lane->nr + nr,
			     sizeof(*lane->evs));
}

static __always_inline void pack(struct parts_event *to, const struct kmem_event *ev,
				 uint64_t place)
{
	uint64_t more = ev->slab_alloc.bytes_alloc;

	memcpy(to, ev, PARTS_HEAD);
	to->place = place;
	to->more = (uint32_t)more;
	to->large = more > UINT32_MAX;
	memcpy(to->words, &ev->slab_alloc.callsite, 16);
	memcpy(&to->words[2], &ev->slab_alloc.bytes_req, 8);
	memcpy(&to->node, &ev->slab_alloc.node, 8);
}

/* A loss, the first of the CPU's current batch, concerns every part. 0 or -ENOMEM. */
static int hand_on_loss(const struct parts_cpu *cpu, const struct kmem_event *ev,
			struct parts_lane *lanes)
{
	const struct cpu_batch *now = cpu->events->now;
	unsigned int i;

	for (i = 0; i < EVENT_PARTS; i++) {
		if (parts_lane_reserve(&lanes[i], 1))
			return -ENOMEM;
		lanes[i].evs[lanes[i].nr++] =
			(struct parts_event){ .ts = ev->ts,
					      .place = cpu->place,
					      .words = { now->missed, now->since_ts },
					      .type = KMEM_LOSS };
	}
	return 0;
}

/* Hands the group's @nr decoded events on. 0; -EAGAIN, -ENOMEM. */
static int hand_on(const struct parts *p, struct parts_group *g, struct parts_cpu *cpu,
		   size_t nr)
{
	struct parts_lane *lanes = g->lanes[p->round % 2];
	unsigned int page_shift = p->how->page_shift;
	const struct kmem_event *ev = g->evs, *end = ev + nr;
	uint64_t last_ts = cpu->last_ts;

	for (; ev < end; ev++) {
		bool slab = kmem_is_slab(ev->type), page = kmem_is_page(ev->type);
		uint64_t of_slab = ev->slab_free.ptr >> EVENT_PARTS_SLAB_SHIFT;
		uint64_t of_page = ev->page_free.pfn >> page_shift;
		struct parts_lane *lane = &lanes[event_part(slab ? of_slab : of_page)];

		if (unlikely(ev->ts < last_ts))
			return -EAGAIN;
		last_ts = ev->ts;
		if (likely(slab | page)) {
			if (unlikely(page && in_two_parts(ev, page_shift)))
				return -EAGAIN;
			if (unlikely(lane->nr == lane->capacity) &&
			    parts_lane_reserve(lane, 1))
				return -ENOMEM;
			pack(&lane->evs[lane->nr++], ev,
			     cpu->place + (uint64_t)(ev - g->evs));
		} else if (ev->type == KMEM_LOSS && hand_on_loss(cpu, ev, lanes)) {
			return -ENOMEM;
		}
	}
	cpu->place += nr;
	cpu->last_ts = last_ts;
	return 0;
}

/* The items of the CPU's current batch become events. 0; -EAGAIN, -ENOMEM. */
static int scan_batch(const struct parts *p, struct parts_group *g, struct parts_cpu *cpu)
{
	const struct cpu_batch *now = cpu->events->now;
	const struct raw_item *item = now->items, *end = item + now->nr;
	int ret = 0;

	while (item < end && !ret) {
		size_t nr = 0, lost;

		/* An event begins with its item; a loss has no record. */
		for (; item < end && nr < PARTS_BATCH; nr++)
			memcpy(&g->evs[nr], item++, sizeof(*item));
		lost = !g->evs[0].data; /* only a sub-buffer's first item is one */
		if (unlikely(lost))
			decode_loss(&g->evs[0]);
		ret = decode_events(&g->dec, g->evs + lost, nr - lost,
				    &g->stats.nr_undecodable);
		if (!ret)
			ret = hand_on(p, g, cpu, nr);
	}
	if (ret || array_reserve(&cpu->held, &cpu->held_capacity, cpu->nr_held + 1,
				 sizeof(*cpu->held)))
		return ret ? ret : -ENOMEM;
	cpu->held[cpu->nr_held++] = (struct parts_held){ cpu->last_ts, now->nr };
	cpu->scanned += now->nr;
	return 0;
}

static int scan_batches(const struct parts *p, struct parts_group *g,
			struct parts_cpu *cpu)
{
	uint64_t until = cpu->scanned + cpu->budget;

	while (cpu->scanned < until) {
		int ret = cpu_events_refill(cpu->events);

		if (ret <= 0) {
			cpu->ended = true;
			return ret;
		}
		ret = scan_batch(p, g, cpu);
		if (ret)
			return ret;
	}
	return 0;
}

/* Scans a CPU, and notes which events of the group's lanes are its own. */
static int scan_cpu(const struct parts *p, struct parts_group *g, struct parts_cpu *cpu)
{
	const struct parts_lane *lanes = g->lanes[p->round % 2];
	struct parts_run *runs = cpu->runs[p->round % 2];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < EVENT_PARTS; i++)
		runs[i].from = lanes[i].nr;
	if (!cpu->ended && cpu->budget)
		ret = scan_batches(p, g, cpu);
	for (i = 0; i < EVENT_PARTS; i++)
		runs[i].nr = lanes[i].nr - runs[i].from;
	return ret;
}

void parts_scan(struct parts *p, unsigned int group)
{
	struct parts_group *g = &p->groups[group];
	uint32_t i;

	for (i = 0; i < EVENT_PARTS; i++)
		g->lanes[p->round % 2][i].nr = 0;
	for (i = group; i < p->st->nr_cpus && !g->error; i += p->nr_groups) {
		struct parts_cpu *cpu = &p->cpus[i];

		g->error = scan_cpu(p, g, cpu);
		/* Unreadable parts are reported when all is read in one order. */
		if (g->error < 0 && g->error != -ENOMEM)
			g->error = -EAGAIN;
		if (!g->error && (g->stats.nr_bad_pages || g->shared.stopped ||
				  cpu_cursor_damaged(cpu->events->cursor)))
			g->error = -EAGAIN;
	}
}
