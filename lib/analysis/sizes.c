// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how large the slab objects asked for are, and what their classes waste.
 * In: slab allocations. Out: table "sizes": a histogram of requested sizes for each callsite
 * or cache, with the class that served each.
 *
 * A range of sizes ends with a power of two, as most kmalloc classes do: 33 to 64 bytes. What
 * served a kmalloc has the size that the event says was allocated; its name is known where
 * the recording holds slabinfo. Nothing is taken from a list of classes: kernels differ.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/dimension.h"
#include "account/snapshot.h"
#include "analysis/analysis.h"
#include "analysis/census.h"
#include "analysis/subject.h"
#include "base/array.h"

/* Allocations that are alike; without padding, as keys are compared as bytes. */
struct size_key {
	uint64_t callsite;
	uint32_t cache; /* name's number in the stream; 0 unknown */
	uint32_t kmalloc;
	struct dimension_values dims; /* of the analysis' dimensions */
	uint32_t bytes;		      /* of an object: the class */
	uint32_t range;		      /* of the sizes asked for: up to 2^range bytes */
	uint32_t pad;
};

struct size_counts {
	uint64_t hit, req, alloc;
};

/* Keys and what was counted of each: number n at n - 1. */
struct size_sums {
	struct intern keys;
	struct size_counts *counts;
	size_t nr, capacity;
};

struct sizes {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct dimensions dimensions;
	struct size_sums sums;
	uint64_t losses;
	bool failed;
};

static int sums_add(struct size_sums *s, const void *key, size_t size,
		    const struct size_counts *c)
{
	uint32_t id = intern_id(&s->keys, key, size);

	if (!id || array_reserve(&s->counts, &s->capacity, id, sizeof(*s->counts)))
		return -ENOMEM;
	if (id > s->nr)
		s->counts[s->nr++] = (struct size_counts){ 0 };
	s->counts[id - 1].hit += c->hit;
	s->counts[id - 1].req += c->req;
	s->counts[id - 1].alloc += c->alloc;
	return 0;
}

static void sums_free(struct size_sums *s)
{
	intern_free(&s->keys);
	free(s->counts);
}

/* The least n for which 2^n bytes hold @size: 64 and 33 are in range 6, 0 and 1 in range 0. */
static uint32_t size_range(uint64_t size)
{
	return size > 1 ? 64 - (uint32_t)__builtin_clzll(size - 1) : 0;
}

static void *sizes_create(const struct analysis_env *env,
			  const struct analysis_options *opts)
{
	struct sizes *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = env;
	s->opts = opts;
	s->dimensions = subjects_slab_dimensions(opts, env);
	return s;
}

static void sizes_event(struct sizes *s, const struct kmem_event *ev)
{
	const uint64_t req = ev->slab_alloc.bytes_req, alloc = ev->slab_alloc.bytes_alloc;
	const struct size_counts one = { 1, req, alloc };
	struct size_key key;

	if (s->env->filter && ev->hidden)
		return;
	/* Neither one that failed nor damage: as in the slab account. */
	if (!ev->slab_alloc.ptr || (req | alloc) > UINT32_MAX)
		return;
	key = (struct size_key){ .callsite = ev->slab_alloc.callsite,
				 .cache = ev->slab_alloc.cache,
				 .kmalloc = kmem_is_kmalloc(ev->type),
				 .dims = dimension_values_of(&s->dimensions, ev),
				 .bytes = (uint32_t)alloc,
				 .range = size_range(req) };
	s->failed |= sums_add(&s->sums, &key, sizeof(key), &one) != 0;
}

static void sizes_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct sizes *s = self;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (kmem_is_slab_alloc(evs[i].type))
			sizes_event(s, &evs[i]);
		else if (evs[i].type == KMEM_LOSS)
			s->losses++;
	}
}

static void sizes_destroy(void *self)
{
	struct sizes *s = self;

	sums_free(&s->sums);
	free(s);
}

/* What tells the rows of a table apart. */
struct row_key {
	uint32_t subject, range, bytes;
	uint32_t cache; /* of objects that kmalloc did not give */
	uint32_t kmalloc;
};

/* One table in the making; @classes: names of kmalloc caches by the size of their objects. */
struct view {
	const struct sizes *s;
	struct sites sites;
	struct intern names;
	struct u64_map classes;
	uint64_t unskipped;
};

struct size_row {
	struct subject_row subject;
	const struct view *v;
	const struct row_key *key;
	const struct size_counts *c;
};

static struct cell cell_min(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(r->key->range ? (1ULL << (r->key->range - 1)) + 1 : 0);
}

static struct cell cell_max(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(1ULL << r->key->range);
}

static struct cell cell_hit(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(r->c->hit);
}

static struct cell cell_req(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(r->c->req);
}

static struct cell cell_alloc(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(r->c->alloc);
}

