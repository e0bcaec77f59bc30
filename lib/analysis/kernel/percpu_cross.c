// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the CPUs on which objects and pages were allocated and freed.
 * In: lives of slab objects and of pages. Out: tables "percpu_slab" and "percpu_page": what was
 * freed on another CPU than the one that allocated it, by both CPUs and by callsite or the keys of
 * --by; "percpu_slab_matrix" and "percpu_page_matrix": all frees by both CPUs.
 * Documentation/percpu.md says how.
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
 * the first that freed.
 */
struct group {
	uint64_t nr, bytes, most;
	uint32_t site;
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
		addr = addr ? sites_of_stack_once(sites, (uint32_t)addr) : 0;
	return addr ? sites_group(sites, addr) : NO_SITE;
}

static int add(struct view *v, const struct cross_key *from,
	       const struct cross_count *count)
{
	const struct group_key key = { v->owners.of[from->row], from->from, from->to };
	const uint32_t id = KEYED_ID(&v->groups, &key);
	const struct freed_key freed = { id, site_of(v, from) };
	uint64_t *nr = id ? KEYED_ITEM(&v->freed, &freed) : NULL;

	if (!nr)
		return -ENOMEM;
	v->groups.of[id - 1].nr += count->nr;
	v->groups.of[id - 1].bytes += count->bytes;
	*nr += count->nr;
	return 0;
}

static void find_most(struct view *v)
{
	for (size_t i = 0; i < v->freed.nr; i++) {
		const struct freed_key *key = KEYED_KEY(&v->freed, i);
		struct group *g = &v->groups.of[key->group - 1];

		if (v->freed.of[i] > g->most) {
			g->most = v->freed.of[i];
			g->site = key->site;
		}
	}
}

