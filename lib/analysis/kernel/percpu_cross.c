// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the CPUs on which objects and pages were allocated and freed.
 * In: lives of slab objects and of pages. Out: tables "percpu_slab", "percpu_slab_matrix" and the
 * same for pages: of what was freed on another CPU than the one that allocated it, rows by
 * callsite, or by the keys of --by, and by CPUs; a matrix of the CPUs. Documentation/percpu.md
 * says how.
 *
 * A life that no event ended has no freeing CPU.
 */

#include "analysis/analysis.h"
#include "analysis/row/owners.h"
#include "analysis/row/subject.h"
#include "analysis/stat/account_rows.h"
#include "base/keyed.h"

/* The key of a count; without padding, as keys are compared as bytes.
 * @freed_by: for slab objects the address that freed, for pages the stack's number
 * @row: row of the lives: who allocated
 * @from, @to: the CPUs that allocated and freed
 */
struct cross_key {
	uint64_t freed_by;
	uint32_t row, from, to;
	uint32_t zero;
};

/* @nr: objects, or pages */
struct cross_count {
	uint64_t nr, bytes;
};

/**
 * struct cross_side - slab objects, or pages
 * @counts: by struct cross_key
 * @unknown: freed on another CPU, but out-of-order events hide which one
 * @failed: memory ran out; the numbers are void
 */
struct cross_side {
	KEYED(struct cross_count) counts;
	uint64_t unknown;
	bool failed;
};

/* The analysis. The sides share nothing, as each has its own thread. */
struct percpu_cross {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *of[MEMORY_KINDS];
	struct cross_side sides[MEMORY_KINDS];
};

#define NO_SITE UINT32_MAX

/* The key of a row: the part that --by selects, and both CPUs. */
struct group_key {
	uint32_t subject, from, to;
};

/* A row, by its number, and a callsite that freed its objects or pages. */
struct freed_key {
	uint32_t group, site;
};

/* @most: the most freed by one callsite, @site; NO_SITE: unknown. Of several equal ones, @site is
 * the first that freed; @freed: its number in the view.
 */
struct group {
	uint64_t nr, bytes, most;
	uint32_t site, freed;
};

/**
 * struct view - a table being built
 * @groups: by struct group_key
 * @freed: objects or pages, by struct freed_key
 */
struct view {
	const struct cross_side *side;
	bool pages;
	struct owners owners;
	KEYED(struct group) groups;
	KEYED(uint64_t) freed;
};

struct view_row {
	struct subject_row subject;
	const struct view *v;
	const struct group_key *key;
	const struct group *group;
};

/* --- groups ------------------------------------------------------------------------------ */

/* The callsite that freed. Page frees have only a stack, if any. */
static uint32_t site_of(struct view *v, const struct cross_key *key)
{
	struct sites *sites = &v->owners.sites;
	uint64_t addr = key->freed_by;

	if (v->pages)
		addr = addr ? sites_of_stack(sites, (uint32_t)addr) : 0;
	return addr ? sites_group(sites, addr) : NO_SITE;
}

static int add_freed(struct view *v, uint32_t group, const struct cross_key *from,
		     uint64_t nr)
{
	const struct freed_key key = { group, site_of(v, from) };
	struct group *g = &v->groups.of[group - 1];
	uint32_t id = KEYED_ID(&v->freed, &key);

	if (!id)
		return -ENOMEM;
	v->freed.of[id - 1] += nr;
	if (v->freed.of[id - 1] > g->most ||
	    (v->freed.of[id - 1] == g->most && id < g->freed)) {
		g->most = v->freed.of[id - 1];
		g->site = key.site;
		g->freed = id;
	}
	return 0;
}

static int add(struct view *v, const struct cross_key *from,
	       const struct cross_count *count)
{
	const struct group_key key = { v->owners.of[from->row], from->from, from->to };
	uint32_t before = v->groups.keys.count, id = KEYED_ID(&v->groups, &key);
	struct group *g;

	if (!id)
		return -ENOMEM;
	g = &v->groups.of[id - 1];
	if (id > before)
		g->site = NO_SITE;
	g->nr += count->nr;
	g->bytes += count->bytes;
	return add_freed(v, id, from, count->nr);
}

