// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/slab_edges.h"

#include "base/array.h"
#include "recording/snapshot.h"

bool slab_edges_init(struct slab_edges *edges, const struct recording *rec)
{
	const struct recording_text *before = recording_meta(rec, "slab_counts.before");
	const struct recording_text *after = recording_meta(rec, "slab_counts.after");
	struct slab_count_line line;
	const char *text;

	*edges = (struct slab_edges){ .tail_begin = UINT64_MAX };
	if (!before || !after)
		return false;
	for (text = before->text; slab_count_next(&text, &line);)
		edges->head_end = LARGER(line.end, edges->head_end);
	for (text = after->text; slab_count_next(&text, &line);)
		edges->tail_begin = SMALLER(line.begin, edges->tail_begin);
	return edges->head_end && edges->head_end < edges->tail_begin &&
	       edges->tail_begin != UINT64_MAX;
}

static void keep(struct slab_edges *edges, uint64_t ts, enum slab_edge_what what,
		 struct slab_edge_kind kind)
{
	edges->incomplete |=
		edges->nr >= SLAB_EDGES_MAX ||
		ARRAY_ADD(edges->events, edges->nr, (struct slab_edge){ ts, kind, what });
}

void slab_edges_event(struct slab_edges *edges, const struct kmem_event *ev,
		      const struct slab_edge_kind *ended)
{
	struct slab_edge_kind kind = { 0 };

	if (ev->ts > edges->head_end && ev->ts < edges->tail_begin)
		return;
	if (ended)
		keep(edges, ev->ts, SLAB_EDGE_FREE, *ended);
	if (ev->type >= KMEM_KFREE) {
		kind.cache = ev->slab_free.cache;
		if (!ended)
			keep(edges, ev->ts, SLAB_EDGE_FREE_OLD, kind);
		return;
	}
	if (ev->type <= KMEM_KMALLOC_NODE)
		kind.bytes = (uint32_t)ev->slab_alloc.bytes_alloc;
	else if (ev->slab_alloc.cache)
		kind.cache = ev->slab_alloc.cache;
	else
		kind.nameless = (uint32_t)ev->slab_alloc.bytes_alloc;
	keep(edges, ev->ts, SLAB_EDGE_ALLOC, kind);
}

void slab_edges_free(struct slab_edges *edges)
{
	free(edges->events);
	*edges = (struct slab_edges){ 0 };
}
