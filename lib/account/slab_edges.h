/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: slab events close in time to the kernel's counts of objects.
 * In: when caches were counted; events. Out: what was allocated and freed around these times.
 *
 * Each cache was counted at its own time, shortly after tracing began and shortly before it ended.
 * To compare a cache's events with its counts, the events before the first count and after the
 * second are needed.
 */
#ifndef KMEMX_ACCOUNT_SLAB_EDGES_H
#define KMEMX_ACCOUNT_SLAB_EDGES_H

#include "event/event.h"
#include "recording/recording.h"

/* A few milliseconds of events at each end; with more events, the counts are not used. */
#define SLAB_EDGES_MAX (1U << 21)

/* Objects of one kind: of a named cache, kmallocs of a size, or of a size and a cache without a
 * name.
 */
struct slab_edge_kind {
	uint32_t cache;	   /* name's number in the stream; 0 for a kmalloc */
	uint32_t bytes;	   /* of a kmalloc; 0 for a free of an unknown object */
	uint32_t nameless; /* bytes of an object whose allocation named no cache */
};

enum slab_edge_what {
	SLAB_EDGE_ALLOC,
	SLAB_EDGE_FREE, /* of an object that was live by the events, or an allocation over it */
	SLAB_EDGE_FREE_OLD, /* of any other object */
};

struct slab_edge {
	uint64_t ts;
	struct slab_edge_kind kind;
	enum slab_edge_what what;
};

/**
 * struct slab_edges - zero-initialise it, then slab_edges_init()
 * @head_end, @tail_begin: events up to the first time and from the second on are kept
 * @events: in no particular order
 * @incomplete: there were too many events, or no memory
 */
struct slab_edges {
	uint64_t head_end, tail_begin;
	struct slab_edge *events;
	size_t nr;
	bool incomplete;
};

/* Finds when the caches of @rec were counted. False: they were not. */
bool slab_edges_init(struct slab_edges *edges, const struct recording *rec);
/* Keeps a slab event if it is close to a count. @ended: the live object that it frees or allocates
 * over; NULL: none.
 */
void slab_edges_event(struct slab_edges *edges, const struct kmem_event *ev,
		      const struct slab_edge_kind *ended);
void slab_edges_free(struct slab_edges *edges);

/* May one of the events from @first to @last be close to a count? */
static inline bool slab_edges_near(const struct slab_edges *edges, uint64_t first,
				   uint64_t last)
{
	return edges && (first <= edges->head_end || last >= edges->tail_begin);
}

#endif
