// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a recording allocated, under names that match those of another recording.
 * In: lives. Out: the tables of comparison_tables.c.
 *
 * Row names have no addresses or offsets, and function names lack what a build adds to them:
 * symbol/fold.h. kmalloc events name no cache: it follows from the size.
 */
#include "analysis/compare/comparison.h"

#include "analysis/bounds/bounds.h"
#include "analysis/bounds/slab_bounds.h"
#include "analysis/row/comparison_name.h"
#include "analysis/row/entry.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"
#include "analysis/stat/page_report.h"
#include "base/array.h"

/* Something happened to one of the table's objects. */
struct comparison_life {
	uint32_t row;  /* of the account */
	uint32_t size; /* of the object */
	uint64_t bytes, bytes_req;
	uint64_t times; /* objects that it stands for */
	uint8_t what;
};

static const struct slab_key *slab_key(const struct comparison *p, size_t row)
{
	return lives_key(p->of, row);
}

/* The callsite of @row, beyond functions that are skipped; 0: not known. */
static uint64_t row_callsite(const struct comparison *p, uint32_t row)
{
	uint32_t stack = lives_stack(p->of, row);
	uint64_t callsite = p->kind == KIND_PAGE ? 0 : slab_key(p, row)->callsite;

	/* An area's is known from its callchain, like that of pages. */
	return callsite ? sites_beyond(p->env, callsite, stack)
			: comparison_callsite(p->env, stack);
}

/* Do rows not depend on the callsite? */
static bool by_others(enum subject_kind by)
{
	return subject_rows(by) &
	       (ROWS(ENTRY) | ROWS(COMM) | ROWS(PROCESS) | ROWS(CGROUP));
}

/* Names the row, which is not by cache. */
static void name_row(struct comparison *p, uint32_t row)
{
	const struct processes *processes = &p->env->accounts->processes;
	uint64_t callsite = p->kind == KIND_PAGE ? 0 : slab_key(p, row)->callsite;

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

/* The key that tells sources of objects by cache apart. */
static uint64_t source_key(const struct comparison *p, uint32_t row, uint32_t bytes)
{
	const struct slab_key *key = slab_key(p, row);

	return key->kmalloc ? (uint64_t)bytes << 1 | 1 : (uint64_t)key->cache << 1;
}

/* The source of an object of account row @row; UINT32_MAX: no memory. */
static uint32_t source_of(struct comparison *p, uint32_t row, uint32_t bytes)
{
	const uint32_t *source;

	if (p->kind != KIND_CACHE)
		return row;
	source = u64_map_insert(&p->sources, source_key(p, row, bytes),
				(uint32_t)p->sources.count);
	return source ? *source : UINT32_MAX;
}

/* The group of a new source; UINT32_MAX: no memory. */
static uint32_t find_group(struct comparison *p, uint32_t row, uint32_t bytes)
{
	uint32_t id;

	strbuf_reset(&p->name);
	if (p->kind == KIND_CACHE)
		name_cache(p, row, bytes);
	else
		name_row(p, row);
	id = intern_id(&p->names, strbuf_text(&p->name), p->name.size);
	if (!id || p->name.failed ||
	    array_reserve(&p->groups, &p->groups_capacity, id, sizeof(*p->groups)))
		return UINT32_MAX;
	return id - 1;
}

/* The group of an object of account row @row; NULL: no memory. */
static struct comparison_group *group_of(struct comparison *p, uint32_t row,
					 uint32_t bytes)
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
		p->groups[group] = (struct comparison_group){ 0 };
	p->group_of[source] = group;
	return &p->groups[group];
}

static void take_life(struct comparison_group *g, const struct comparison_life *life)
{
	switch (life->what) {
	case LIFE_BORN:
		g->hit += life->times;
		g->bytes += life->bytes;
		g->bytes_req += life->bytes_req;
		g->live += life->bytes;
		if (life->bytes > g->largest)
			g->largest = life->bytes;
		if (g->live > g->peak)
			g->peak = g->live;
		break;
	case LIFE_GONE:
		g->implicit += life->times;
		g->live -= life->bytes;
		break;
	case LIFE_FOUND: /* it was counted as gone */
		g->implicit -= life->times;
		break;
	default:
		g->live -= life->bytes;
	}
}

/* In a sample, an object stands for several. */
static void weigh(struct comparison *p, struct comparison_life *life, uint32_t group)
{
	struct sampled_row row = sampled_row(p->of, life->row);

	if (life->what == LIFE_BORN &&
	    comparison_sample_add(&p->sample, group, row.unit, life->bytes))
		p->failed = true;
	life->times = row.times;
	life->bytes *= row.times;
	life->bytes_req *= row.times;
}

