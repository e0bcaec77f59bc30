// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a recording allocated, under names that another recording has too.
 * In: events. Out: tables "slab", "slab_cache", "page", "page_matrix" and some more to be
 * compared.
 */
#include "analysis/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "account/clock_skew.h"
#include "account/page_account.h"
#include "analysis/page_matrix.h"
#include "analysis/profile_name.h"
#include "analysis/sites.h"
#include "account/slab_account.h"
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

/* A row of the table: account rows of one name. Bytes, but for @hit. */
struct profile_group {
	uint64_t bytes, hit, net, net_min, waste;
	uint64_t live, peak, largest;
};

/**
 * struct profile - one table in the making
 * @groups: number n of @names belongs to groups[n - 1]
 * @group_of: group of each account row that ever was live
 * @all: the whole table's numbers
 */
struct profile {
	const struct analysis_env *env;
	const struct profile_type *type;
	enum profile_kind kind;
	enum subject_kind by;
	struct slab_account slab;
	struct page_account pages;
	struct live_watch watch;
	struct intern names;
	struct profile_group *groups;
	size_t groups_capacity;
	uint32_t *group_of;
	size_t nr_rows, rows_capacity;
	struct profile_group all;
	struct strbuf name; /* scratch */
	bool failed;
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
	uint32_t stack = page_account_key(&p->pages, row)->stack;

	if (p->by == SUBJECT_STACK)
		profile_name_stack(p->env, stack, 0, &p->name);
	else if (p->by == SUBJECT_NONE && !stack)
		strbuf_puts(&p->name, "[no stack]");
	else
		name_site(p, profile_callsite(p->env, stack));
}

/* The account's callsite is what profile_event() put there. */
static void name_slab_row(struct profile *p, uint32_t row)
{
	const struct slab_key *key = slab_account_key(&p->slab, row);
	const char *cache;

	if (p->kind == KIND_CACHE && key->kmalloc) {
		profile_name_kmalloc(p->env, key->callsite, &p->name);
	} else if (p->kind == KIND_CACHE) {
		cache = event_stream_cache(p->env->stream, key->cache);
		strbuf_puts(&p->name, cache ? cache : "[unnamed]");
	} else if (p->by == SUBJECT_STACK) {
		profile_name_stack(p->env, key->dim, key->callsite, &p->name);
	} else {
		name_site(p, sites_beyond(p->env, key->callsite, key->dim));
	}
}

/* The group of a row met for the first time; UINT32_MAX if memory ran out. */
static uint32_t find_group(struct profile *p, uint32_t row)
{
	uint32_t id;

	strbuf_reset(&p->name);
	if (p->kind == KIND_PAGE)
		name_page_row(p, row);
	else
		name_slab_row(p, row);
	id = intern_id(&p->names, strbuf_text(&p->name), p->name.size);
	if (!id || p->name.failed ||
	    array_reserve(&p->groups, &p->groups_capacity, id, sizeof(*p->groups)))
		return UINT32_MAX;
	return id - 1;
}

static struct profile_group *group_of_row(struct profile *p, uint32_t row)
{
	uint32_t nr_before = p->names.count, group;

	if (row < p->nr_rows && p->group_of[row] != UINT32_MAX)
		return &p->groups[p->group_of[row]];
	if (array_reserve(&p->group_of, &p->rows_capacity, row + 1UL,
			  sizeof(*p->group_of)))
		return NULL;
	while (p->nr_rows <= row)
		p->group_of[p->nr_rows++] = UINT32_MAX;
	group = find_group(p, row);
	if (group == UINT32_MAX)
		return NULL;
	if (p->names.count > nr_before)
		p->groups[group] = (struct profile_group){ 0 };
	p->group_of[row] = group;
	return &p->groups[group];
}

static void change_live(struct profile_group *g, int64_t change)
{
	g->live += (uint64_t)change;
	if (change > 0 && (uint64_t)change > g->largest)
		g->largest = (uint64_t)change;
	if (change > 0 && g->live > g->peak)
		g->peak = g->live;
}