static int view_make(struct view *v, const struct percpu_cross *c, enum subject_kind kind)
{
	int ret = owners_init(&v->owners, c->env, c->of[v->pages], kind);

	for (size_t i = 0; i < v->side->counts.nr && !ret; i++) {
		const struct cross_key *key = KEYED_KEY(&v->side->counts, i);

		if (key->from != key->to)
			ret = add(v, key, &v->side->counts.of[i]);
	}
	return ret;
}

static void view_free(struct view *v)
{
	owners_free(&v->owners);
	KEYED_FREE(&v->groups);
	KEYED_FREE(&v->freed);
}

/* --- rows -------------------------------------------------------------------------------- */

CELL_IF(cell_freed_by, struct view_row, r->group->site != NO_SITE,
	sites_cell(&r->v->owners.sites, r->group->site, t))

/* How much, and the CPUs. @count, @cpus: the members of the row, a @type, that point at them. */
#define CROSS_COLUMNS(type, count, cpus, count_name, count_title, count_unit, text)   \
	{ COLUMN(count_name, count_title, count_unit, text, .share = true),           \
	  MEMBER_OF(type, count, nr) },                                               \
		{ COLUMN("bytes", "Bytes", UNIT_BYTES, "Their bytes.", .leaves = 70), \
		  MEMBER_OF(type, count, bytes) },                                    \
		{ COLUMN("alloc_cpu", "Allocated_on", UNIT_NONE,                      \
			 "The CPU that allocated them.", .level = true),              \
		  MEMBER_OF(type, cpus, from) },                                      \
	{                                                                             \
		COLUMN("free_cpu", "Freed_on", UNIT_NONE, "The CPU that freed them.", \
		       .level = true),                                                \
			MEMBER_OF(type, cpus, to)                                     \
	}
#define FREED_BY_COLUMN                                         \
	{                                                       \
		COLUMN("freed_by", "Freed_by", UNIT_NONE,       \
		       "The callsite that freed most of them; " \
		       "of pages only with callchains of all "  \
		       "events (kmemx record --stack all).",    \
		       .leaves = 60),                           \
			.fill = cell_freed_by                   \
	}