static void comparison_life(struct comparison *p, struct comparison_life *life)
{
	struct comparison_group *g =
		p->failed ? NULL : group_of(p, life->row, life->size);

	if (!g) {
		p->failed = true;
		return;
	}
	if (p->env->sample.one_in)
		weigh(p, life, (uint32_t)(g - p->groups));
	take_life(g, life);
	take_life(&p->all, life);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const bool pages = of->kind->memory == MEMORY_PAGE;
	const struct life *end = life + nr;

	for (; life < end; life++) {
		struct comparison_life one = { .times = 1,
					       .row = life->row,
					       .size = (uint32_t)life->bytes,
					       .bytes = life->bytes,
					       .bytes_req = pages ? 0 : life->bytes_req,
					       .what = life->what };

		if (life->what != LIFE_REFUSED)
			comparison_life(ctx, &one);
	}
}

/* Asks for the account, and observes it. */
static int observe(struct comparison *p)
{
	static const enum memory memories[] = {
		[KIND_SLAB] = MEMORY_SLAB,     [KIND_CACHE] = MEMORY_SLAB,
		[KIND_PAGE] = MEMORY_PAGE,     [KIND_VMALLOC] = MEMORY_VMALLOC,
		[KIND_PERCPU] = MEMORY_PERCPU,
	};
	const struct analysis_options opts = { .by = p->by };
	struct dimensions dimensions = { 0 };
	int ret;

	if (p->kind == KIND_SLAB)
		dimensions = subjects_slab_dimensions(&opts, p->env);
	else if (p->kind != KIND_CACHE)
		dimensions = subjects_page_dimensions(p->by);
	ret = accounts_of_memory(p->env->accounts, memories[p->kind], &dimensions,
				 &p->of);
	if (ret)
		return ret;
	return lives_observe(p->of, lived, p);
}

/* Adds live bytes that were allocated after the last gap. */
static void add_sure(struct comparison *p, uint32_t row, uint64_t bytes)
{
	struct comparison_group *g = group_of(p, row, (uint32_t)bytes);

	if (g)
		g->net_min += bytes * sampled_row(p->of, row).times;
	else
		p->failed = true;
}

/* In a sample: adds live bytes. */
static void add_living(struct comparison *p, uint32_t row, uint64_t bytes)
{
	const struct comparison_group *g = group_of(p, row, (uint32_t)bytes);
	uint64_t unit = sampled_row(p->of, row).unit;

	if (!g || unit_pieces_add(&p->sample.net, (uint32_t)(g - p->groups), unit, bytes))
		p->failed = true;
}

static enum subject_kind row_kind(const struct comparison *p)
{
	if (p->kind == KIND_CACHE)
		return SUBJECT_CACHE;
	return p->by ? p->by : SUBJECT_CALLSITE;
}

/* In a sample: computes the intervals. 0 or -ENOMEM. */
static int find_intervals(struct comparison *p)
{
	const struct live_entry *e = NULL;

	while ((e = lives_next(p->of, e)))
		add_living(p, e->row, lives_entry_bytes(p->of, e));
	return comparison_sample_end(&p->sample, &p->env->sample,
				     p->kind == KIND_PAGE ? ESTIMATE_PAGES
							  : subjects_share(row_kind(p)),
				     p->names.count);
}

static void find_sure(struct comparison *p)
{
	const struct live_entry *e = NULL;

	while ((e = lives_next(p->of, e)))
		if (lives_sure(p->of, e))
			add_sure(p, e->row, lives_entry_bytes(p->of, e));
}

/* The group, if there is one, that the hidden objects of account row @row fall into; UINT32_MAX:
 * none.
 */
static uint32_t hidden_group(struct comparison *p, uint32_t row)
{
	uint32_t id;

	strbuf_reset(&p->name);
	if (p->kind == KIND_CACHE)
		name_cache(p, row, 0);
	else
		name_row(p, row);
	p->failed |= p->name.failed;
	id = intern_find(&p->names, strbuf_text(&p->name), p->name.size);
	return id ? id - 1 : UINT32_MAX;
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
		uint32_t group;

		if (!slot->used || !slot->value)
			continue;
		kmalloc |= p->kind == KIND_CACHE && slab_key(p, slot->key)->kmalloc;
		group = hidden_group(p, (uint32_t)slot->key);
		err = group == UINT32_MAX ? 0 : bounds_suspect(bounds, group);
	}
	for (size_t i = 0; i < p->sources.capacity && kmalloc && !err; i++) {
		const struct u64_map_slot *slot = &p->sources.slots[i];

		if (slot->used && slot->key & 1)
			err = bounds_suspect(bounds, p->group_of[slot->value]);
	}
	return err;
}

