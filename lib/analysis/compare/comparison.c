// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a recording allocated, under names that match those of another recording.
 * In: lives. Out: tables "slab", "slab_cache", "page", "page_matrix" and others.
 *
 * Row names have no addresses or offsets, and function names lack what a build adds to them:
 * symbol/symbols.h. kmalloc events name no cache: it follows from the size.
 */
#include "analysis/bounds/bounds.h"
#include "analysis/bounds/slab_bounds.h"
#include "analysis/compare/comparison_columns.h"
#include "analysis/row/entry.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"
#include "analysis/stat/account_report.h"
#include "base/keyed.h"

/* What tables differ in. @always: used instead of the options' @by, directories in full depth. */
struct comparison_type {
	enum memory memory;
	enum subject_kind always;
	const struct table_type *table;
};

/**
 * struct comparison - one table under construction
 * @of: the lives of the stream's account
 * @groups: by name
 * @by_row: account row -> its group, from 1; 0: not known yet
 * @by_cache: the same for a table by cache: bytes << 1 | 1 of a kmalloc, else cache << 1
 * @all: the sums of the whole table
 * @pieces: in a sample, the figures by unit; @in: intervals of each group; @all_in: of all groups
 */
struct comparison {
	const struct analysis_env *env;
	const struct comparison_type *type;
	enum subject_kind by;
	struct lives *of;
	KEYED(struct comparison_group) groups;
	uint32_t *by_row;
	size_t nr_rows, rows_capacity;
	struct u64_map by_cache;
	struct comparison_group all;
	struct strbuf name; /* scratch */
	struct unit_pieces pieces[COMPARISON_FIGURES];
	struct comparison_intervals *in, all_in;
	bool failed;
};

static bool of_pages(const struct comparison *p)
{
	return p->type->memory == MEMORY_PAGE;
}

static const struct slab_key *slab_key(const struct comparison *p, size_t row)
{
	return lives_key(p->of, row);
}

/* The callsite of @row, beyond functions that are skipped; 0: not known. */
static uint64_t row_callsite(const struct comparison *p, uint32_t row)
{
	uint32_t stack = lives_stack(p->of, row);
	uint64_t callsite = of_pages(p) ? 0 : slab_key(p, row)->callsite;
	const struct sites sites = { .env = p->env };

	/* An area's is known from its callchain, like that of pages. */
	return callsite ? sites_beyond(p->env, callsite, stack)
			: sites_of_stack(&sites, stack);
}

/* Names the row, which is not by cache. */
static void name_row(struct comparison *p, uint32_t row)
{
	const struct processes *processes = &p->env->accounts->processes;
	uint64_t callsite = of_pages(p) ? 0 : slab_key(p, row)->callsite;

	switch (p->by) {
	case SUBJECT_STACK:
		comparison_name_stack(p->env, lives_stack(p->of, row), callsite,
				      &p->name);
		break;
	case SUBJECT_ENTRY:
		entry_name(p->env, lives_stack(p->of, row), &p->name);
		break;
	case SUBJECT_COMM:
		strbuf_puts(&p->name,
			    tasks_numbered(&p->env->accounts->tasks,
					   lives_value(p->of, row, DIMENSION_COMM)));
		break;
	case SUBJECT_PROCESS:
		strbuf_puts(&p->name,
			    processes_name(processes,
					   lives_value(p->of, row, DIMENSION_PROCESS)));
		break;
	case SUBJECT_CGROUP:
		processes_group_path(processes, lives_value(p->of, row, DIMENSION_CGROUP),
				     p->env->whole_groups, &p->name);
		break;
	default:
		comparison_name_by(p->env, p->by, row_callsite(p, row),
				   p->type->always ? 0 : p->env->dir_depth, &p->name);
	}
}

/* Names the cache of an object of row @row; for kmalloc it follows from the size. */
static void name_cache(struct comparison *p, uint32_t row, uint32_t bytes)
{
	const struct slab_key *key = slab_key(p, row);
	const char *cache;

	if (key->kmalloc) {
		comparison_name_kmalloc(p->env, bytes, &p->name);
		return;
	}
	cache = event_stream_cache(p->env->stream, key->cache);
	strbuf_puts(&p->name, cache ? cache : "[unnamed]");
}

