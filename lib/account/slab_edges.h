/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the slab events next to the kernel's counts of objects.
 * In: when caches were counted, events. Out: what was allocated and freed before and after.
 *
 * Each cache has been counted at a time of its own, shortly after tracing began and shortly
 * before it ended. What the counts say of the time between needs the events outside of it.
 */
#ifndef KMEMX_ACCOUNT_SLAB_EDGES_H
#define KMEMX_ACCOUNT_SLAB_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "event/event.h"
#include "recording/recording.h"

/* Objects of one kind: of a named cache, or kmallocs of a size. */
struct slab_edge_kind {
	uint32_t cache; /* name's number in the stream; 0 of a kmalloc */
	uint32_t bytes; /* of a kmalloc; 0 of a free of no one knows what */
};

enum slab_edge_what {
	SLAB_EDGE_ALLOC,
	SLAB_EDGE_FREE, /* of an object that lived by the events, or an allocation over it */
	SLAB_EDGE_FREE_OLD, /* of any other */
};

struct slab_edge {
	uint64_t ts;
	struct slab_edge_kind kind;
	enum slab_edge_what what;
};

/**
 * struct slab_edges - zero-initialise it, then slab_edges_init()
 * @head_end, @tail_begin: events up to the one and from the other on are kept
 * @events: in no particular order
 * @incomplete: there were too many, or no memory
 */
struct slab_edges {
	uint64_t head_end, tail_begin;
	struct slab_edge *events;
	size_t nr, capacity;
	bool incomplete;
};

/* When the caches of @rec were counted. False: they were not. */
bool slab_edges_init(struct slab_edges *edges, const struct recording *rec);
/* Keeps a slab event, if it is next to a count. @ended: the live object whose life it ends, which
 * it frees or allocates over; NULL: there is none.
 */
void slab_edges_event(struct slab_edges *edges, const struct kmem_event *ev,
		      const struct slab_edge_kind *ended);
/* Adds an edge of another set. */
void slab_edges_add(struct slab_edges *edges, const struct slab_edge *edge);
void slab_edges_free(struct slab_edges *edges);

/* May one of the events from @first to @last be next to a count? */
static inline bool slab_edges_near(const struct slab_edges *edges, uint64_t first,
				   uint64_t last)
{
	return edges && (first <= edges->head_end || last >= edges->tail_begin);
}

#endif
