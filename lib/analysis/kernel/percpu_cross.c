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

#include "analysis/analysis.h"
#include "analysis/filter/alloc_filter.h"
#include "analysis/row/subject.h"
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

static void slab_lived(void *ctx, const struct slab_life *life, size_t nr)
{
	const struct slab_life *end = life + nr;
	struct percpu_cross *c = ctx;

	for (; life < end; life++) {
		struct cross_key key = { .row = life->row, .from = life->cpu };

		if (life->what != SLAB_FREED && life->what != SLAB_FOUND)
			continue;
		if (!life->event || !kmem_is_slab_free(life->event->type)) {
			c->slab_side.unknown += (life->flags & SLAB_OTHER_CPU) != 0;
			continue;
		}
		key.freed_by = life->event->slab_free.callsite;
		key.to = life->event->cpu;
		add(&c->slab_side, &key, 1, life->bytes_alloc);
	}
}

static bool is_page_free(const struct kmem_event *ev)
{
	return ev && (ev->type == KMEM_PAGE_FREE || ev->type == KMEM_PAGE_FREE_BATCHED);
}

static void pages_lived(void *ctx, const struct page_life *life, size_t nr)
{
	const struct page_life *end = life + nr;
	struct percpu_cross *c = ctx;
	const struct page_lives *lives = &c->page->lives;

	for (; life < end; life++) {
		struct cross_key key = { .row = life->row };

		if (life->what != PAGE_FREED && life->what != PAGE_FOUND)
			continue;
		if (!is_page_free(life->event)) {
			c->page_side.unknown += life->other_cpu ? life->pages : 0;
			continue;
		}
		key.from = dimension_value(&lives->dimensions,
					   &page_lives_key(lives, life->row)->dims,
					   DIMENSION_CPU);
		key.to = life->event->cpu;
		key.freed_by = life->event->stack;
		add(&c->page_side, &key, life->pages, life->pages * c->env->page_size);
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

	free_side(&c->slab_side);
	free_side(&c->page_side);
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
	struct percpu_cross *c = calloc(1, sizeof(*c));
	struct dimensions slab, page;
	int ret;

	*self = c;
	if (!c)
		return -ENOMEM;
	c->env = env;
	c->opts = opts;
	slab = subjects_slab_dimensions(opts, env);
	page = page_dimensions(opts->by);
	ret = accounts_slab(env->accounts, &slab, &c->slab);
	if (!ret)
		ret = accounts_page(env->accounts, &page, &c->page);
	if (!ret)
		ret = slab_lives_observe(&c->slab->lives, slab_lived, c);
	return ret ? ret : page_lives_observe(&c->page->lives, pages_lived, c);
}

static int show(const struct percpu_cross *c, bool pages, struct report *report)
{
	enum subject_kind kinds[SUBJECTS_ASKED_MAX];
	size_t nr = subjects_asked(c->opts, pages, kinds), i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = percpu_cross_show(c, pages, kinds[i], report);
	return ret ? ret : percpu_cross_show_matrix(c, pages, report);
}

static int cross_view(const void *self, struct report *report)
{
	const struct percpu_cross *c = self;
	const struct alloc_filter *filter = c->env->filter;
	uint32_t seen = analysis_seen(c->env);
	int ret = 0;

	if (c->slab_side.failed || c->page_side.failed || c->slab->failed ||
	    c->slab->lives.failed || c->page->lives.failed)
		return -ENOMEM;
	if (seen & NEEDS_SLAB && !(filter && !filter->nr_slab))
		ret = show(c, false, report);
	if (!ret && seen & NEEDS_PAGE && !(filter && !filter->nr_page))
		ret = show(c, true, report);
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