static const struct column_type slab_columns[] = {
	CROSS_COLUMNS(struct view_row, group, key, "objects", "Objects", UNIT_COUNT,
		      "Objects that the one CPU allocated and the other freed."),
	FREED_BY_COLUMN,
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct column_type page_columns[] = {
	CROSS_COLUMNS(struct view_row, group, key, "pages", "Pages", UNIT_PAGES,
		      "Pages that the one CPU allocated and the other freed."),
	FREED_BY_COLUMN,
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_PAGE_NODE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type percpu_slab_type = {
	.name = "percpu_slab",
	.help = "slab objects that one CPU allocated and another freed, by callsite, or what --by says",
	.sort = "objects,bytes",
	.columns = slab_columns,
};

static const struct table_type percpu_page_type = {
	.name = "percpu_page",
	.help = "pages that one CPU allocated and another freed, by callsite, or what --by says",
	.sort = "pages,bytes",
	.columns = page_columns,
};

static void add_rows(const struct view *v, struct table *t)
{
	for (size_t i = 0; i < v->groups.nr; i++) {
		const struct group_key *key = KEYED_KEY(&v->groups, i);
		const struct view_row row = { .subject = { &v->owners.subjects,
							   key->subject },
					      .v = v,
					      .key = key,
					      .group = &v->groups.of[i] };

		table_put_row(t, &row);
	}
}

static void add_summary(const struct view *v, uint64_t losses, struct table *t)
{
	uint64_t here = 0, elsewhere = v->side->unknown;

	for (size_t i = 0; i < v->side->counts.nr; i++) {
		const struct cross_key *key = KEYED_KEY(&v->side->counts, i);

		if (key->from == key->to)
			here += v->side->counts.of[i].nr;
		else
			elsewhere += v->side->counts.of[i].nr;
	}
	const enum column_unit unit = v->pages ? UNIT_PAGES : UNIT_COUNT;
	const struct summary_line lines[] = {
		{ "freed", v->pages ? "Pages freed" : "Objects freed", unit,
		  here + elsewhere, SUMMARY_USUAL },
		{ "freed_here", "  on the CPU that allocated them", unit, here,
		  SUMMARY_TOTAL },
		{ "freed_elsewhere", "  on another CPU", unit, elsewhere, SUMMARY_TOTAL },
		{ "freed_unknown", "    in no row: clocks of CPUs differ", unit,
		  v->side->unknown, SUMMARY_DOUBT },
	};

	table_set_summary_title(t, "SUMMARY (CPUs of %s)",
				v->pages ? "pages" : "slab objects");
	table_add_summary_lines(t, lines, ARRAY_SIZE(lines), losses != 0);
}

static struct table *new_table(const struct view *v, enum subject_kind kind,
			       struct report *report)
{
	char words[SUBJECT_WORDS];
	struct strbuf __auto_free text = { 0 };
	struct table *t;

	strbuf_printf(&text, "%s freed on another CPU, by %s",
		      v->pages ? "Pages" : "Slab objects", subjects_words(kind, words));
	t = table_begin(report, v->pages ? &percpu_page_type : &percpu_slab_type,
			strbuf_text(&text), kind, false);
	strbuf_reset(&text);
	strbuf_printf(&text, "%s,alloc_cpu,free_cpu", words);
	table_set_by(t, strbuf_text(&text));
	return t;
}

static int percpu_cross_show(const void *self, enum memory memory, enum subject_kind kind,
			     struct report *report)
{
	const struct percpu_cross *c = self;
	struct view v = { .side = &c->sides[memory], .pages = memory == MEMORY_PAGE };
	struct table *t = new_table(&v, kind, report);
	int ret = view_make(&v, c, kind);

	if (!ret) {
		add_rows(&v, t);
		/* Few recordings have callchains of frees. */
		if (!table_has_value(t, "freed_by"))
			table_hide_column(t, "freed_by");
		add_summary(&v, c->of[memory]->losses, t);
	}
	view_free(&v);
	return ret;
}

/* --- matrix ------------------------------------------------------------------------------ */

struct pair {
	uint32_t from, to;
};

struct pair_row {
	const struct pair *pair;
	const struct cross_count *count;
};

static const struct column_type slab_pair_columns[] = {
	CROSS_COLUMNS(
		struct pair_row, count, pair, "objects", "Objects", UNIT_COUNT,
		"Objects that the one CPU allocated and the other, or the same, freed."),
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct column_type page_pair_columns[] = {
	CROSS_COLUMNS(
		struct pair_row, count, pair, "pages", "Pages", UNIT_PAGES,
		"Pages that the one CPU allocated and the other, or the same, freed."),
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_cross slab_cross = {
	.row = "alloc_cpu",
	.column = "free_cpu",
	.value = "objects",
	.corner = "CPU",
	.title = "Slab objects by the CPUs that allocated (down) and freed (across)",
};

static const struct table_cross page_cross = {
	.row = "alloc_cpu",
	.column = "free_cpu",
	.value = "pages",
	.corner = "CPU",
	.title = "Pages by the CPUs that allocated (down) and freed (across)",
};

static const struct table_type percpu_slab_matrix_type = {
	.name = "percpu_slab_matrix",
	.help = "slab objects by the CPUs that allocated and freed them",
	.title = "Slab objects by the CPUs that allocated and freed",
	.by = "alloc_cpu,free_cpu",
	.sort = "objects",
	.cross = &slab_cross,
	.columns = slab_pair_columns,
};

static const struct table_type percpu_page_matrix_type = {
	.name = "percpu_page_matrix",
	.help = "pages by the CPUs that allocated and freed them",
	.title = "Pages by the CPUs that allocated and freed",
	.by = "alloc_cpu,free_cpu",
	.sort = "pages",
	.cross = &page_cross,
	.columns = page_pair_columns,
};

static int percpu_cross_show_matrix(const struct percpu_cross *c, enum memory memory,
				    struct report *report)
{
	const struct cross_side *side = &c->sides[memory];
	const struct table_type *type = memory == MEMORY_PAGE ? &percpu_page_matrix_type
							      : &percpu_slab_matrix_type;
	KEYED(struct cross_count) sums = { { 0 } };
	struct table *t;
	int ret = 0;

	if (!side->counts.nr)
		return 0;
	for (size_t i = 0; i < side->counts.nr && !ret; i++) {
		const struct cross_key *key = KEYED_KEY(&side->counts, i);
		const struct pair pair = { key->from, key->to };
		struct cross_count *sum = KEYED_ITEM(&sums, &pair);

		if (sum) {
			sum->nr += side->counts.of[i].nr;
			sum->bytes += side->counts.of[i].bytes;
		}
		ret = sum ? 0 : -ENOMEM;
	}
	t = table_plain(report, type);
	for (size_t i = 0; i < sums.nr && !ret; i++) {
		const struct pair_row row = { KEYED_KEY(&sums, i), &sums.of[i] };

		table_put_row(t, &row);
	}
	KEYED_FREE(&sums);
	return ret;
}

/* --- counts ------------------------------------------------------------------------------ */

static void count(struct cross_side *side, const struct cross_key *key, uint64_t nr,
		  uint64_t bytes)
{
	struct cross_count *sum = KEYED_ITEM(&side->counts, key);

	if (!sum) {
		side->failed = true;
		return;
	}
	sum->nr += nr;
	sum->bytes += bytes;
}

/* Where the memory of @life was allocated. */
static uint32_t allocated_on(const struct lives *of, const struct life *life)
{
	return of->kind->memory == MEMORY_SLAB
		       ? life->cpu
		       : lives_value(of, life->row, DIMENSION_CPU);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct percpu_cross *c = ctx;
	struct cross_side *side = &c->sides[of->kind->memory];

	for (; life < end; life++) {
		const struct kmem_event *ev = life->event;
		struct cross_key key = { .row = life->row };

		if (!life_freed(life))
			continue;
		if (!ev) {
			side->unknown += life->flags & LIFE_OTHER_CPU ? life->nr : 0;
			continue;
		}
		if (kmem_ends_objects(ev->type)) {
			key.freed_by = ev->slab_free.callsite;
		} else if (ev->type == KMEM_PAGE_FREE ||
			   ev->type == KMEM_PAGE_FREE_BATCHED) {
			key.freed_by = ev->stack;
		} else {
			side->unknown += life->flags & LIFE_OTHER_CPU ? life->nr : 0;
			continue;
		}
		key.from = allocated_on(of, life);
		key.to = ev->cpu;
		count(side, &key, life->nr, life->bytes);
	}
}

static void cross_destroy(void *self)
{
	struct percpu_cross *c = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		KEYED_FREE(&c->sides[i].counts);
}

/* Dimensions of pages by @kind and by allocating CPU: an event only says whether the freeing CPU
 * differs.
 */
static struct dimensions page_dimensions(enum subject_kind kind)
{
	struct dimensions all = subjects_page_dimensions(kind);
	unsigned int i = 0;

	if (dimensions_find(&all, DIMENSION_CPU) >= 0)
		return all;
	while (i < DIMENSIONS_ASKED - 1 && all.of[i])
		i++;
	/* There is room: only tables of slab objects use all dimensions. */
	all.of[i] = DIMENSION_CPU;
	return all;
}

static int cross_create(void *self, const struct analysis_env *env,
			const struct analysis_options *opts)
{
	const struct dimensions dimensions[MEMORY_KINDS] = {
		[MEMORY_SLAB] = subjects_slab_dimensions(opts, env),
		[MEMORY_PAGE] = page_dimensions(opts->by),
	};
	struct percpu_cross *c = self;

	return accounts_observe(env->accounts, dimensions, c->of, lived, c);
}

static int cross_view(const void *self, struct report *report)
{
	const struct percpu_cross *c = self;
	int ret = 0, i;

	for (i = 0; i < MEMORY_KINDS; i++) {
		if (c->sides[i].failed || c->of[i]->failed)
			ret = -ENOMEM;
	}
	for (i = MEMORY_SLAB; i <= MEMORY_PAGE && !ret; i++) {
		if (!account_rows_wanted(c->env, c->opts, (enum memory)i))
			continue;
		ret = account_rows_by(c->opts, (enum memory)i, percpu_cross_show, c,
				      report);
		ret = ret ?: percpu_cross_show_matrix(c, (enum memory)i, report);
	}
	return ret;
}

const struct analysis analysis_percpu_cross = {
	.name = "percpu_cross",
	.command = "percpu",
	.help = "objects and pages that were freed on another CPU",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS_ALL,
	.tables = TABLES(&percpu_slab_type, &percpu_slab_matrix_type, &percpu_page_type,
			 &percpu_page_matrix_type),
	ANALYSIS_SELF_OPTIONS(struct percpu_cross),
	.create = cross_create,
	.view = cross_view,
	.destroy = cross_destroy,
};
