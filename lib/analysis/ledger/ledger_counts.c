// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: replaces slabinfo by exact counts in the ledger's rows, if there are any.
 * In: rows by slabinfo, counts, events near them. Out: rows by the counts.
 */
#include "analysis/ledger/ledger_counts.h"

#include "account/snapshot.h"
#include "analysis/bounds/census_kernel.h"

static void read_counts(struct books *b, const char *item, bool after)
{
	const struct recording_text *meta = recording_meta(b->ledger->env->rec, item);
	const char *text = meta ? meta->text : "";
	struct slab_count_line line;

	while (slab_count_next(&text, &line)) {
		uint32_t id = intern_find(&b->names, line.name, line.name_len);
		struct books_cache *cache;
		struct books_count *count;

		if (!id || id > b->nr_caches || line.objects > INT64_MAX / 2 ||
		    line.held > UINT32_MAX || line.sheaf > UINT32_MAX)
			continue;
		cache = &b->caches[id - 1];
		count = after ? &cache->last : &cache->first;
		if (count->counted) /* listed twice: damage */
			continue;
		*count = (struct books_count){ .counted = true,
					       .objects = line.objects,
					       .read = line.read,
					       .end = line.end,
					       .held = line.held * cache->per_slab };
		cache->sheaf = line.sheaf;
	}
}

/* Adds a cache's count to that of its row. If the cache is empty at both ends, the time of the
 * count does not matter.
 */
static void add_count(struct books_count *to, const struct books_count *of, bool empty)
{
	to->objects += of->objects;
	to->held += of->held;
	if (empty)
		return;
	if (!to->counted || of->read < to->read)
		to->read = of->read;
	if (!to->counted || of->end > to->end)
		to->end = of->end;
	to->counted = true;
}

static void add_counts(struct books *b)
{
	uint64_t nr_sheaves = census_sheaves(b->ledger->env->rec);
	size_t i;

	for (i = 0; i < b->nr_caches; i++) {
		const struct books_cache *cache = &b->caches[i];
		struct books_row *row = &b->rows[cache->row];
		bool empty = !cache->first.objects && !cache->last.objects;

		if (!cache->first.counted || !cache->last.counted)
			continue;
		row->nr_counted++;
		add_count(&row->first, &cache->first, empty);
		add_count(&row->last, &cache->last, empty);
		row->sheaves += cache->sheaf * nr_sheaves;
	}
	for (i = 0; i < b->nr_rows; i++) {
		struct books_row *row = &b->rows[i];
		uint64_t held = row->first.held > row->last.held ? row->first.held
								 : row->last.held;

		row->exact = row->nr_caches && row->nr_counted == row->nr_caches &&
			     row->first.counted && row->last.counted &&
			     row->first.end < row->last.read;
		if (!row->exact)
			continue;
		row->before = (int64_t)row->first.objects;
		row->after = (int64_t)row->last.objects;
		row->slack = held + row->sheaves;
	}
}

/* The row that the event was added to; NULL: none. */
static struct books_row *row_of(struct books *b, const struct ledger_edge *e)
{
	uint32_t row = e->what == LEDGER_EDGE_UNKNOWN ? b->unknown_rows[e->id]
						      : b->group_rows[e->id];

	return row == UINT32_MAX ? NULL : &b->rows[row];
}

static void take_out(struct books_row *row, enum ledger_edge_what what)
{
	switch (what) {
	case LEDGER_EDGE_ALLOC:
		row->allocs--;
		break;
	case LEDGER_EDGE_FREE:
	case LEDGER_EDGE_UNKNOWN:
		row->freed--;
		break;
	case LEDGER_EDGE_IMPLICIT:
		row->implicit--;
		break;
	case LEDGER_EDGE_AGAIN:
		row->again--;
		break;
	}
}

void ledger_counts_use(struct books *b)
{
	const struct ledger_edges *edges = &b->ledger->edges;
	size_t i;

	if (!edges->counted)
		return;
	read_counts(b, "slab_counts.before", false);
	read_counts(b, "slab_counts.after", true);
	add_counts(b);
	for (i = 0; i < edges->nr; i++) {
		const struct ledger_edge *e = &edges->events[i];
		struct books_row *row = row_of(b, e);

		if (!row || !row->exact ||
		    (e->ts > row->first.end && e->ts < row->last.read))
			continue;
		take_out(row, e->what);
		row->unsure += e->ts >= row->first.read && e->ts <= row->last.end;
	}
}