static void on_change(void *ctx, uint32_t row, int64_t change)
{
	struct profile *p = ctx;
	struct profile_group *g = p->failed ? NULL : group_of_row(p, row);

	if (!g) {
		p->failed = true;
		return;
	}
	if (p->kind == KIND_PAGE)
		change *= p->env->page_size;
	change_live(g, change);
	change_live(&p->all, change);
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
	p->watch = (struct live_watch){ on_change, p };
	p->slab.skew = p->pages.doubts.skew = clock_skew(env->rec);
	p->slab.scope = p->pages.scope = scope_of(env->rec);
	p->slab.watch = p->pages.watch = &p->watch;
	/* Callchains tell rows apart, and what the callsite is where functions are skipped. */
	if (p->kind == KIND_SLAB &&
	    (p->by == SUBJECT_STACK || callsite_rule_extended(env->rule)))
		p->slab.dimension = DIMENSION_STACK;
	return p;
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

static bool is_slab_alloc(const struct kmem_event *ev)
{
	return ev->type >= KMEM_KMALLOC && ev->type <= KMEM_CACHE_ALLOC_NODE;
}

static void slab_event(void *self, const struct kmem_event *ev)
{
	struct profile *p = self;
	struct kmem_event copy;

	/* The account keeps callsites apart and knows nothing else of them: what stands in
	 * their place is what tells caches apart.
	 */
	if (p->kind == KIND_CACHE && is_slab_alloc(ev)) {
		copy = *ev;
		copy.slab_alloc.callsite =
			ev->type >= KMEM_CACHE_ALLOC ? 0 : ev->slab_alloc.bytes_alloc;
		ev = &copy;
	}
	slab_account_event(&p->slab, ev);
}

static void page_event(void *self, const struct kmem_event *ev)
{
	struct profile *p = self;

	page_account_event(&p->pages, ev);
}

static void add_up(struct profile_group *to, const struct profile_group *from)
{
	to->bytes += from->bytes;
	to->hit += from->hit;
	to->net += from->net;
	to->net_min += from->net_min;
	to->waste += from->waste;
}

/* The numbers of account row @i; net_min is still what bounds call sure. */
static struct profile_group row_numbers(const struct profile *p, size_t i, bool *implicit)
{
	struct profile_group row = { 0 };

	if (p->kind == KIND_PAGE) {
		const struct page_counts *c = &p->pages.rows[i];
		uint64_t size = p->env->page_size;

		row.hit = c->hit;
		row.bytes = (c->hit << page_account_key(&p->pages, i)->order) * size;
		row.net = c->live_pages * size;
		row.net_min = c->sure_pages * size;
		*implicit = c->implicit_pages;
	} else {
		const struct slab_counts *c = &p->slab.rows[i];

		row.hit = c->hit;
		row.bytes = c->bytes_alloc;
		row.waste = c->bytes_alloc - c->bytes_req;
		row.net = c->live_alloc;
		row.net_min = c->sure_alloc;
		*implicit = c->implicit;
	}
	return row;
}

/* The account's rows go into their groups. */
static int collect(struct profile *p)
{
	struct bounds bounds = { 0 };
	bool implicit;
	size_t i;
	int err = 0;

	bounds_init(&bounds, p->env);
	for (i = 0; i < p->nr_rows && !err; i++) {
		if (p->group_of[i] == UINT32_MAX)
			continue;
		(void)row_numbers(p, i, &implicit);
		err = implicit ? bounds_suspect(&bounds, p->group_of[i]) : 0;
	}
	for (i = 0; i < p->nr_rows && !err; i++) {
		struct profile_group row;

		if (p->group_of[i] == UINT32_MAX)
			continue;
		row = row_numbers(p, i, &implicit);
		row.net_min =
			bounds_net(&bounds, p->group_of[i], row.net, row.net_min).seen;
		add_up(&p->groups[p->group_of[i]], &row);
		add_up(&p->all, &row);
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
		row[3] = cell_uint(g->net);
		row[4] = cell_uint(g->net_min);
		row[5] = waste_cell(p, g->waste);
		row[6] = cell_uint(g->peak);
		row[7] = cell_uint(g->largest);
	}
	table_add_summary(t, "bytes", NULL, UNIT_BYTES, cell_uint(all->bytes), false);
	table_add_summary(t, "hit", NULL, UNIT_COUNT, cell_uint(all->hit), false);
	table_add_summary(t, "net", NULL, UNIT_BYTES, cell_uint(all->net), false);
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
	for (i = 0; i < p->slab.nr_rows; i++) {
		const struct slab_key *key = slab_account_key(&p->slab, i);

		if (sites_skipped(p->env, sites_beyond(p->env, key->callsite, key->dim)))
			stay += p->slab.rows[i].hit;
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

	if (p->kind == KIND_PAGE)
		page_account_finish(&p->pages);
	else
		slab_account_finish(&p->slab);
	if (p->failed || p->slab.failed || p->pages.failed || collect(p))
		return -ENOMEM;
	t = make_table(p);
	if (!t)
		return -ENOMEM;
	fill_table(p, t);
	note_unskipped(p, t);
	report_add_table(report, t);
	return p->type == &page_type ? page_matrix(&p->pages, p->env, report) : 0;
}

static void profile_destroy(void *self)
{
	struct profile *p = self;

	slab_account_free(&p->slab);
	page_account_free(&p->pages);
	intern_free(&p->names);
	free(p->groups);
	free(p->group_of);
	strbuf_free(&p->name);
	free(p);
}

const struct analysis_ops profile_slab = {
	.name = "profile_slab",
	.create = create_slab,
	.event = slab_event,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_slab_dir = {
	.name = "profile_slab_dir",
	.create = create_slab_dir,
	.event = slab_event,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_page_dir = {
	.name = "profile_page_dir",
	.create = create_page_dir,
	.event = page_event,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_cache = {
	.name = "profile_cache",
	.create = create_cache,
	.event = slab_event,
	.finish = profile_finish,
	.destroy = profile_destroy,
};

const struct analysis_ops profile_page = {
	.name = "profile_page",
	.create = create_page,
	.event = page_event,
	.finish = profile_finish,
	.destroy = profile_destroy,
};
