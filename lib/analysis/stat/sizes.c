// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the requested sizes of slab objects, and what their classes waste.
 * In: lives of slab objects. Out: table "sizes": a histogram of requested sizes for each callsite
 * or cache, with the class that served each, and what a cache of its own would save.
 *
 * A range of sizes ends with a power of two, like most kmalloc classes: 33 to 64 bytes. The class
 * of a kmalloc is the size that the event reports as allocated; its name is known if the recording
 * has slabinfo. There is no built-in list of classes: kernels differ.
 */

#include "analysis/bounds/census.h"
#include "analysis/row/subject.h"
#include "analysis/stat/account_rows.h"
#include "analysis/stat/own_cache.h"
#include "base/keyed.h"
#include "recording/snapshot.h"

/* --- the rows of one table of sizes ------------------------------------------------- */

/* The key of a table row; without padding, as keys are compared as bytes. */
struct size_row_key {
	uint32_t subject;
	uint32_t range; /* of requested sizes: up to 2^range bytes */
	uint32_t bytes; /* of an object: the class */
	uint32_t cache; /* 0 for kmalloc */
	uint32_t kmalloc;
};

/**
 * struct size_row_counts - sums of a row
 * @hit: allocations; @req: bytes requested; @largest: the largest request
 * @live: live now; @most: live at the peak
 */
struct size_row_counts {
	uint64_t hit, req;
	uint64_t live, most;
	uint32_t largest;
};

/**
 * struct size_rows - size_rows_init() it
 * @lives: the source of the lives
 * @known: by struct life_key: its row of the table + 1, with SIZE_ROW_SKIPPED if the user wants its
 *	callsite skipped; 0: not known yet
 * @counts: of the rows, by struct size_row_key
 * @unskipped: allocations listed under a skipped function
 * @failed: memory ran out; the numbers are void
 */
struct size_rows {
	const struct analysis_env *env;
	const struct slab_lives *lives;
	enum subject_kind kind;
	struct sites sites;
	struct subjects subjects;
	KEYED(uint32_t) known;
	struct recent_keys recent;
	KEYED(struct size_row_counts) counts;
	uint64_t unskipped;
	bool failed;
};

#define SIZE_ROW_SKIPPED (1U << 31)

/* Key of similar lives; without padding, as keys are compared as bytes. */
struct life_key {
	uint32_t row, range, bytes;
};

/* @r must not be moved. 0 or -ENOMEM; call size_rows_free() in any case. */
static int size_rows_init(struct size_rows *r, const struct analysis_env *env,
			  const struct slab_lives *lives, enum subject_kind kind)
{
	*r = (struct size_rows){ .env = env, .lives = lives, .kind = kind };
	sites_init(&r->sites, env);
	return subjects_init(&r->subjects, env, kind, &r->sites, &lives->any.dimensions);
}

/* The smallest n for which 2^n bytes hold @size: 64 and 33 are in range 6, 0 and 1 in range 0. */
static uint32_t size_range(uint32_t size)
{
	return size > 1 ? 32 - (uint32_t)__builtin_clz(size - 1) : 0;
}

/* The table row + 1, with SIZE_ROW_SKIPPED if its callsite is skipped; 0: no memory. */
static uint32_t resolve(struct size_rows *r, const struct life_key *life)
{
	const struct slab_key *from = slab_lives_key(r->lives, life->row);
	uint32_t stack = lives_stack(&r->lives->any, life->row);
	const struct subject who = subject_of_row(
		&r->lives->any, life->row, sites_beyond(r->env, from->callsite, stack));
	const struct size_row_key key = { .subject = subjects_row(&r->subjects, &who),
					  .range = life->range,
					  .bytes = life->bytes,
					  .cache = from->kmalloc ? 0 : from->cache,
					  .kmalloc = from->kmalloc };
	uint32_t id = 0;

	if (key.subject != UINT32_MAX)
		id = KEYED_ID(&r->counts, &key);
	if (!id || id >= SIZE_ROW_SKIPPED)
		return 0;
	return id | (sites_skipped(r->env, who.callsite) ? SIZE_ROW_SKIPPED : 0);
}

/* The same, cached by kind of life. */
static uint32_t row_of(struct size_rows *r, const struct life_key *life)
{
	uint32_t *recent = recent_key(&r->recent, life->row, life->range, life->bytes);
	uint32_t *row;

	if (unlikely(!*recent))
		*recent = KEYED_ID(&r->known, life);
	if (unlikely(!*recent))
		return 0;
	row = &r->known.of[*recent - 1];
	if (unlikely(!*row))
		*row = resolve(r, life);
	return *row;
}

static void take_one(struct size_rows *r, const struct life *life)
{
	const struct life_key key = { life->row, size_range((uint32_t)life->bytes_req),
				      (uint32_t)life->bytes };
	struct size_row_counts *c;
	uint32_t row;

	if (life->what == LIFE_FOUND) /* it was gone before */
		return;
	row = row_of(r, &key);
	if (unlikely(!row)) {
		r->failed = true;
		return;
	}
	c = &r->counts.of[(row & ~SIZE_ROW_SKIPPED) - 1];
	if (life->what != LIFE_BORN) {
		c->live -= c->live != 0;
		return;
	}
	r->unskipped += (row & SIZE_ROW_SKIPPED) != 0;
	c->hit++;
	c->req += life->bytes_req;
	if (life->bytes_req > c->largest)
		c->largest = (uint32_t)life->bytes_req;
	if (++c->live > c->most)
		c->most = c->live;
}

