/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event (internal): the state of reading in parts.
 * In: nothing. Out: types for scanning CPUs, merging parts, and planning the rounds of both.
 *
 * In each round, stretches of the CPUs' sub-buffers are scanned, and at the same time the parts
 * take the events that the previous round scanned. They take them up to a bound: the earliest of
 * the last events of all CPUs, because nothing before it can still come. Events after the bound
 * wait.
 *
 * A CPU may have many stretches in a round. Each is scanned without the results of the one before;
 * they are joined at the round's end.
 */
#ifndef KMEMX_EVENT_PARTS_STATE_H
#define KMEMX_EVENT_PARTS_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "event/parts.h"
#include "event/stream_state.h"

/* Stretches are scanned in groups, which have stacks, names and stats of their own. */
#define PARTS_GROUPS_MAX 16U

/* How many events are decoded or taken at a time: they stay in the nearest cache. */
#define PARTS_BATCH 128

/* kmem_event.place: the CPU's index in the stream, above a number that grows with each of its
 * events. On the way to a part, the group's number takes the place of the CPU's.
 */
#define PARTS_PLACE_BITS 40
#define PARTS_PLACE_MASK ((1ULL << PARTS_PLACE_BITS) - 1)

/**
 * struct parts_event - an event on its way to a part: what accounts need, in one cache line,
 * because memory and branches on the kind of event cost most
 * @more: low half of the fourth word of the kind's data; @large: the high half is not 0
 * @stack, and the numbers of caches: of the group
 * @words: the first three words of the kind's data
 * @node, @cache: of a slab allocation
 *
 * Except for @more and @large, it begins like struct kmem_event.
 */
struct parts_event {
	uint64_t ts, place;
	uint32_t more;
	uint32_t stack;
	uint16_t large;
	uint8_t flags, type;
	int32_t pid;
	uint64_t words[3];
	int32_t node;
	uint32_t cache;
};

/* The part that both structs begin with. */
#define PARTS_HEAD offsetof(struct parts_event, words)

#define PARTS_SAME(field) \
	(offsetof(struct parts_event, field) == offsetof(struct kmem_event, field))

_Static_assert(
	PARTS_SAME(ts) && PARTS_SAME(place) && PARTS_SAME(stack) && PARTS_SAME(flags) &&
		PARTS_SAME(type) && PARTS_SAME(pid) && PARTS_HEAD == 32 &&
		offsetof(struct parts_event, more) == offsetof(struct kmem_event, size) &&
		offsetof(struct parts_event, large) == offsetof(struct kmem_event, id),
	"they begin alike");

/* Bytes from the first word. */
#define PARTS_AT(field)                       \
	(offsetof(struct kmem_event, field) - \
	 offsetof(struct kmem_event, slab_alloc.callsite))

_Static_assert(PARTS_AT(slab_alloc.ptr) == 8 && PARTS_AT(slab_alloc.bytes_req) == 16 &&
		       PARTS_AT(slab_alloc.bytes_alloc) == 24 &&
		       PARTS_AT(slab_free.callsite) == 0 &&
		       PARTS_AT(slab_free.ptr) == 8 && PARTS_AT(slab_free.cache) == 16 &&
		       PARTS_AT(page_alloc.pfn) == 0 &&
		       PARTS_AT(page_alloc.migratetype) < 24 &&
		       PARTS_AT(page_free.pfn) == 0 && PARTS_AT(page_free.order) < 24 &&
		       PARTS_AT(loss.since_ts) < 24,
	       "the words say all but what follows them");
_Static_assert(sizeof(struct parts_event) == 64, "one line");

/* Events for one part: CPU after CPU, those of each CPU in time order. */
struct parts_lane {
	struct parts_event *evs;
	size_t nr, capacity;
};

/* The events of one CPU in a lane. */
struct parts_run {
	size_t from, nr;
};

/* Events before (@ts, @index): at equal times, CPUs with a lower index come first. */
struct parts_bound {
	uint64_t ts;
	uint32_t index;
};

static inline bool parts_within(const struct parts_bound *b, uint64_t ts, uint32_t index)
{
	return ts < b->ts || (ts == b->ts && index < b->index);
}

/* A scanned sub-buffer: its number of events for all parts, and the time of the last one. */
struct parts_held {
	uint64_t last_ts, nr;
};

/**
 * struct parts_claim - an event whose callchain may be in a later stretch
 * @there: there is one; @part: its part; PARTS_NOWHERE: none
 * @round: the round that scanned it; @stretch: in that round
 * @page: of the CPU, counted from 0
 * @place: as in its lane
 */
struct parts_claim {
	bool there;
	unsigned int part, round;
	size_t stretch;
	uint64_t ts, page, place;
};

#define PARTS_NOWHERE EVENT_PARTS

/**
 * struct parts_stretch - sub-buffers of one CPU that one thread scans
 * @cpu: its index; @group: the group that scans it
 * @first: the CPU's first in this round, so that what came before is known; @last: the CPU's last
 * @range: where they are
 * @place: of its next event; @last_ts: of the event or loss before
 * @runs: its events in the group's lanes; @held: in the group's
 * @scan, @stats, @claims: see struct cpu_events; @record_ts: of the last record of any kind
 * @past_stop: the time window is over
 * @waiting: by context, the event whose callchain a later stretch may have
 */
