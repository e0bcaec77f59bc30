// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a recording allocated, under names that another recording has too.
 * In: lives. Out: tables "slab", "slab_cache", "page", "page_matrix" and some more to be
 * compared.
 */
#include "analysis/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "account/accounts.h"
#include "analysis/page_matrix.h"
#include "analysis/profile_name.h"
#include "analysis/sites.h"
#include "base/array.h"

enum profile_kind { KIND_SLAB, KIND_CACHE, KIND_PAGE };

/* What tells one table of a kind from the other. */
struct profile_type {
	enum profile_kind kind;
	bool by_dir; /* whatever env->by says, and in full depth */
	const char *name, *title;
};

static const struct profile_type slab_type = { KIND_SLAB, false, "slab",
					       "Slab allocations" };
static const struct profile_type slab_dir_type = { KIND_SLAB, true, "slab_dir",
						   "Slab allocations" };
static const struct profile_type cache_type = { KIND_CACHE, false, "slab_cache",
						"Slab allocations" };
static const struct profile_type page_type = { KIND_PAGE, false, "page",
					       "Page allocations" };
static const struct profile_type page_dir_type = { KIND_PAGE, true, "page_dir",
						   "Page allocations" };

/* A row of the table: whatever has one name. Bytes, but for @hit and @implicit. */
struct profile_group {
	uint64_t bytes, hit, net_min, waste;
	uint64_t live, peak, largest;
	uint64_t implicit; /* ends without an event */
};

/**
 * struct profile - one table in the making
 * @slab, @pages: of the stream; one of them
 * @sources: of a table by cache: source_key() -> source
 * @groups: number n of @names belongs to groups[n - 1]
 * @group_of: of each source: an account row that ever was live, or what @sources holds
 * @all: the whole table's numbers
 */
struct profile {
	const struct analysis_env *env;
	const struct profile_type *type;
	enum profile_kind kind;
	enum subject_kind by;
	struct slab_account *slab;
	struct page_account *pages;
	struct u64_map sources;
	struct intern names;
	struct profile_group *groups;
	size_t groups_capacity;
	uint32_t *group_of;
	size_t nr_sources, sources_capacity;
	struct profile_group all;
	struct strbuf name; /* scratch */
	bool failed;
};

/* What happens to one of the table's objects. */
struct profile_life {
	uint32_t row, bytes_alloc; /* the account's; an object's */
	uint64_t bytes, waste;
	enum { LIFE_BEGINS, LIFE_ENDS, LIFE_ENDS_UNSEEN, LIFE_END_SEEN_LATE } what;
};

/* The row's name where that follows from its callsite. */
static void name_site(struct profile *p, uint64_t callsite)
{
	if (p->by == SUBJECT_MODULE)
		profile_name_module(p->env, callsite, &p->name);
	else if (p->by == SUBJECT_DIR)
		profile_name_directory(p->env, callsite,
				       p->type->by_dir ? 0 : p->env->dir_depth, &p->name);
	else
		profile_name_site(p->env, callsite, &p->name);
}

static void name_page_row(struct profile *p, uint32_t row)
{
	uint32_t stack = page_account_key(p->pages, row)->stack;

	if (p->by == SUBJECT_STACK)
		profile_name_stack(p->env, stack, 0, &p->name);
	else if (p->by == SUBJECT_NONE && !stack)
		strbuf_puts(&p->name, "[no stack]");
	else
		name_site(p, profile_callsite(p->env, stack));
}

static void name_slab_row(struct profile *p, uint32_t row)
{
	const struct slab_key *key = slab_account_key(p->slab, row);

	if (p->by == SUBJECT_STACK)
		profile_name_stack(p->env, key->dim, key->callsite, &p->name);
	else
		name_site(p, sites_beyond(p->env, key->callsite, key->dim));
}

/* The cache of an object of row @row; kmalloc events name none, it follows from the size. */
static void name_cache(struct profile *p, uint32_t row, uint32_t bytes)
{
	const struct slab_key *key = slab_account_key(p->slab, row);
	const char *cache;

	if (key->kmalloc) {
		profile_name_kmalloc(p->env, bytes, &p->name);
		return;
	}
	cache = event_stream_cache(p->env->stream, key->cache);
	strbuf_puts(&p->name, cache ? cache : "[unnamed]");
}