static void size_rows_free(struct size_rows *r)
{
	subjects_free(&r->subjects);
	sites_free(&r->sites);
	KEYED_FREE(&r->known);
	KEYED_FREE(&r->counts);
}

struct sizes {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_lives *slab;
	struct size_rows tables[ACCOUNT_ROWS_KINDS];
	unsigned int nr;
};

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	struct sizes *s = ctx;

	for (unsigned int i = 0; i < s->nr; i++)
		for (size_t k = 0; k < nr; k++)
			take_one(&s->tables[i], &life[k]);
}

static void sizes_destroy(void *self)
{
	struct sizes *s = self;

	for (unsigned int i = 0; i < s->nr; i++)
		size_rows_free(&s->tables[i]);
}

static int add_tables(struct sizes *s)
{
	enum subject_kind kinds[ACCOUNT_ROWS_KINDS];
	size_t nr = account_rows_kinds(s->opts, MEMORY_SLAB, kinds);
	int ret = 0;

	for (s->nr = 0; s->nr < nr && !ret; s->nr++)
		ret = size_rows_init(&s->tables[s->nr], s->env, s->slab, kinds[s->nr]);
	return ret ?: lives_observe(&s->slab->any, lived, s);
}

static int sizes_create(void *self, const struct analysis_env *env,
			const struct analysis_options *opts)
{
	struct sizes *s = self;
	struct dimensions slab = subjects_slab_dimensions(opts, env);

	return accounts_of_memory(env->accounts, MEMORY_SLAB, &slab, &s->slab)
		       ?: add_tables(s);
}

/* One table under construction.
 * @names, @classes: names of kmalloc caches by the size of their objects
 * @caches: what is known of the existing caches
 * @frees: the recording has all frees, so live objects are known
 */
struct view {
	const struct sizes *s;
	const struct size_rows *rows;
	struct intern names;
	struct u64_map classes;
	struct own_caches caches;
	bool frees;
};

struct size_row {
	struct subject_row subject;
	const struct view *v;
	const struct size_row_key *key;
	const struct size_row_counts *c;
};

CELL(cell_min, struct size_row,
     cell_uint(r->key->range ? (1ULL << (r->key->range - 1)) + 1 : 0))
CELL(cell_max, struct size_row, cell_uint(1ULL << r->key->range))

static uint64_t allocated(const struct size_row *r)
{
	return r->c->hit * r->key->bytes;
}

CELL(cell_alloc, struct size_row, cell_uint(allocated(r)))

CELL(cell_waste, struct size_row, cell_uint(less(allocated(r), r->c->req)))

CELL(cell_frag, struct size_row,
     cell_real(allocated(r) ? 100.0 * (double)less(allocated(r), r->c->req) /
				      (double)allocated(r)
			    : 0.0))

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

CELL_IF(cell_most, struct size_row, r->v->frees, cell_uint(r->c->most))

/* Only objects from kmalloc's caches: others have their own cache, or need none. */
static bool could_have_own(const struct size_row *r)
{
	return r->v->frees && r->key->kmalloc &&
	       r->key->bytes <= r->v->s->slab->large_bytes;
}

CELL_IF(cell_own, struct size_row, could_have_own(r),
	cell_uint(own_caches_find(&r->v->caches, r->c->largest).size))

static struct cell cell_own_saves(const void *row, struct table *t)
{
	const struct size_row *r = row;
	struct own_cache_gain gain;
	struct own_cache own;

	if (!could_have_own(r))
		return (struct cell){ 0 };
	own = own_caches_find(&r->v->caches, r->c->largest);
	gain = own_cache_gain(&own, r->c->most, r->key->bytes);
	return cell_uint(gain.bytes > 0 ? (uint64_t)gain.bytes : 0);
}