struct parts_stretch {
	uint32_t cpu;
	unsigned int group;
	bool first, last, past_stop;
	struct block_range range;
	uint64_t place, last_ts, record_ts, nr;
	struct parts_run runs[EVENT_PARTS], held;
	struct cpu_stretch scan;
	struct event_stream_cpu stats;
	struct stack_claims claims;
	struct parts_claim waiting[STACK_CONTEXTS];
	struct cpu_growth growth;
};

/**
 * struct parts_cpu - how far one CPU is
 * @cursor: where the next stretch is cut off
 * @place: of the next stretch's first event
 * @bytes: of all stretches so far
 * @scanned: events so far; @taken: by the parts in the last round; @taken_before: in all rounds up
 *	to then
 * @budget: events to be scanned in this round
 * @stretches: alternately of this round and the one before
 * @held: sub-buffers with events that wait behind the bound, @nr_held of them
 * @last_ts, @record_ts, @claims, @waiting, @growth: of its last stretch, the latter of all;
 * @nr_pages: so far
 */
struct parts_cpu {
	struct cpu_cursor *cursor;
	uint32_t index;
	bool ended;
	uint64_t place, bytes;
	uint64_t scanned, taken, taken_before, budget;
	struct parts_run stretches[2];
	struct parts_held *held;
	size_t nr_held, held_capacity;
	uint64_t last_ts, record_ts, nr_pages;
	struct stack_claims claims;
	struct parts_claim waiting[STACK_CONTEXTS];
	struct cpu_growth growth;
};

/* ids[n - 1] is the stream's number for number n of the group's table. */
struct parts_ids {
	uint32_t *ids;
	size_t nr, capacity;
};

/**
 * struct parts_group - scans some stretches, one after the other
 * @events: the stretch at hand; @shared: with @dec as its decoder
 * @stacks, @names: the stream's numbers of those known before this round
 * @lanes: what this round and the one before scanned, alternately
 * @held: sub-buffers of this round
 * @evs: room to decode in
 * @error: -EAGAIN, -ENOMEM
 */
struct parts_group {
	struct cpu_events events;
	struct cpu_shared shared;
	struct decoder dec;
	struct event_stream_stats stats;
	struct parts_ids stacks, names;
	struct parts_lane lanes[2][EVENT_PARTS];
	struct parts_held *held;
	size_t nr_held, held_capacity;
	struct kmem_event evs[PARTS_BATCH];
	int error;
};

/* Consecutive events of one CPU. */
struct parts_piece {
	const struct parts_event *next, *end;
};

/**
 * struct parts_merge - one part
 * @waiting: events behind the bound of this round and of the one before, alternately; @runs: of
 *	each CPU
 * @pieces: what is taken now: events that waited, then those scanned; those of one CPU are adjacent
 * @heads: for each CPU, the current piece and those that follow
 * @evs: what is next, @nr of them
 */
struct parts_merge {
	struct parts_lane waiting[2];
	struct parts_run *runs[2];
	struct parts_piece *pieces;
	size_t nr_pieces, pieces_capacity;
	struct parts_head {
		struct parts_piece now;
		size_t next, end;
	} * heads;
	struct merge merge;
	struct kmem_event evs[PARTS_BATCH];
	size_t nr;
	int error;
};

/**
 * struct parts - all of it
 * @groups, @nr_groups: they scan
 * @windowed: there is a time window: what a stretch counts depends on those before
 * @round_events: how many each round should scan, roughly
 * @round: number of rounds so far; its parity selects the lanes that stretches are scanned into
 * @stretches: of this round and the one before, alternately; by CPU, those of a CPU in their order
 * @last: this round has nothing left to scan
 * @bound: of what the parts take in this round; @bound_by: the CPU that sets it
 * @cost: of each group's stretches in this round, in events
 */
struct parts {
	struct event_stream *st;
	const struct event_parts *how;
	struct parts_cpu *cpus;
	struct parts_group *groups;
	unsigned int nr_groups;
	bool windowed;
	uint64_t round_events;
	struct parts_merge *merges[EVENT_PARTS];
	unsigned int round;
	struct parts_stretch *stretches[2];
	size_t nr_stretches[2];
	bool last;
	struct parts_bound bound;
	uint32_t bound_by;
	uint64_t cost[PARTS_GROUPS_MAX];
};

/* Plans what the next round scans, and up to where its parts take events. 0; -EAGAIN. */
int parts_plan(struct parts *p) __must_check;
/* Scans the stretches of group @group for this round. */
void parts_scan(struct parts *p, unsigned int group);
/* At the end of a round: joins the stretches. 0; -EAGAIN, -ENOMEM. */
int parts_join(struct parts *p) __must_check;
/* Room for @nr more events. 0 or -ENOMEM. */
int parts_lane_reserve(struct parts_lane *lane, size_t nr) __must_check;
/* Part @part takes what was scanned before this round, up to the bound. */
void parts_take(struct parts *p, unsigned int part);
/* NULL: no memory. */
struct parts_merge *parts_merge_new(const struct event_stream *st);
void parts_merge_free(struct parts_merge *m);

#endif