/* Estimates the live objects of each group, as kmemx stat does. */
static int find_likely(struct comparison *p)
{
	struct slab_bounds b = { 0 };
	int err = p->kind == KIND_PAGE || p->env->sample.one_in
			  ? 0
			  : slab_bounds_make(&b, accounts_of_slab(p->of), p->env);
	struct comparison_group *g;

	/* Without pieces there is no count of the kernel that can be used. */
	for (size_t i = 0; i < p->names.count && !b.nr_pieces && !err; i++)
		p->groups[i].likely = p->groups[i].live;
	for (size_t i = 0; i < b.nr_pieces && !err; i++) {
		g = group_of(p, b.pieces[i].row, b.pieces[i].bytes);
		if (g)
			g->likely += slab_piece_likely(&b.pieces[i]);
		else
			err = -ENOMEM;
	}
	for (size_t i = 0; i < p->names.count && !err; i++)
		p->all.likely += p->groups[i].likely;
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
	for (uint32_t i = 0; i < p->names.count && !err; i++)
		err = p->groups[i].implicit ? bounds_suspect(&bounds, i) : 0;
	for (uint32_t i = 0; i < p->names.count && !err; i++) {
		struct comparison_group *g = &p->groups[i];

		g->net_min = bounds_net(&bounds, i, g->live, g->net_min).seen;
		if (g->net_min + g->live > 2 * g->likely)
			g->net_min =
				2 * g->likely > g->live ? 2 * g->likely - g->live : 0;
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
	const struct comparison_row all = { NULL, &p->all, &p->sample.all };

	for (uint32_t i = 0; i < p->names.count; i++) {
		const struct comparison_row row = { intern_get(&p->names, i + 1, NULL),
						    &p->groups[i],
						    p->sample.of ? &p->sample.of[i]
								 : NULL };

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
	if (p->sample.of)
		comparison_add_missing(&p->sample.all, t);
}

/* Notes the allocations that --skip-func could not move because they have no callchain. */
static void note_unskipped(const struct comparison *p, struct table *t)
{
	uint64_t stay = 0;

	if (p->kind != KIND_SLAB || p->type->always || by_others(p->by) ||
	    !callsite_rule_extended(p->env->rule))
		return;
	for (size_t i = 0; i < lives_rows(p->of); i++) {
		if (sites_skipped(p->env, row_callsite(p, (uint32_t)i)))
			stay += lives_sums(p->of, i).hit * lives_weight(p->of, i);
	}
	if (stay)
		table_add_note(
			t,
			"!%" PRIu64
			" slab allocation%s listed under a skipped function: no callchain leads beyond it",
			stay, stay == 1 ? " is" : "s are");
}

/* Computes what is certain of the finished account, and intervals. */
void comparison_end(void *self)
{
	struct comparison *p = self;

	p->failed |= p->of->failed;
	if (!p->failed)
		find_sure(p);
	if (!p->failed && p->env->sample.one_in)
		p->failed |= find_intervals(p) != 0;
	if (!p->failed)
		p->failed |= find_likely(p) != 0 || bound(p) != 0;
}

int comparison_view(const void *self, struct report *report)
{
	const struct comparison *p = self;
	struct table *t;

	if (p->failed)
		return -ENOMEM;
	t = table_begin(report, p->type->table, p->type->title, columns_kind(p), false);
	table_set_by(t, subjects_word(row_kind(p)));
	fill_table(p, t);
	note_unskipped(p, t);
	return p->kind == KIND_PAGE && !p->type->always
		       ? page_matrix(accounts_of_page(p->of), p->env, false, report)
		       : 0;
}

void comparison_destroy(void *self)
{
	struct comparison *p = self;

	u64_map_free(&p->sources);
	intern_free(&p->names);
	free(p->groups);
	free(p->group_of);
	comparison_sample_free(&p->sample);
	strbuf_free(&p->name);
}

int comparison_create(struct comparison *p, const struct analysis_options *opts,
		      const struct comparison_type *type)
{
	p->type = type;
	p->kind = type->kind;
	p->by = type->always ? type->always : opts->by;
	return observe(p);
}
