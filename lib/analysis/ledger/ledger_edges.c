// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger's events near the start and end of a recording, when caches were counted.
 * In: times of the counts, effects of events. Out: events near a count, to be subtracted again.
 */
#include "analysis/ledger/ledger_edges.h"

#include <stdlib.h>

#include "account/slab_edges.h"
#include "analysis/bounds/bounds.h"
#include "base/array.h"

/* A few milliseconds of events at each end; if there are more, slabinfo has to do. */
#define MAX_EVENTS (1U << 21)

void ledger_edges_init(struct ledger_edges *edges, const struct recording *rec)
{
	struct slab_edges times;

	*edges = (struct ledger_edges){ .counted = census_has_counts(rec) &&
						   slab_edges_init(&times, rec) };
	if (!edges->counted)
		return;
	edges->head_end = times.head_end;
	edges->tail_begin = times.tail_begin;
	slab_edges_free(&times);
}

void ledger_edges_keep(struct ledger_edges *edges, const struct ledger_edge *edge)
{
	if (edges->nr >= MAX_EVENTS ||
	    array_reserve(&edges->events, &edges->capacity, edges->nr + 1,
			  sizeof(*edges->events)))
		edges->counted = false;
	else
		edges->events[edges->nr++] = *edge;
}

void ledger_edges_free(struct ledger_edges *edges)
{
	free(edges->events);
	*edges = (struct ledger_edges){ 0 };
}