/* What tells objects by cache apart. */
static uint64_t source_key(const struct profile *p, uint32_t row, uint32_t bytes)
{
	const struct slab_key *key = slab_account_key(p->slab, row);

	return key->kmalloc ? (uint64_t)bytes << 1 | 1 : (uint64_t)key->cache << 1;
}

/* Where an object of account row @row comes from; UINT32_MAX if memory ran out. */
static uint32_t source_of(struct profile *p, uint32_t row, uint32_t bytes)
{
	const uint32_t *source;

	if (p->kind != KIND_CACHE)
		return row;
	source = u64_map_insert(&p->sources, source_key(p, row, bytes),
				(uint32_t)p->sources.count);
	return source ? *source : UINT32_MAX;
}

/* The group of a source met for the first time; UINT32_MAX if memory ran out. */
static uint32_t find_group(struct profile *p, uint32_t row, uint32_t bytes)
{
	uint32_t id;

	strbuf_reset(&p->name);
	if (p->kind == KIND_PAGE)
		name_page_row(p, row);
	else if (p->kind == KIND_CACHE)
		name_cache(p, row, bytes);
	else
		name_slab_row(p, row);
	id = intern_id(&p->names, strbuf_text(&p->name), p->name.size);
	if (!id || p->name.failed ||
	    array_reserve(&p->groups, &p->groups_capacity, id, sizeof(*p->groups)))
		return UINT32_MAX;
	return id - 1;
}

/* The group of an object of account row @row; NULL if memory ran out. */
static struct profile_group *group_of(struct profile *p, uint32_t row, uint32_t bytes)
{
	uint32_t nr_before = p->names.count, group, source = source_of(p, row, bytes);

	if (source < p->nr_sources && p->group_of[source] != UINT32_MAX)
		return &p->groups[p->group_of[source]];
	if (source == UINT32_MAX || array_reserve(&p->group_of, &p->sources_capacity,
						  source + 1UL, sizeof(*p->group_of)))
		return NULL;
	while (p->nr_sources <= source)
		p->group_of[p->nr_sources++] = UINT32_MAX;
	group = find_group(p, row, bytes);
	if (group == UINT32_MAX)
		return NULL;
	if (p->names.count > nr_before)
		p->groups[group] = (struct profile_group){ 0 };
	p->group_of[source] = group;
	return &p->groups[group];
}

static void take_life(struct profile_group *g, const struct profile_life *life)
{
	switch (life->what) {
	case LIFE_BEGINS:
		g->hit++;
		g->bytes += life->bytes;
		g->waste += life->waste;
		g->live += life->bytes;
		if (life->bytes > g->largest)
			g->largest = life->bytes;
		if (g->live > g->peak)
			g->peak = g->live;
		break;
	case LIFE_ENDS_UNSEEN:
		g->implicit++;
		g->live -= life->bytes;
		break;
	case LIFE_END_SEEN_LATE: /* it was taken for unseen */
		g->implicit--;
		break;
	default:
		g->live -= life->bytes;
	}
}

static void profile_life(struct profile *p, const struct profile_life *life)
{
	struct profile_group *g =
		p->failed ? NULL : group_of(p, life->row, life->bytes_alloc);

	if (!g) {
		p->failed = true;
		return;
	}
	take_life(g, life);
	take_life(&p->all, life);
}

static void on_slab_lives(void *ctx, const struct slab_life *lives, size_t nr)
{
	static const uint8_t what[SLAB_LIFE_NR] = { [SLAB_BORN] = LIFE_BEGINS,
						    [SLAB_FREED] = LIFE_ENDS,
						    [SLAB_GONE] = LIFE_ENDS_UNSEEN,
						    [SLAB_FOUND] = LIFE_END_SEEN_LATE };
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct profile_life life = {
			.row = lives[i].row,
			.bytes_alloc = lives[i].bytes_alloc,
			.bytes = lives[i].bytes_alloc,
			.waste = (uint64_t)lives[i].bytes_alloc - lives[i].bytes_req,
			.what = what[lives[i].what]
		};

		profile_life(ctx, &life);
	}
}

