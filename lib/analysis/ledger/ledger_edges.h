/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger's events near the start and end of a recording, when caches were counted.
 * In: times of the counts, effects of events. Out: events near a count, to be subtracted again.
 *
 * Each cache was counted at its own time, shortly after tracing began and shortly before it ended:
 * its count is compared with the events in between.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_EDGES_H
#define KMEMX_ANALYSIS_LEDGER_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "recording/recording.h"

/* How an event changed a group's numbers. */
enum ledger_edge_what {
	LEDGER_EDGE_ALLOC,
	LEDGER_EDGE_FREE,
	LEDGER_EDGE_IMPLICIT,
	LEDGER_EDGE_AGAIN,
	LEDGER_EDGE_UNKNOWN, /* no group: a free of an object of an unknown cache */
};

/* @id: the group, or for LEDGER_EDGE_UNKNOWN the number of the page. */
struct ledger_edge {
	uint64_t ts;
	uint32_t id;
	enum ledger_edge_what what;
};

/**
 * struct ledger_edges - ledger_edges_init() it
 * @head_end, @tail_begin: events up to @head_end and from @tail_begin on are kept
 * @counted: the caches were counted at both ends, and all events there were kept
 */
struct ledger_edges {
	uint64_t head_end, tail_begin;
	struct ledger_edge *events;
	size_t nr, capacity;
	bool counted;
};

void ledger_edges_init(struct ledger_edges *edges, const struct recording *rec);
/* Slow path of ledger_edges_add(). */
void ledger_edges_keep(struct ledger_edges *edges, const struct ledger_edge *edge);

/* Keeps the effect of an event at @ts (ns) if it is near a count. */
static inline void ledger_edges_add(struct ledger_edges *edges, uint64_t ts,
				    enum ledger_edge_what what, uint32_t id)
{
	const struct ledger_edge edge = { ts, id, what };

	if (unlikely(edges->counted &&
		     (ts <= edges->head_end || ts >= edges->tail_begin)))
		ledger_edges_keep(edges, &edge);
}

void ledger_edges_free(struct ledger_edges *edges);

#endif
