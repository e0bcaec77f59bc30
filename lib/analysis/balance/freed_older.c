// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who allocated what was freed in the recording, and allocated before it.
 * In: page events and the opening balance; frees of slab objects without an allocation, and
 * alloc_traces. Out: tables "older" and "older_objects".
 *
 * A page's frame identifies its owner. For objects, alloc_traces only has numbers by callsite.
 */

#include "analysis/balance/balance.h"
#include "recording/snapshot.h"

#define BEFORE ".before"

struct freed_older {
	const struct analysis_env *env;
	struct older pages;
	struct slab_lives *slab; /* NULL: the recording has no alloc_traces */
};

/* @freed: objects of the cache that were freed; @all: its objects before the recording. */
struct object_row {
	uint64_t freed, before, all;
	struct strbuf cache, owner;
};

CELL(cell_freed_most, struct object_row, cell_uint(SMALLER(r->freed, r->before)))
CELL(cell_part, struct object_row, cell_real(100.0 * (double)r->before / (double)r->all))

static const struct column_type columns[] = {
	{ COLUMN("freed_most", "Freed_most", UNIT_COUNT,
		 "Of the owner's objects, at most so many were freed: what was freed of the cache, or all that the owner had."),
	  .fill = cell_freed_most },
	{ COLUMN("freed", "Freed", UNIT_COUNT,
		 "Objects of the cache that were freed, whoever owned them.", .drop = 20),
	  MEMBER(struct object_row, freed) },
	{ COLUMN("before", "Before", UNIT_COUNT,
		 "Objects that the owner had before the recording.", .drop = 10),
	  MEMBER(struct object_row, before) },
	{ COLUMN("part", "Part", UNIT_PERCENT,
		 "The owner's part of the cache's objects before the recording.",
		 .drop = 30),
	  .fill = cell_part },
	{ COLUMN("cache", "Cache", UNIT_NONE, "The slab cache."),
	  MEMBER(struct object_row, cache) },
	{ COLUMN("owner", "Owner", UNIT_NONE, "The callsite, by alloc_traces.",
		 .last = true),
	  MEMBER(struct object_row, owner) },
	COLUMNS_END,
};

static const struct table_type objects_type = {
	.name = "older_objects",
	.help = "slab objects that were freed in the recording and allocated before it, or in bulk",
	.title =
		"Slab objects freed in the recording, and allocated before it or in bulk",
	.sort = "freed_most,before",
	.columns = columns,
};

/* --- objects ---------------------------------------------------------------------------- */

/* Numbered names of caches; by number: objects that were freed, and that were there before. */
struct caches {
	struct intern names;
	uint64_t *freed, *before;
	uint64_t unnamed; /* objects of unknown caches that were freed */
};

static int find_freed(const struct freed_older *f, struct caches *c)
{
	const struct u64_map *surplus = &f->slab->surplus;

	/* Each pair of cache and kind of free has a slot. */
	c->freed = calloc(surplus->count + 1, sizeof(*c->freed));
	c->before = calloc(surplus->count + 1, sizeof(*c->before));
	if (!c->freed || !c->before)
		return -ENOMEM;
	for_each(slot, surplus->slots, surplus->capacity) {
		uint32_t cache = (uint32_t)(slot->key >> 1), id;
		const char *name;

		if (!slot->used || slot->key != slab_surplus_key(cache, false))
			continue;
		name = event_stream_cache(f->env->stream, cache);
		if (!name) {
			c->unnamed += slot->value;
			continue;
		}
		id = intern_id(&c->names, name, strlen(name));
		if (!id)
			return -ENOMEM;
		c->freed[id] += slot->value;
	}
	return 0;
}

static const char *traces_of(const struct freed_older *f)
{
	return recording_meta_text(f->env->rec, RECORDING_META_ALLOC_TRACES BEFORE);
}

static int add_objects(const struct freed_older *f, struct caches *c, struct table *t)
{
	const char *text = traces_of(f);
	struct alloc_trace_line line;
	int ret = 0;
	uint32_t id;

	while (alloc_trace_next(&text, &line)) {
		id = intern_find(&c->names, line.cache, line.cache_len);
		c->before[id] += line.objects;
	}
	for (text = traces_of(f); !ret && alloc_trace_next(&text, &line);) {
		struct object_row row = { .before = line.objects };

		id = intern_find(&c->names, line.cache, line.cache_len);
		if (!id || !line.objects)
			continue;
		row.freed = c->freed[id];
		row.all = c->before[id];
		strbuf_add(&row.cache, line.cache, line.cache_len);
		strbuf_add(&row.owner, line.name, line.name_len);
		if (row.cache.failed || row.owner.failed || !table_put_row(t, &row))
			ret = -ENOMEM;
		strbuf_free(&row.cache);
		strbuf_free(&row.owner);
	}
	return ret;
}

static int report_objects(const struct freed_older *f, struct report *report)
{
	struct table *t = table_plain(report, &objects_type);
	struct caches c = { .freed = NULL };
	int ret = find_freed(f, &c) ?: add_objects(f, &c, t);

	table_note_if(t, !ret && c.unnamed,
		      "Of %" PRIu64
		      " more object%s the cache is not known: kfree() does not tell.",
		      c.unnamed, plural(c.unnamed));
	intern_free(&c.names);
	free(c.freed);
	free(c.before);
	return ret;
}

/* --- the analysis ----------------------------------------------------------------------- */

static int freed_create(void *self, const struct analysis_env *env,
			const struct analysis_options *opts)
{
	const struct dimensions none = { { 0 } };
	struct freed_older *f = self;
	int ret = older_init(&f->pages, env);

	if (!ret && *traces_of(f))
		ret = accounts_of_memory(env->accounts, MEMORY_SLAB, &none, &f->slab);
	return ret;
}

static void freed_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct freed_older *f = self;

	older_events(&f->pages, evs, nr);
}

static int freed_view(const void *self, struct report *report)
{
	const struct freed_older *f = self;
	struct page_uses uses = { .env = NULL };
	int ret = f->pages.failed ? -ENOMEM : page_uses_init(&uses, f->env);

	if (!ret && f->slab && f->slab->any.failed)
		ret = -ENOMEM;
	ret = ret ?: older_report(&f->pages, &uses, true, report);
	if (!ret && f->slab && analysis_seen(f->env) & NEEDS_SLAB)
		ret = report_objects(f, report);
	page_uses_free(&uses);
	return ret;
}

static void freed_destroy(void *self)
{
	struct freed_older *f = self;

	older_free(&f->pages);
}

static const char *freed_lacks(const struct recording *rec)
{
	return recording_meta(rec, RECORDING_META_OPENING BEFORE) ||
			       recording_meta(rec, RECORDING_META_ALLOC_TRACES BEFORE)
		       ? NULL
		       : "does not say what memory was used for before it";
}

const struct analysis analysis_opening = {
	.name = "opening",
	.help = "who allocated what was freed, and was there before",
	.use = ANALYSIS_ASKED,
	.seldom = true,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.record = "--opening",
	.all_time = "the opening balance is of the recording's beginning",
	.unfiltered = "no event tells of these allocations",
	.unsampled = "no event tells of these allocations",
	.all_frees = true,
	.lacks = freed_lacks,
	.tables = TABLES(&older_type, &objects_type),
	ANALYSIS_SELF(struct freed_older),
	.create = freed_create,
	.observe = freed_observe,
	.view = freed_view,
	.destroy = freed_destroy,
};