/* Names the group of an object of account row @row. */
static void name_group(struct comparison *p, uint32_t row, uint32_t bytes)
{
	strbuf_reset(&p->name);
	if (p->by == SUBJECT_CACHE)
		name_cache(p, row, bytes);
	else
		name_row(p, row);
	p->failed |= p->name.failed;
}

/* Where the number of an object's group is kept. NULL: no memory. */
static uint32_t *place_of(struct comparison *p, uint32_t row, uint32_t bytes)
{
	if (p->by == SUBJECT_CACHE) {
		const struct slab_key *key = slab_key(p, row);

		return u64_map_insert(&p->by_cache,
				      key->kmalloc ? (uint64_t)bytes << 1 | 1
						   : (uint64_t)key->cache << 1,
				      0);
	}
	if (unlikely(row >= p->nr_rows) &&
	    array_reach(&p->by_row, &p->nr_rows, &p->rows_capacity, row + 1UL))
		return NULL;
	return &p->by_row[row];
}

/* The group of an object of account row @row; NULL: no memory. */
static struct comparison_group *group_of(struct comparison *p, uint32_t row,
					 uint32_t bytes)
{
	uint32_t *id = place_of(p, row, bytes);

	if (id && unlikely(!*id)) {
		name_group(p, row, bytes);
		*id = KEYED_ID_OF(&p->groups, strbuf_text(&p->name), p->name.size);
	}
	p->failed |= !id || !*id;
	return p->failed ? NULL : &p->groups.of[*id - 1];
}

/* @times: objects that each of @life's stands for. */
static void take_life(struct comparison_group *g, const struct life *life, uint64_t times)
{
	uint64_t bytes = life->bytes * times;

	switch (life->what) {
	case LIFE_BORN:
		g->hit += times;
		g->bytes += bytes;
		g->live += bytes;
		g->largest = LARGER(bytes, g->largest);
		g->peak = LARGER(g->live, g->peak);
		break;
	case LIFE_GONE:
		g->implicit += times;
		g->live -= bytes;
		break;
	case LIFE_FOUND: /* it was counted as gone */
		g->implicit -= times;
		break;
	default:
		g->live -= bytes;
	}
}

/* In a sample: @bytes of a figure of group @g are in the unit of account row @row. */
static void add_piece(struct comparison *p, enum comparison_figure figure,
		      const struct comparison_group *g, uint32_t row, uint64_t bytes)
{
	if (unit_pieces_add(&p->pieces[figure], (uint32_t)(g - p->groups.of),
			    estimate_unit(p->of, row), bytes))
		p->failed = true;
}

static void comparison_life(struct comparison *p, const struct life *life)
{
	uint64_t times = lives_weight(p->of, life->row);
	struct comparison_group *g =
		p->failed ? NULL : group_of(p, life->row, (uint32_t)life->bytes);

	if (!g)
		return;
	take_life(g, life, times);
	take_life(&p->all, life, times);
	if (life->what != LIFE_BORN)
		return;
	if (!of_pages(p)) {
		g->bytes_req += life->bytes_req * times;
		p->all.bytes_req += life->bytes_req * times;
	}
	if (p->env->sample.one_in) {
		add_piece(p, FIGURE_BYTES, g, life->row, life->bytes);
		add_piece(p, FIGURE_HIT, g, life->row, 1);
	}
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++) {
		if (life->what != LIFE_REFUSED)
			comparison_life(ctx, life);
	}
}

static enum subject_kind row_kind(const struct comparison *p)
{
	return p->by ? p->by : SUBJECT_CALLSITE;
}

/* Adds what is live; what was allocated after the last gap is certain. */
static void find_living(struct comparison *p)
{
	const struct live_entry *e = NULL;

	while (!p->failed && (e = lives_next(p->of, e))) {
		uint64_t bytes = lives_entry_bytes(p->of, e);
		struct comparison_group *g = group_of(p, e->row, (uint32_t)bytes);

		if (g && lives_sure(p->of, e))
			g->net_min += bytes * lives_weight(p->of, e->row);
		if (g && p->env->sample.one_in)
			add_piece(p, FIGURE_NET, g, e->row, bytes);
	}
}

