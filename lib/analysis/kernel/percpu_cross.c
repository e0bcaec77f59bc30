// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the CPUs on which objects and pages were allocated and freed.
 * In: lives of slab objects and of pages. Out: tables "percpu_slab", "percpu_slab_matrix" and the
 * same for pages, built by percpu_cross_view.c. Documentation/percpu.md says how.
 *
 * A life that no event ended has no freeing CPU.
 */
#include "analysis/kernel/percpu_cross.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/row/subject.h"
#include "analysis/stat/account_rows.h"
#include "base/array.h"

static void add(struct cross_side *side, const struct cross_key *key, uint64_t nr,
		uint64_t bytes)
{
	uint32_t id = intern_id(&side->keys, key, sizeof(*key));

	if (!id ||
	    array_reserve(&side->counts, &side->capacity, id, sizeof(*side->counts))) {
		side->failed = true;
		return;
	}
	if (id > side->nr)
		side->counts[side->nr++] = (struct cross_count){ 0 };
	side->counts[id - 1].nr += nr;
	side->counts[id - 1].bytes += bytes;
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
		add(side, &key, life->nr, life->bytes);
	}
}

static void free_side(struct cross_side *side)
{
	intern_free(&side->keys);
	free(side->counts);
}

static void cross_destroy(void *self)
{
	struct percpu_cross *c = self;
	int i;

	for (i = 0; i < MEMORY_KINDS; i++)
		free_side(&c->sides[i]);
	free(c);
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

static int cross_create(const struct analysis_env *env,
			const struct analysis_options *opts, void **self)
{
	const struct dimensions dimensions[MEMORY_KINDS] = {
		[MEMORY_SLAB] = subjects_slab_dimensions(opts, env),
		[MEMORY_PAGE] = page_dimensions(opts->by),
	};
	struct percpu_cross *c = calloc(1, sizeof(*c));

	*self = c;
	if (!c)
		return -ENOMEM;
	c->env = env;
	c->opts = opts;
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
		if (!ret)
			ret = percpu_cross_show_matrix(c, (enum memory)i, report);
	}
	return ret;
}

static const struct table_type *const tables[] = { &percpu_slab_type,
						   &percpu_slab_matrix_type,
						   &percpu_page_type,
						   &percpu_page_matrix_type, NULL };

const struct analysis analysis_percpu_cross = {
	.name = "percpu_cross",
	.command = "percpu",
	.help = "objects and pages that were freed on another CPU",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS_ALL,
	.tables = tables,
	.create = cross_create,
	.view = cross_view,
	.destroy = cross_destroy,
};
