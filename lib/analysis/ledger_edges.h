/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger's events near the ends of a recording, where caches were counted.
 * In: when caches were counted, what events did. Out: those near a count, to be taken out again.
 *
 * Each cache was counted at a time of its own, shortly after tracing began and shortly before it
 * ended: its count is compared with what events say of the time between.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_EDGES_H
#define KMEMX_ANALYSIS_LEDGER_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "recording/recording.h"

/* What an event did to a group's numbers. */
enum ledger_edge_what {
	LEDGER_EDGE_ALLOC,
	LEDGER_EDGE_FREE,
	LEDGER_EDGE_IMPLICIT,
	LEDGER_EDGE_AGAIN,
	LEDGER_EDGE_UNKNOWN, /* of no group: a free of an object of an unknown cache */
};

/* @id: the group, or for LEDGER_EDGE_UNKNOWN the number of the page. */
struct ledger_edge {
	uint64_t ts;
	uint32_t id;
	enum ledger_edge_what what;
};

/**
 * struct ledger_edges - ledger_edges_init() it
 * @head_end, @tail_begin: events up to the one and from the other on are kept
 * @counted: the caches were counted at both ends, and all events there could be kept
 */
struct ledger_edges {
	uint64_t head_end, tail_begin;
	struct ledger_edge *events;
	size_t nr, capacity;
	bool counted;
};

void ledger_edges_init(struct ledger_edges *edges, const struct recording *rec);
/* (for the function below) */
void ledger_edges_keep(struct ledger_edges *edges, const struct ledger_edge *edge);

/* Keeps what an event at @ts (ns) did, if it is near a count. */
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