/* Computes the intervals of @nr groups; @groups maps pieces to them; @flows: the kind of estimate
 * for allocations.
 */
static int estimate_groups(const struct comparison *p, enum estimate_of flows,
			   const uint32_t *groups, struct comparison_intervals *to,
			   size_t nr)
{
	struct estimate *e __auto_mem = calloc(nr + 1, sizeof(*e));
	int ret = e ? 0 : -ENOMEM;

	for (int k = 0; k < COMPARISON_FIGURES && !ret; k++) {
		const struct estimate_rule rule = { &p->env->sample,
						    k == FIGURE_NET && !of_pages(p)
							    ? ESTIMATE_LIVING
							    : flows };

		ret = unit_pieces_estimate(&p->pieces[k], &rule, groups, e, nr);
		for (size_t i = 0; i < nr && !ret; i++)
			to[i].of[k] = e[i];
	}
	return ret;
}

/* In a sample: computes all intervals. 0 or -ENOMEM. */
static int find_intervals(struct comparison *p)
{
	uint32_t *groups __auto_mem = calloc(p->groups.nr + 1, sizeof(*groups));
	int ret;

	p->in = calloc(p->groups.nr + 1, sizeof(*p->in));
	if (!groups || !p->in)
		return -ENOMEM;
	ret = estimate_groups(p, of_pages(p) ? ESTIMATE_PAGES : ESTIMATE_SHARED, groups,
			      &p->all_in, 1);
	for (size_t i = 0; i < p->groups.nr; i++)
		groups[i] = (uint32_t)i;
	return ret
		       ?: estimate_groups(p,
					  of_pages(p) ? ESTIMATE_PAGES
						      : subjects_share(row_kind(p)),
					  groups, p->in, p->groups.nr);
}

/* Groups are also suspect if their hidden objects were freed without an event. The size of a hidden
 * kmalloc is not known any more, so all kmalloc caches are suspect.
 */
static int suspect_hidden(struct comparison *p, struct bounds *bounds)
{
	const struct u64_map *rows = &p->of->hidden_gone;
	bool kmalloc = false;
	int err = 0;

	for (size_t i = 0; i < rows->capacity && !err; i++) {
		const struct u64_map_slot *slot = &rows->slots[i];
		uint32_t id;

		if (!slot->used || !slot->value)
			continue;
		kmalloc |= p->by == SUBJECT_CACHE && slab_key(p, slot->key)->kmalloc;
		/* The group that they fall into, if there is one. */
		name_group(p, (uint32_t)slot->key, 0);
		id = intern_find(&p->groups.keys, strbuf_text(&p->name), p->name.size);
		err = id ? bounds_suspect(bounds, id - 1) : 0;
	}
	for (size_t i = 0; i < p->by_cache.capacity && kmalloc && !err; i++) {
		const struct u64_map_slot *slot = &p->by_cache.slots[i];

		if (slot->used && slot->key & 1)
			err = bounds_suspect(bounds, slot->value - 1);
	}
	return err;
}

/* Estimates the live objects of each group, as kmemx stat does. */
static int find_likely(struct comparison *p)
{
	struct slab_bounds b = { 0 };
	int err = of_pages(p) || p->env->sample.one_in
			  ? 0
			  : slab_bounds_of(&b, p->of, NULL, p->env);
	struct comparison_group *g;

	/* Without pieces there is no count of the kernel that can be used. */
	for (size_t i = 0; i < p->groups.nr && !b.pieces.nr && !err; i++)
		p->groups.of[i].likely = p->groups.of[i].live;
	for (size_t i = 0; i < b.pieces.nr && !err; i++) {
		g = group_of(p, b.pieces.of[i].row, b.pieces.of[i].bytes);
		if (g)
			g->likely += b.pieces.of[i].likely;
		else
			err = -ENOMEM;
	}
	for (size_t i = 0; i < p->groups.nr && !err; i++)
		p->all.likely += p->groups.of[i].likely;
	slab_bounds_free(&b);
	return err;
}

/* Computes how many live bytes are certain; a group is suspect as a whole. The estimate may be off
 * by as much as it differs from what was seen.
 */