static void on_page_lives(void *ctx, const struct page_life *lives, size_t nr)
{
	static const uint8_t what[PAGE_LIFE_NR] = { [PAGE_BORN] = LIFE_BEGINS,
						    [PAGE_FREED] = LIFE_ENDS,
						    [PAGE_GONE] = LIFE_ENDS_UNSEEN,
						    [PAGE_FOUND] = LIFE_END_SEEN_LATE };
	struct profile *p = ctx;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct profile_life life = { .row = lives[i].row,
						   .bytes = lives[i].pages *
							    p->env->page_size,
						   .what = what[lives[i].what] };

		if (lives[i].what != PAGE_REFUSED)
			profile_life(p, &life);
	}
}

/* Asks for the account, and observes it. False: no memory. */
static bool observe(struct profile *p)
{
	bool stacks;

	if (p->kind == KIND_PAGE) {
		p->pages = accounts_page(p->env->accounts, DIMENSION_NONE);
		return p->pages &&
		       !page_lives_observe(&p->pages->lives, on_page_lives, p);
	}
	/* Callchains tell rows apart, and what the callsite is where functions are skipped. */
	stacks = p->kind == KIND_SLAB &&
		 (p->by == SUBJECT_STACK || callsite_rule_extended(p->env->rule));
	p->slab = accounts_slab(p->env->accounts,
				stacks ? DIMENSION_STACK : DIMENSION_NONE);
	return p->slab && !slab_lives_observe(&p->slab->lives, on_slab_lives, p);
}

static void profile_destroy(void *self)
{
	struct profile *p = self;

	u64_map_free(&p->sources);
	intern_free(&p->names);
	free(p->groups);
	free(p->group_of);
	strbuf_free(&p->name);
	free(p);
}

static void *profile_create(const struct analysis_env *env,
			    const struct profile_type *type)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->env = env;
	p->type = type;
	p->kind = type->kind;
	p->by = type->by_dir ? SUBJECT_DIR : env->by;
	if (observe(p))
		return p;
	profile_destroy(p);
	return NULL;
}

static void *create_slab(const struct analysis_env *env)
{
	return profile_create(env, &slab_type);
}

static void *create_cache(const struct analysis_env *env)
{
	return profile_create(env, &cache_type);
}

static void *create_page(const struct analysis_env *env)
{
	return profile_create(env, &page_type);
}

static void *create_slab_dir(const struct analysis_env *env)
{
	return profile_create(env, &slab_dir_type);
}

static void *create_page_dir(const struct analysis_env *env)
{
	return profile_create(env, &page_dir_type);
}

/* Some of what lives was allocated after the last gap. */
static void add_sure(struct profile *p, uint32_t row, uint32_t bytes_alloc,
		     uint64_t bytes)
{
	struct profile_group *g = group_of(p, row, bytes_alloc);

	if (g)
		g->net_min += bytes;
	else
		p->failed = true;
}

static void find_sure(struct profile *p)
{
	const struct live_entry *e = NULL;

	while (p->slab && (e = slab_lives_next(&p->slab->lives, e)))
		if (slab_lives_sure(&p->slab->lives, e))
			add_sure(p, e->row, e->bytes_alloc, e->bytes_alloc);
	while (p->pages && (e = page_lives_next(&p->pages->lives, e)))
		if (page_lives_sure(&p->pages->lives, e))
			add_sure(p, e->row, 0, (uint64_t)p->env->page_size << e->order);
}

/* How much of what lives must: a group is suspect as a whole. */
static int bound(struct profile *p)
{
	struct bounds bounds = { 0 };
	uint32_t i;
	int err = 0;

	bounds_init(&bounds, p->env);
	for (i = 0; i < p->names.count && !err; i++)
		err = p->groups[i].implicit ? bounds_suspect(&bounds, i) : 0;
	for (i = 0; i < p->names.count && !err; i++) {
		struct profile_group *g = &p->groups[i];

		g->net_min = bounds_net(&bounds, i, g->live, g->net_min).seen;
		p->all.net_min += g->net_min;
	}
	bounds_free(&bounds);
	return err;
}

/* What a row stands for: the column's name and title. */
static const char *row_word(const struct profile *p, const char **title)
{
	switch (p->kind == KIND_CACHE ? SUBJECT_CACHE : p->by) {
	case SUBJECT_CACHE:
		*title = "Cache";
		return "cache";
	case SUBJECT_STACK:
		*title = "Callchain";
		return "stack";
	case SUBJECT_MODULE:
		*title = "Module";
		return "module";
	case SUBJECT_DIR:
		*title = "Directory";
		return "dir";
	default:
		*title = "Callsite";
		return "callsite";
	}
}