static uint64_t waste(const struct size_counts *c)
{
	return c->alloc > c->req ? c->alloc - c->req : 0;
}

static struct cell cell_waste(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(waste(r->c));
}

static struct cell cell_frag(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_real(r->c->alloc ? 100.0 * (double)waste(r->c) / (double)r->c->alloc
				     : 0.0);
}

static struct cell cell_object(const void *row, struct table *t)
{
	const struct size_row *r = row;

	return cell_uint(r->key->bytes);
}

static struct cell cell_class(const void *row, struct table *t)
{
	const struct size_row *r = row;
	const uint32_t *name;

	if (!r->key->kmalloc)
		return cell_text(t,
				 event_stream_cache(r->v->s->env->stream, r->key->cache));
	name = u64_map_find(&r->v->classes, r->key->bytes);
	return cell_text(t, name ? intern_get(&r->v->names, *name, NULL) : NULL);
}

static const struct column_type columns[] = {
	{ .column = { .name = "size_min",
		      .title = "From",
		      .unit = UNIT_BYTES,
		      .leaves = 50,
		      .level = true,
		      .help = "The smallest request that the row counts." },
	  .fill = cell_min },
	{ .column = { .name = "size_max",
		      .title = "To",
		      .unit = UNIT_BYTES,
		      .leaves = 20,
		      .level = true,
		      .help = "The largest: a power of two." },
	  .fill = cell_max },
	{ .column = { .name = "hit",
		      .title = "Hit",
		      .unit = UNIT_COUNT,
		      .leaves = 30,
		      .help = "Allocations." },
	  .fill = cell_hit },
	{ .column = { .name = "bytes_req",
		      .title = "Total_req/Per",
		      .unit = UNIT_BYTES,
		      .per = "hit",
		      .leaves = 80,
		      .help = "Bytes requested, and per allocation on average." },
	  .fill = cell_req },
	{ .column = { .name = "bytes",
		      .title = "Total_alloc",
		      .unit = UNIT_BYTES,
		      .share = true,
		      .leaves = 40,
		      .help = "Bytes that their objects occupy." },
	  .fill = cell_alloc },
	{ .column = { .name = "waste",
		      .title = "Waste/Per",
		      .unit = UNIT_BYTES,
		      .per = "hit",
		      .help = "What the class wastes: the second minus the first." },
	  .fill = cell_waste },
	{ .column = { .name = "frag",
		      .title = "Frag",
		      .unit = UNIT_PERCENT,
		      .leaves = 90,
		      .help = "That part of the objects' bytes." },
	  .fill = cell_frag },
	{ .column = { .name = "object",
		      .title = "Object",
		      .unit = UNIT_BYTES,
		      .leaves = 60,
		      .level = true,
		      .help = "The class: bytes of each of these objects." },
	  .fill = cell_object },
	{ .column = { .name = "class",
		      .title = "Class",
		      .leaves = 70,
		      .help = "Its cache: for kmalloc the one of that size in the recording's slabinfo, else the event's; none if neither names it." },
	  .fill = cell_class },
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type sizes_type = {
	.name = "sizes",
	.help = "requested sizes by callsite, by cache (--by cache), or what --by says (--sizes)",
	.sort = "waste,bytes,hit",
	.columns = columns,
};

/* The plain kmalloc caches of slabinfo @item, which may be missing, by their objects' size. Of
 * several of one size the shortest name is the plain one: kmalloc-64, kmalloc-rnd-01-64.
 */
static int add_classes(struct view *v, const char *item)
{
	const struct recording_text *meta = recording_meta(v->s->env->rec, item);
	const char *text = meta ? meta->text : "";
	struct slabinfo_line line;

	while (slabinfo_next(&text, &line)) {
		uint32_t id = intern_id(&v->names, line.name, line.name_len), *known;
		const char *name = intern_get(&v->names, id, NULL);

		if (!id)
			return -ENOMEM;
		if (census_kmalloc_type(name) != KMALLOC_NORMAL ||
		    strncmp(name, "kmalloc-", strlen("kmalloc-")) != 0)
			continue;
		known = u64_map_insert(&v->classes, line.size, id);
		if (!known)
			return -ENOMEM;
		if (strlen(name) < strlen(intern_get(&v->names, *known, NULL)))
			*known = id;
	}
	return 0;
}

/* Adds what was counted up by what the reader is to see. */
static int collect(struct view *v, struct subjects *subjects, struct size_sums *rows)
{
	const struct sizes *s = v->s;
	int ret = 0;
	uint32_t i;

	for (i = 0; i < s->sums.nr && !ret; i++) {
		const struct size_key *from = intern_get(&s->sums.keys, i + 1, NULL);
		uint32_t stack =
			dimension_value(&s->dimensions, &from->dims, DIMENSION_STACK);
		const struct subject who = { .callsite = sites_beyond(
						     s->env, from->callsite, stack),
					     .stack = stack,
					     .dims = from->dims,
					     .cache = from->cache,
					     .kmalloc = from->kmalloc };
		struct row_key key = { .range = from->range,
				       .bytes = from->bytes,
				       .cache = from->kmalloc ? 0 : from->cache,
				       .kmalloc = from->kmalloc };

		if (sites_skipped(s->env, who.callsite))
			v->unskipped += s->sums.counts[i].hit;
		key.subject = subjects_row(subjects, &who);
		ret = key.subject == UINT32_MAX
			      ? -ENOMEM
			      : sums_add(rows, &key, sizeof(key), &s->sums.counts[i]);
	}
	return ret;
}

static void add_summary(const struct sizes *s, struct table *t)
{
	struct size_counts all = { 0 };
	bool bound = s->losses != 0;
	size_t i;

	for (i = 0; i < s->sums.nr; i++) {
		all.hit += s->sums.counts[i].hit;
		all.req += s->sums.counts[i].req;
		all.alloc += s->sums.counts[i].alloc;
	}
	table_set_summary_title(t, "SUMMARY (sizes of slab objects)");
	table_add_summary(t, "allocs", "Allocations", UNIT_COUNT, cell_uint(all.hit),
			  bound);
	table_add_summary(t, "bytes_requested", "Total bytes requested", UNIT_BYTES,
			  cell_uint(all.req), bound);
	table_add_summary(t, "bytes_allocated", "Total bytes allocated", UNIT_BYTES,
			  cell_uint(all.alloc), bound);
	table_add_summary(t, "bytes_wasted", "  wasted by their classes", UNIT_BYTES,
			  cell_uint(waste(&all)), bound);
}

static void add_notes(const struct view *v, struct table *t)
{
	if (v->s->opts->live)
		table_add_note(
			t,
			"!These are all allocations: a histogram does not show which are still live.");
	if (!v->classes.count)
		table_add_note(
			t,
			"Object is the allocated size from the events: the recording has no slabinfo with kmalloc's size classes.");
	if (v->unskipped)
		table_add_note(
			t,
			"!%" PRIu64
			" slab allocations are listed under a skipped function: no callchain leads beyond it.",
			v->unskipped);
}

static int show_by(struct view *v, enum subject_kind kind, struct report *report)
{
	struct strbuf title = { 0 };
	struct size_sums rows = { 0 };
	struct subjects subjects;
	char words[SUBJECT_WORDS];
	struct table *t;
	uint32_t i;
	int ret;

	v->unskipped = 0;
	strbuf_printf(&title, "Sizes of slab objects by %s", subjects_words(kind, words));
	t = table_type_new(&sizes_type, strbuf_text(&title), kind, false);
	strbuf_free(&title);
	ret = subjects_init(&subjects, v->s->env, kind, &v->sites, &v->s->dimensions);
	if (!ret)
		ret = t ? collect(v, &subjects, &rows) : -ENOMEM;
	for (i = 0; i < rows.nr && !ret; i++) {
		const struct row_key *key = intern_get(&rows.keys, i + 1, NULL);
		const struct size_row row = { .subject = { &subjects, key->subject },
					      .v = v,
					      .key = key,
					      .c = &rows.counts[i] };

		if (!table_type_add_row(&sizes_type, kind, t, &row))
			break;
	}
	if (!ret) {
		table_set_by(t, words);
		add_notes(v, t);
		add_summary(v->s, t);
		report_add_table(report, t);
		t = NULL;
	}
	table_free(t);
	subjects_free(&subjects);
	sums_free(&rows);
	return ret;
}

static int sizes_view(const void *self, struct report *report)
{
	const struct sizes *s = self;
	const struct analysis_options *o = s->opts;
	struct view v = { .s = s };
	int ret = s->failed ? -ENOMEM : 0;

	sites_init(&v.sites, s->env);
	if (!ret)
		ret = add_classes(&v, "slabinfo.before");
	if (!ret)
		ret = add_classes(&v, "slabinfo.after");
	if (!ret && (o->by_caller || (!o->by && !o->by_cache)))
		ret = show_by(&v, SUBJECT_CALLSITE, report);
	if (!ret && o->by)
		ret = show_by(&v, o->by, report);
	if (!ret && o->by_cache)
		ret = show_by(&v, SUBJECT_CACHE, report);
	sites_free(&v.sites);
	intern_free(&v.names);
	u64_map_free(&v.classes);
	return ret;
}

static const struct table_type *const tables[] = { &sizes_type, NULL };

const struct analysis analysis_sizes = {
	.name = "sizes",
	.help = "histogram of requested sizes, and their waste",
	.use = ANALYSIS_ASKED,
	.needs = NEEDS_SLAB,
	.rows = ROWS_ALL,
	.tables = tables,
	.create = sizes_create,
	.observe = sizes_observe,
	.apart = true,
	.view = sizes_view,
	.destroy = sizes_destroy,
};