static int view_make(struct view *v, const struct percpu_cross *c, enum subject_kind kind)
{
	int ret = owners_init(&v->owners, c->env, c->of[v->pages], kind);

	for (size_t i = 0; i < v->side->counts.nr && !ret; i++) {
		const struct cross_key *key = KEYED_KEY(&v->side->counts, i);

		if (key->from != key->to)
			ret = add(v, key, &v->side->counts.of[i]);
	}
	find_most(v);
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

/* How much, and the CPUs. */
#define CROSS_COLUMNS(count_name, count_title, count_unit, text)                      \
	{ COLUMN(count_name, count_title, count_unit, text, .share = true),           \
	  MEMBER_OF(struct view_row, group, nr) },                                    \
		{ COLUMN("bytes", "Bytes", UNIT_BYTES, "Their bytes.", .drop = 70),   \
		  MEMBER_OF(struct view_row, group, bytes) },                         \
		{ COLUMN("alloc_cpu", "Allocated_on", UNIT_NONE,                      \
			 "The CPU that allocated them.", .level = true),              \
		  MEMBER_OF(struct view_row, key, from) },                            \
	{                                                                             \
		COLUMN("free_cpu", "Freed_on", UNIT_NONE, "The CPU that freed them.", \
		       .level = true),                                                \
			MEMBER_OF(struct view_row, key, to)                           \
	}
#define FREED_BY_COLUMN                                         \
	{                                                       \
		COLUMN("freed_by", "Freed_by", UNIT_NONE,       \
		       "The callsite that freed most of them; " \
		       "of pages only with callchains of all "  \
		       "events (kmemx record --stack all).",    \
		       .drop = 60),                             \
			.fill = cell_freed_by                   \
	}

static const struct column_type slab_columns[] = {
	CROSS_COLUMNS("objects", "Objects", UNIT_COUNT,
		      "Objects that the one CPU allocated and the other freed."),
	FREED_BY_COLUMN,
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct column_type page_columns[] = {
	CROSS_COLUMNS("pages", "Pages", UNIT_PAGES,
		      "Pages that the one CPU allocated and the other freed."),
	FREED_BY_COLUMN,
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_PAGE_NODE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type types[] = {
	[MEMORY_SLAB] = {
		.name = "percpu_slab",
		.help = "slab objects that one CPU allocated and another freed, by callsite, or what --by says",
		.sort = "objects,bytes",
		.columns = slab_columns,
	},
	[MEMORY_PAGE] = {
		.name = "percpu_page",
		.help = "pages that one CPU allocated and another freed, by callsite, or what --by says",
		.sort = "pages,bytes",
		.columns = page_columns,
	},
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

	table_set_summary_title(t, "SUMMARY (CPUs of %s)",
				v->pages ? "pages" : "slab objects");
	TABLE_SUMMARY(
		t, losses != 0,
		{ "freed", v->pages ? "Pages freed" : "Objects freed", unit,
		  here + elsewhere, SUMMARY_USUAL },
		{ "freed_here", "  on the CPU that allocated them", unit, here,
		  SUMMARY_TOTAL },
		{ "freed_elsewhere", "  on another CPU", unit, elsewhere, SUMMARY_TOTAL },
		{ "freed_unknown", "    in no row: clocks of CPUs differ", unit,
		  v->side->unknown, SUMMARY_DOUBT });
}

static struct table *new_table(enum memory memory, enum subject_kind kind,
			       struct report *report)
{
	struct table *t = account_rows_table(report, &types[memory], kind,
					     "%s freed on another CPU,",
					     memory_words(memory)->title);
	struct strbuf __auto_free by = { 0 };

	strbuf_printf(&by, "%s,alloc_cpu,free_cpu", t->by);
	table_set_by(t, strbuf_text(&by));
	return t;
}

static int percpu_cross_show(const void *self, enum memory memory, enum subject_kind kind,
			     struct report *report)
{
	const struct percpu_cross *c = self;
	struct view v = { .side = &c->sides[memory], .pages = memory == MEMORY_PAGE };
	struct table *t = new_table(memory, kind, report);
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

static const struct column_type slab_pair_columns[] = {
	CROSS_COLUMNS(
		"objects", "Objects", UNIT_COUNT,
		"Objects that the one CPU allocated and the other, or the same, freed."),
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct column_type page_pair_columns[] = {
	CROSS_COLUMNS(
		"pages", "Pages", UNIT_PAGES,
		"Pages that the one CPU allocated and the other, or the same, freed."),
	SHARE_COLUMNS,
	COLUMNS_END,
};

#define CROSS(nr, things)                                                               \
	{                                                                               \
		.row = "alloc_cpu", .column = "free_cpu", .value = nr, .corner = "CPU", \
		.title = things " by the CPUs that allocated (down) and freed (across)" \
	}

static const struct table_cross crosses[] = {
	[MEMORY_SLAB] = CROSS("objects", "Slab objects"),
	[MEMORY_PAGE] = CROSS("pages", "Pages"),
};

#define MATRIX(memory, table, things, heading, nr, its_columns)              \
	[memory] = {                                                         \
		.name = table,                                               \
		.help = things " by the CPUs that allocated and freed them", \
		.title = heading " by the CPUs that allocated and freed",    \
		.by = "alloc_cpu,free_cpu",                                  \
		.sort = nr,                                                  \
		.cross = &crosses[memory],                                   \
		.columns = its_columns,                                      \
	}

static const struct table_type matrices[] = {
	MATRIX(MEMORY_SLAB, "percpu_slab_matrix", "slab objects", "Slab objects",
	       "objects", slab_pair_columns),
	MATRIX(MEMORY_PAGE, "percpu_page_matrix", "pages", "Pages", "pages",
	       page_pair_columns),
};

static int percpu_cross_show_matrix(const struct percpu_cross *c, enum memory memory,
				    struct report *report)
{
	const struct cross_side *side = &c->sides[memory];
	KEYED(struct group) sums = { { 0 } }; /* by group_key without subject */
	struct table *t;
	int ret = 0;

	if (!side->counts.nr)
		return 0;
	for (size_t i = 0; i < side->counts.nr && !ret; i++) {
		const struct cross_key *from = KEYED_KEY(&side->counts, i);
		const struct group_key key = { 0, from->from, from->to };
		struct group *sum = KEYED_ITEM(&sums, &key);

		if (sum) {
			sum->nr += side->counts.of[i].nr;
			sum->bytes += side->counts.of[i].bytes;
		}
		ret = sum ? 0 : -ENOMEM;
	}
	t = table_plain(report, &matrices[memory]);
	for (size_t i = 0; i < sums.nr && !ret; i++)
		table_put_row(t, &(struct view_row){ .key = KEYED_KEY(&sums, i),
						     .group = &sums.of[i] });
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

/* Sets @by to who freed: a callsite, for pages a callchain; false: it is no free of these. */
static bool freed_by(const struct kmem_event *ev, uint64_t *by)
{
	if (kmem_ends_objects(ev->type))
		*by = ev->slab_free.callsite;
	else if (ev->type == KMEM_PAGE_FREE || ev->type == KMEM_PAGE_FREE_BATCHED)
		*by = ev->stack;
	else
		return false;
	return true;
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct percpu_cross *c = ctx;
	struct cross_side *side = &c->sides[of->kind->memory];

	for (; life < end; life++) {
		struct cross_key key = { .row = life->row };

		if (!life_freed(life))
			continue;
		if (!life->event || !freed_by(life->event, &key.freed_by)) {
			side->unknown += life->flags & LIFE_OTHER_CPU ? life->nr : 0;
			continue;
		}
		key.from = allocated_on(of, life);
		key.to = life->event->cpu;
		count(side, &key, life->nr, life->bytes);
	}
}

static void cross_destroy(void *self)
{
	struct percpu_cross *c = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		KEYED_FREE(&c->sides[i].counts);
}

static int cross_create(void *self, const struct analysis_env *env,
			const struct analysis_options *opts)
{
	struct dimensions dimensions[MEMORY_KINDS] = {
		[MEMORY_SLAB] = subjects_slab_dimensions(opts, env),
		[MEMORY_PAGE] = subjects_page_dimensions(opts->by),
	};
	struct percpu_cross *c = self;

	/* A page's life does not have the CPU that allocated it, so its row does. There is room:
	 * only tables of slab objects use all dimensions.
	 */
	dimensions_add(&dimensions[MEMORY_PAGE], DIMENSION_CPU, DIMENSIONS_ASKED);
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
	.tables = TABLES(&types[MEMORY_SLAB], &matrices[MEMORY_SLAB], &types[MEMORY_PAGE],
			 &matrices[MEMORY_PAGE]),
	ANALYSIS_SELF_OPTIONS(struct percpu_cross),
	.create = cross_create,
	.view = cross_view,
	.destroy = cross_destroy,
};
