// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: scans stretches of the CPUs' events and hands each event to the part of its address.
 * In: sub-buffers of some CPUs. Out: for each part, its events of each stretch.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/parts_state.h"
#include "recording/cpu_cursor.h"

/* Is the page event @ev about pages of more than one part? An unaligned allocation is implausible
 * and may go to any part, so it does not count.
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

/* Hands a loss, the first of the current batch, to every part. 0 or -ENOMEM. */
static int hand_on_loss(const struct parts_stretch *s, const struct cpu_batch *now,
			const struct kmem_event *ev, struct parts_lane *lanes)
{
	unsigned int i;

	for (i = 0; i < EVENT_PARTS; i++) {
		if (parts_lane_reserve(&lanes[i], 1))
			return -ENOMEM;
		lanes[i].evs[lanes[i].nr++] =
			(struct parts_event){ .ts = ev->ts,
					      .place = s->place,
					      .words = { now->missed, now->since_ts },
					      .type = KMEM_LOSS };
	}
	return 0;
}

/* The part of a slab or page event. */
static inline unsigned int part_of(const struct parts *p, const struct kmem_event *ev)
{
	uint64_t of_slab = ev->slab_free.ptr >> EVENT_PARTS_SLAB_SHIFT;
	uint64_t of_page = ev->page_free.pfn >> p->how->page_shift;

	return event_part(kmem_is_slab(ev->type) ? of_slab : of_page);
}

/* Hands the group's @nr decoded events to the parts. 0; -EAGAIN, -ENOMEM. */
static int hand_on(const struct parts *p, struct parts_group *g, struct parts_stretch *s,
		   size_t nr)
{
	struct parts_lane *lanes = g->lanes[p->round % 2];
	unsigned int page_shift = p->how->page_shift;
	const struct kmem_event *ev = g->evs, *end = ev + nr;
	uint64_t last_ts = s->last_ts;

	for (; ev < end; ev++) {
		bool slab = kmem_is_slab(ev->type), page = kmem_is_page(ev->type);
		struct parts_lane *lane = &lanes[part_of(p, ev)];

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
			     s->place + (uint64_t)(ev - g->evs));
		} else if (ev->type == KMEM_LOSS &&
			   hand_on_loss(s, g->events.now, ev, lanes)) {
			return -ENOMEM;
		}
	}
	s->place += nr;
	s->last_ts = last_ts;
	return 0;
}

/* Notes which of the @nr events just handed on, items from @first on, still wait for their
 * callchain. It must be in a later stretch, because all of this one was scanned.
 */
static void note_claims(const struct parts *p, const struct parts_group *g,
			struct parts_stretch *s, const struct raw_item *first, size_t nr)
{
	unsigned int i;

	for (i = 0; i < STACK_CONTEXTS; i++) {
		uintptr_t owner = g->events.claims.owners[i];
		const struct kmem_event *ev;
		size_t at;

		if (owner < (uintptr_t)first || owner >= (uintptr_t)(first + nr))
			continue;
		at = (size_t)((const struct raw_item *)owner - first);
		ev = &g->evs[at];
		s->waiting[i] = (struct parts_claim){
			.there = true,
			.part = kmem_is_slab(ev->type) || kmem_is_page(ev->type)
					? part_of(p, ev)
					: PARTS_NOWHERE,
			.round = p->round,
			.stretch = (size_t)(s - p->stretches[p->round % 2]),
			.ts = ev->ts,
			.page = s->held.nr,
			.place = s->place - nr + at,
		};
	}
}

/* Turns the items of the current batch into events. 0; -EAGAIN, -ENOMEM. */
static int scan_batch(const struct parts *p, struct parts_group *g,
		      struct parts_stretch *s)
{
	const struct cpu_batch *now = g->events.now;
	const struct raw_item *item = now->items, *end = item + now->nr;
	int ret = 0;