static int bound(struct comparison *p)
{
	struct bounds bounds = { 0 };
	int err;

	bounds_init(&bounds, p->env);
	err = suspect_hidden(p, &bounds);
	for (uint32_t i = 0; i < p->groups.nr && !err; i++)
		err = p->groups.of[i].implicit ? bounds_suspect(&bounds, i) : 0;
	for (uint32_t i = 0; i < p->groups.nr && !err; i++) {
		struct comparison_group *g = &p->groups.of[i];

		g->net_min = bounds_net(&bounds, i, g->live, g->net_min).seen;
		if (g->net_min + g->live > 2 * g->likely)
			g->net_min = less(2 * g->likely, g->live);
		p->all.net_min += g->net_min;
	}
	bounds_free(&bounds);
	return err;
}

/* The kind of rows, and whether they have intervals. */
static enum subject_kind columns_kind(const struct comparison *p)
{
	return subject_estimated(row_kind(p), p->env->sample.one_in);
}

static void fill_table(const struct comparison *p, struct table *t)
{
	const struct comparison_row all = { NULL, &p->all, &p->all_in };

	for (uint32_t i = 0; i < p->groups.nr; i++) {
		const struct comparison_row row = { KEYED_KEY(&p->groups, i),
						    &p->groups.of[i],
						    p->in ? &p->in[i] : NULL };

		if (!table_put_row(t, &row))
			return;
	}
	/* The summary has the same figures for all rows. */
	for (const struct column_type *col = p->type->table->columns; col->column.name;
	     col++) {
		const struct column *c = &col->column;
		struct summary_item item = { c->name, NULL, c->unit, .live = c->live };

		if (c->unit == UNIT_NONE || !column_type_in(col, columns_kind(p)))
			continue;
		item.value = column_type_cell(col, &all, t);
		table_add_summary_items(t, &item, 1);
	}
	if (p->in)
		comparison_add_missing(&p->all_in, t);
}

/* Notes the allocations that --skip-func could not move because they have no callchain. */
static void note_unskipped(const struct comparison *p, struct table *t)
{
	/* Rows by these do not depend on the callsite. */
	const uint32_t others = ROWS(ENTRY) | ROWS(COMM) | ROWS(PROCESS) | ROWS(CGROUP);
	uint64_t stay = 0;

	if (p->type->memory != MEMORY_SLAB || p->type->always ||
	    subject_rows(p->by) & others || !callsite_rule_extended(p->env->rule))
		return;
	for (size_t i = 0; i < lives_rows(p->of); i++) {
		if (sites_skipped(p->env, row_callsite(p, (uint32_t)i)))
			stay += lives_sums(p->of, i).hit * lives_weight(p->of, i);
	}
	sites_note_skipped(stay, "no callchain leads beyond it", t);
}

/* Computes what is certain of the finished account, and intervals. */
static void comparison_end(void *self)
{
	struct comparison *p = self;

	p->failed |= p->of->failed;
	find_living(p);
	if (!p->failed && p->env->sample.one_in)
		p->failed |= find_intervals(p) != 0;
	if (!p->failed)
		p->failed |= find_likely(p) != 0 || bound(p) != 0;
}

static int comparison_view(const void *self, struct report *report)
{
	static const char *const titles[MEMORY_KINDS] = { "Slab allocations",
							  "Page allocations",
							  "Areas of vmalloc",
							  "Per-CPU allocations" };
	const struct comparison *p = self;
	struct table *t;

	if (p->failed)
		return -ENOMEM;
	t = table_begin(report, p->type->table, titles[p->type->memory], columns_kind(p),
			false);
	table_set_by(t, subjects_word(row_kind(p)));
	fill_table(p, t);
	note_unskipped(p, t);
	return of_pages(p) && !p->type->always
		       ? page_matrix(accounts_of_page(p->of), p->env, false, report)
		       : 0;
}

static void comparison_destroy(void *self)
{
	struct comparison *p = self;

	for (int k = 0; k < COMPARISON_FIGURES; k++)
		unit_pieces_free(&p->pieces[k]);
	KEYED_FREE(&p->groups);
	free(p->by_row);
	u64_map_free(&p->by_cache);
	free(p->in);
	strbuf_free(&p->name);
}