static struct table *make_table(const struct profile *p)
{
	struct table *t = table_new(p->type->name, p->type->title);
	const char *title, *word = row_word(p, &title);
	const struct column columns[] = {
		{ .name = word, .title = title, .last = true },
		{ .name = "bytes", .unit = UNIT_BYTES },
		{ .name = "hit", .unit = UNIT_COUNT },
		{ .name = "net", .unit = UNIT_BYTES },
		{ .name = "net_min", .unit = UNIT_BYTES, .hidden = true },
		{ .name = "waste", .unit = UNIT_BYTES },
		{ .name = "peak", .unit = UNIT_BYTES },
		{ .name = "largest", .unit = UNIT_BYTES, .hidden = true },
	};

	if (!t)
		return NULL;
	table_set_by(t, word);
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	return t;
}

static struct cell waste_cell(const struct profile *p, uint64_t waste)
{
	if (p->kind == KIND_PAGE) /* an allocation of pages is as large as asked for */
		return (struct cell){ .type = CELL_NONE };
	return cell_uint(waste);
}

static void fill_table(const struct profile *p, struct table *t)
{
	const struct profile_group *all = &p->all;
	uint32_t i;

	for (i = 0; i < p->names.count; i++) {
		const struct profile_group *g = &p->groups[i];
		struct cell *row = table_add_row(t);

		if (!row)
			return;
		row[0] = cell_text(t, intern_get(&p->names, i + 1, NULL));
		row[1] = cell_uint(g->bytes);
		row[2] = cell_uint(g->hit);
		row[3] = cell_uint(g->live);
		row[4] = cell_uint(g->net_min);
		row[5] = waste_cell(p, g->waste);
		row[6] = cell_uint(g->peak);
		row[7] = cell_uint(g->largest);
	}
	table_add_summary(t, "bytes", NULL, UNIT_BYTES, cell_uint(all->bytes), false);
	table_add_summary(t, "hit", NULL, UNIT_COUNT, cell_uint(all->hit), false);
	table_add_summary(t, "net", NULL, UNIT_BYTES, cell_uint(all->live), false);
	table_add_summary(t, "net_min", NULL, UNIT_BYTES, cell_uint(all->net_min), false);
	table_add_summary(t, "waste", NULL, UNIT_BYTES, waste_cell(p, all->waste), false);
	table_add_summary(t, "peak", NULL, UNIT_BYTES, cell_uint(all->peak), false);
	table_add_summary(t, "largest", NULL, UNIT_BYTES, cell_uint(all->largest), false);
}

/* --skip-func: what it could not move, as no callchain says where to. */
static void note_unskipped(const struct profile *p, struct table *t)
{
	uint64_t stay = 0;
	size_t i;

	if (p->type != &slab_type || !callsite_rule_extended(p->env->rule))
		return;
	for (i = 0; i < p->slab->nr_rows; i++) {
		const struct slab_key *key = slab_account_key(p->slab, i);

		if (sites_skipped(p->env, sites_beyond(p->env, key->callsite, key->dim)))
			stay += p->slab->rows[i].hit;
	}
	if (stay)
		table_add_note(
			t,
			"!%" PRIu64
			" slab allocations stay with a function that is to be skipped: no callchain leads beyond it",
			stay);
}

static int profile_finish(void *self, struct report *report)
{
	struct profile *p = self;
	struct table *t;

	if (p->kind == KIND_PAGE ? p->pages->failed : p->slab->failed)
		return -ENOMEM;
	find_sure(p);
	if (p->failed || bound(p))
		return -ENOMEM;
	t = make_table(p);
	if (!t)
		return -ENOMEM;
	fill_table(p, t);
	note_unskipped(p, t);
	report_add_table(report, t);
	return p->type == &page_type ? page_matrix(p->pages, p->env, report) : 0;
}

const struct analysis_ops profile_slab = {
	.name = "profile_slab",
	.create = create_slab,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_slab_dir = {
	.name = "profile_slab_dir",
	.create = create_slab_dir,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_page_dir = {
	.name = "profile_page_dir",
	.create = create_page_dir,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_cache = {
	.name = "profile_cache",
	.create = create_cache,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_page = {
	.name = "profile_page",
	.create = create_page,
	.finish = profile_finish,
	.destroy = profile_destroy,
};