	while (item < end && !ret) {
		const struct raw_item *first = item;
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
			ret = hand_on(p, g, s, nr);
		if (!ret && g->events.ended)
			note_claims(p, g, s, first, nr);
	}
	if (ret ||
	    array_reserve(&g->held, &g->held_capacity, g->nr_held + 1, sizeof(*g->held)))
		return ret ? ret : -ENOMEM;
	g->held[g->nr_held++] = (struct parts_held){ s->last_ts, now->nr };
	s->held.nr++;
	s->nr += now->nr;
	return 0;
}

/* Sets what is known of the events before the stretch. */
static void begin_stretch(const struct parts *p, struct cpu_events *ce,
			  struct parts_stretch *s)
{
	const struct parts_cpu *cpu = &p->cpus[s->cpu];
	unsigned int i;

	ce->cut = s->last && p->st->cpus[s->cpu].cut;
	s->scan.blind = !s->first;
	if (!s->first)
		return;
	s->last_ts = cpu->last_ts;
	ce->last_ts = cpu->record_ts;
	ce->claims = cpu->claims;
	for (i = 0; i < STACK_CONTEXTS; i++) {
		if (cpu->waiting[i].there)
			ce->claims.owners[i] = CPU_INHERITED(i);
	}
}

/* Damage is logged later, when everything is read in one order. */
static bool is_damaged(const struct parts_group *g, const struct parts_stretch *s,
		       uint32_t page_size, bool compressed)
{
	uint64_t pages = (s->range.bytes + page_size - 1) / page_size;

	return g->stats.nr_bad_pages || g->stats.nr_backwards || g->shared.stopped ||
	       cpu_cursor_damaged(g->events.cursor) ||
	       (!compressed && !s->past_stop && s->scan.nr_pages != pages);
}

static int scan_stretch(const struct parts *p, struct parts_group *g,
			struct parts_stretch *s)
{
	const struct event_stream_cpu *of = &p->st->cpu_stats[s->cpu];
	const struct recording_buffer *buf = &p->st->rec->buffers[of->buffer];
	struct cpu_events *ce = &g->events;
	int ret;

	cpu_cursor_go(ce->cursor, p->cpus[s->cpu].cursor, &s->range);
	s->stats = (struct event_stream_cpu){ .buffer = of->buffer, .cpu = of->cpu };
	s->held.from = g->nr_held;
	ret = cpu_events_enter(ce, &s->scan, &s->stats);
	if (ret)
		return ret;
	begin_stretch(p, ce, s);
	while ((ret = cpu_events_refill(ce)) > 0) {
		ret = scan_batch(p, g, s);
		if (ret)
			return ret;
	}
	s->record_ts = ce->last_ts;
	s->past_stop = ce->past_stop;
	s->claims = ce->claims;
	s->growth = cpu_cursor_growth(ce->cursor);
	if (!ret && is_damaged(g, s, buf->page_size, buf->compressed))
		ret = -EAGAIN;
	return ret;
}

void parts_scan(struct parts *p, unsigned int group)
{
	struct parts_group *g = &p->groups[group];
	unsigned int now = p->round % 2, i;
	size_t k;

	for (i = 0; i < EVENT_PARTS; i++)
		g->lanes[now][i].nr = 0;
	g->nr_held = 0;
	for (k = 0; k < p->nr_stretches[now] && !g->error; k++) {
		struct parts_stretch *s = &p->stretches[now][k];

		if (s->group != group)
			continue;
		for (i = 0; i < EVENT_PARTS; i++)
			s->runs[i].from = g->lanes[now][i].nr;
		g->error = scan_stretch(p, g, s);
		for (i = 0; i < EVENT_PARTS; i++)
			s->runs[i].nr = g->lanes[now][i].nr - s->runs[i].from;
		/* Unreadable parts are reported later, when everything is read in one order. */
		if (g->error < 0 && g->error != -ENOMEM)
			g->error = -EAGAIN;
	}
}