static const struct column_type columns[] = {
	{ COLUMN("size_min", "Min", UNIT_BYTES,
		 "The smallest request that the row counts.", .drop = 50, .level = true),
	  .fill = cell_min },
	{ COLUMN("size_max", "Max", UNIT_BYTES, "The largest: a power of two.",
		 .drop = 20, .level = true),
	  .fill = cell_max },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations.", .drop = 30),
	  MEMBER_OF(struct size_row, c, hit) },
	{ COLUMN("bytes_req", "Total_req/Per", UNIT_BYTES,
		 "Bytes requested, and per allocation on average.", .per = "hit",
		 .drop = 80),
	  MEMBER_OF(struct size_row, c, req) },
	{ COLUMN("bytes", "Total_alloc", UNIT_BYTES, "Bytes that their objects occupy.",
		 .share = true, .drop = 40),
	  .fill = cell_alloc },
	{ COLUMN("waste", "Waste/Per", UNIT_BYTES,
		 "What the class wastes: the second minus the first.", .per = "hit"),
	  .fill = cell_waste },
	{ COLUMN("frag", "Frag", UNIT_PERCENT, "That part of the objects' bytes.",
		 .drop = 90),
	  .fill = cell_frag },
	{ COLUMN("live_most", "Most_live", UNIT_COUNT,
		 "How many of these objects were live at the same time, at most.",
		 .level = true, .drop = 75),
	  .fill = cell_most },
	{ COLUMN("own_object", "Own_object", UNIT_BYTES,
		 "Bytes of an object in a kmem_cache of their own, for the largest of these requests.",
		 .level = true, .hidden = true, .drop = 95),
	  .rows = ROWS(CALLSITE) | ROWS(STACK), .fill = cell_own },
	{ COLUMN("own_saves", "Own_saves", UNIT_BYTES,
		 "Bytes that such a kmem_cache would save when most of them were live, less what its slabs waste; 0: none.",
		 .level = true, .drop = 65),
	  .rows = ROWS(CALLSITE) | ROWS(STACK), .fill = cell_own_saves },
	{ COLUMN("object", "Object", UNIT_BYTES,
		 "The class: bytes of each of these objects.", .drop = 60, .level = true),
	  MEMBER_OF(struct size_row, key, bytes) },
	{ COLUMN("class", "Class", UNIT_NONE,
		 "Its cache: for kmalloc the one of that size in the recording's slabinfo, else the event's; none if neither names it.",
		 .drop = 70),
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

/* The plain kmalloc caches of slabinfo @item, which may be missing, by object size. If several have
 * one size, the shortest name is the plain one: kmalloc-64, not kmalloc-rnd-01-64.
 */
static int add_classes(struct view *v, const char *item)
{
	const char *text = recording_meta_text(v->s->env->rec, item);
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

static void add_summary(const struct view *v, struct table *t)
{
	uint64_t hit = 0, req = 0, alloc = 0;

	for (size_t i = 0; i < v->rows->counts.nr; i++) {
		const struct size_row_key *key = KEYED_KEY(&v->rows->counts, i);
		const struct size_row_counts *c = &v->rows->counts.of[i];

		hit += c->hit;
		req += c->req;
		alloc += c->hit * key->bytes;
	}
	table_set_summary_title(t, "SUMMARY (sizes of slab objects)");
	TABLE_SUMMARY(t, v->s->slab->any.losses != 0,
		      { "allocs", "Allocations", UNIT_COUNT, hit },
		      { "bytes_requested", "Total bytes requested", UNIT_BYTES, req },
		      { "bytes_allocated", "Total bytes allocated", UNIT_BYTES, alloc },
		      { "bytes_wasted", "  wasted by their classes", UNIT_BYTES,
			less(alloc, req) });
}

static void add_notes(const struct view *v, struct table *t)
{
	table_note_if(
		t, v->s->opts->live,
		"!These are all allocations: a histogram does not show which are still live.");
	table_note_if(
		t, !v->classes.count,
		"Object is the allocated size from the events: the recording has no slabinfo with kmalloc's size classes.");
	sites_note_skipped(v->rows->unskipped, "no callchain leads beyond it.", t);
}

static void show(struct view *v, struct report *report)
{
	const struct size_rows *rows = v->rows;
	struct table *t = account_rows_table(
		report, &sizes_type,
		subject_estimated(rows->kind, rows->env->sample.one_in),
		"Sizes of slab objects");

	for (size_t i = 0; i < rows->counts.nr; i++) {
		const struct size_row_key *key = KEYED_KEY(&rows->counts, i);
		const struct size_row row = { .subject = { &rows->subjects,
							   key->subject },
					      .v = v,
					      .key = key,
					      .c = &rows->counts.of[i] };

		table_put_row(t, &row);
	}
	add_notes(v, t);
	add_summary(v, t);
}

static int view_init(struct view *v)
{
	const struct analysis_env *env = v->s->env;
	int ret = own_caches_init(&v->caches, env);

	v->frees = !recording_lacks_frees(env->rec);
	return ret ?: add_classes(v, "slabinfo.before") ?: add_classes(v, "slabinfo.after");
}

static int sizes_view(const void *self, struct report *report)
{
	const struct sizes *s = self;
	struct view v = { .s = s };
	int ret = s->slab->any.failed ? -ENOMEM : view_init(&v);

	for (unsigned int i = 0; i < s->nr && !ret; i++) {
		v.rows = &s->tables[i];
		ret = v.rows->failed ? -ENOMEM : 0;
		if (!ret)
			show(&v, report);
	}
	own_caches_free(&v.caches);
	intern_free(&v.names);
	u64_map_free(&v.classes);
	return ret;
}

const struct analysis analysis_sizes = {
	.name = "sizes",
	.help = "histogram of requested sizes, and their waste",
	.use = ANALYSIS_ASKED,
	.needs = NEEDS_SLAB,
	.rows = ROWS_ALL,
	.tables = TABLES(&sizes_type),
	ANALYSIS_SELF_OPTIONS(struct sizes),
	.create = sizes_create,
	.view = sizes_view,
	.destroy = sizes_destroy,
};
