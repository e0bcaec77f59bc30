// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what was allocated and is still live: leaks, and objects that only look like leaks.
 * In: lives of every kind of memory. Out: tables "leaks", "leaks_page" and so on, built by
 * leaks_view.c. Documentation/leaks.md says how each number is computed.
 */
#include "analysis/life/leaks.h"

#include "analysis/stat/account_rows.h"
#include "base/array.h"

/* A series covers all units of a sample, and all tasks unless rows are by task.
 * Reclaimable memory has a series of its own.
 */
static void in_series(const struct leaks *l, const struct dimensions *all,
		      struct dimension_values *dims)
{
	int pid = dimensions_find(all, DIMENSION_PID);
	int unit = dimensions_find(all, DIMENSION_UNIT);

	if (pid >= 0 && !l->by_task)
		dims->of[pid] = 0;
	if (unit >= 0)
		dims->of[unit] = 0;
}

/* The number of row @row's series; 0: no memory. */
static uint32_t series_id(struct leaks *l, const struct lives *of, uint32_t row)
{
	struct leaks_side *side = &l->sides[of->kind->memory];
	const struct page_key *from;
	struct slab_key key;

	if (of->kind->memory == MEMORY_PAGE) {
		from = lives_key(of, row);
		struct page_key page = { .stack = from->stack, .dims = from->dims };

		page.order = reclaimable_by_request(&l->reclaimable, from);
		in_series(l, &of->dimensions, &page.dims);
		return intern_id(&side->keys, &page, sizeof(page));
	}
	key = *(const struct slab_key *)lives_key(of, row);
	in_series(l, &of->dimensions, &key.dims);
	return intern_id(&side->keys, &key, sizeof(key));
}

/* Finds the series of the rows up to @row. Sets the growth's failed flag if memory runs out. */
static struct leaks_account_row new_series(struct leaks *l, const struct lives *of,
					   uint32_t row)
{
	struct leaks_side *side = &l->sides[of->kind->memory];

	if (array_reserve(&side->rows, &side->capacity, row + 1UL)) {
		side->growth.failed = true;
		return (struct leaks_account_row){ 0 };
	}
	for (; side->nr <= row; side->nr++) {
		uint32_t id = series_id(l, of, (uint32_t)side->nr);

		side->growth.failed |= !id;
		side->rows[side->nr] =
			(struct leaks_account_row){ id ? id - 1 : 0,
						    lives_weight(of, side->nr) };
	}
	return side->rows[row];
}

/* Births are only needed for live objects. */
static void drop_births(struct leaks_side *side, const struct lives *of)
{
	const struct live_entry *entry = NULL;

	while ((entry = lives_next(of, entry)))
		births_keep(&side->births, entry->cpu, live_begin(&of->live, entry));
	births_drop(&side->births);
}

/* Adds @bytes that began to live, or ended, at @event; NULL: they ended without an event. */
static inline void add_change(struct leaks_side *side, uint32_t series, uint64_t bytes,
			      bool born, const struct kmem_event *event)
{
	if (unlikely(!event)) {
		growth_settle(&side->growth, series, bytes);
		return;
	}
	if (born)
		births_add(&side->births, (uint16_t)event->cpu, event->ts, event->pid);
	growth_change(&side->growth, series, event->ts, born ? bytes : 0,
		      born ? 0 : bytes);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct leaks *l = ctx;
	struct leaks_side *side = &l->sides[of->kind->memory];
	struct lifetime one;

	for (; life < end; life++) {
		struct leaks_account_row row = likely(life->row < side->nr)
						       ? side->rows[life->row]
						       : new_series(l, of, life->row);

		if (lifetime_of(life, &one)) {
			one.row = row.series;
			lifetimes_add(&side->times, &one, row.times);
		}
		if (life_changes(life))
			add_change(side, row.series, life->bytes * row.times,
				   life->what == LIFE_BORN, life->event);
		free_runs_take(&side->frees, life, life->bytes * row.times);
	}
	if (unlikely(births_full(&side->births)))
		drop_births(side, of);
}

static void free_side(struct leaks_side *side)
{
	lifetimes_free(&side->times);
	growth_free(&side->growth);
	births_free(&side->births);
	free_runs_free(&side->frees);
	intern_free(&side->keys);
	free(side->rows);
}

static void leaks_destroy(void *self)
{
	struct leaks *l = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		free_side(&l->sides[i]);
	reclaimable_free(&l->reclaimable);
	task_ends_free(&l->ends);
}

static int leaks_create(void *self, const struct analysis_env *env,
			const struct analysis_options *opts)
{
	struct leaks *l = self;
	struct dimensions dimensions[MEMORY_KINDS];
	int ret, i;

	if (opts->own)
		l->own = *(const struct leaks_options *)opts->own;
	l->ns = recording_clocks_are_ns(env->rec);
	subjects_dimensions(opts, env, dimensions);
	for (i = 0; i < MEMORY_KINDS; i++) {
		/* Each leak names its task. */
		dimensions_by_task(&dimensions[i]);
		if (i == MEMORY_SLAB)
			l->by_task = dimensions_find(&dimensions[i], DIMENSION_PID) >= 0;
		if (!l->ns) /* several tasks may share a timestamp */
			dimensions_add(&dimensions[i], DIMENSION_PID, DIMENSIONS_ASKED);
	}
	ret = accounts_observe(env->accounts, dimensions, l->of, lived, l);
	ret = ret ?: reclaimable_init(&l->reclaimable, env);
	for (i = 0; i < MEMORY_KINDS && !ret; i++)
		l->of[i]->live.times = true;
	return ret;
}

static void leaks_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct leaks *l = self;

	task_ends_take(&l->ends, evs, nr);
}

static int leaks_view(const void *self, struct report *report)
{
	const struct leaks *l = self;
	const struct account_rows rows = { l->env, l->opts, l->of, leaks_show, l };

	return account_rows_show(&rows, report);
}

static const struct analysis_option options[] = {
	{ "older", "TIME", "younger objects may be in flight: 5s, 100ms", ANALYSIS_TIME,
	  offsetof(struct leaks_options, older_ns), false },
	{ .name = NULL },
};

const struct analysis analysis_leaks = {
	.name = "leaks",
	.help = "what was allocated and is still live",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = leaks_tables,
	.options = options,
	ANALYSIS_SELF_OPTIONS(struct leaks),
	.create = leaks_create,
	.observe = leaks_observe,
	.view = leaks_view,
	.destroy = leaks_destroy,
};