/* Asks for the account of a table of @type, and observes it. */
static int comparison_create(struct comparison *p, const struct analysis_options *opts,
			     const struct comparison_type *type)
{
	const struct analysis_options by = { .by = type->always ? type->always
								: opts->by };
	struct dimensions dimensions = { 0 };

	p->type = type;
	p->by = by.by;
	if (type->memory != MEMORY_SLAB)
		dimensions = subjects_page_dimensions(p->by);
	else if (p->by != SUBJECT_CACHE)
		dimensions = subjects_slab_dimensions(&by, p->env);
	return accounts_of_memory(p->env->accounts, type->memory, &dimensions, &p->of)
		       ?: lives_observe(p->of, lived, p);
}

/* What diff's --by can be. */
#define COMPARISON_ROWS                                                             \
	(ROWS(CALLSITE) | ROWS(STACK) | ROWS(MODULE) | ROWS(DIR) | ROWS(FUNCTION) | \
	 ROWS(FILE) | ROWS(LINE) | ROWS(ENTRY) | ROWS(COMM) | ROWS(PROCESS) |       \
	 ROWS(CGROUP))

/* An analysis for each table. */
#define COMPARISON(id, when, is, by, text, which, cols, ...)                           \
	static const struct table_type table_##id = { .name = #id,                     \
						      .help = text,                    \
						      .columns = cols };               \
	static const struct table_type *const tables_##id[] = { &table_##id,           \
								##__VA_ARGS__, NULL }; \
	static const struct comparison_type type_##id = { MEMORY_##is, by,             \
							  &table_##id };               \
	static int create_##id(void *self, const struct analysis_env *env,             \
			       const struct analysis_options *opts)                    \
	{                                                                              \
		return comparison_create(self, opts, &type_##id);                      \
	}                                                                              \
	const struct analysis analysis_comparison_##id = {                             \
		.name = "comparison_" #id,                                             \
		.help = text,                                                          \
		.use = when,                                                           \
		.needs = NEEDS_##is,                                                   \
		.rows = which,                                                         \
		.tables = tables_##id,                                                 \
		ANALYSIS_SELF(struct comparison),                                      \
		.create = create_##id,                                                 \
		.end = comparison_end,                                                 \
		.view = comparison_view,                                               \
		.destroy = comparison_destroy,                                         \
	};

COMPARISON(slab, ANALYSIS_DIFF, SLAB, SUBJECT_NONE, "slab objects, to be compared",
	   COMPARISON_ROWS, comparison_slab_columns)
COMPARISON(slab_dir, ANALYSIS_RULES, SLAB, SUBJECT_DIR,
	   "slab objects by directory, for rules", ROWS(DIR), comparison_slab_columns)
COMPARISON(slab_stack, ANALYSIS_DIFF_PAGE, SLAB, SUBJECT_STACK,
	   "slab objects by callchain, for a page", ROWS(STACK), comparison_slab_columns)
COMPARISON(slab_cache, ANALYSIS_DIFF, SLAB, SUBJECT_CACHE,
	   "slab objects by cache, to be compared", ROWS(CACHE), comparison_cache_columns)
COMPARISON(page, ANALYSIS_DIFF, PAGE, SUBJECT_NONE, "page blocks, to be compared",
	   COMPARISON_ROWS, comparison_page_columns, &page_matrix_type)
COMPARISON(page_dir, ANALYSIS_RULES, PAGE, SUBJECT_DIR,
	   "page blocks by directory, for rules", ROWS(DIR), comparison_page_columns)
COMPARISON(page_stack, ANALYSIS_DIFF_PAGE, PAGE, SUBJECT_STACK,
	   "page blocks by callchain, for a page", ROWS(STACK), comparison_page_columns)
COMPARISON(vmalloc, ANALYSIS_DIFF, VMALLOC, SUBJECT_NONE,
	   "areas of vmalloc, to be compared", COMPARISON_ROWS, comparison_page_columns)
COMPARISON(percpu_memory, ANALYSIS_DIFF, PERCPU, SUBJECT_NONE,
	   "per-CPU memory, to be compared", COMPARISON_ROWS, comparison_page_columns)
