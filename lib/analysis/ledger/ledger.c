// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/ledger/ledger.h"

#include "analysis/bounds/bounds.h"
#include "analysis/ledger/ledger_books.h"
#include "base/array.h"

/* The group's index; UINT32_MAX: no memory. */
static uint32_t ledger_group(struct ledger *l, const struct ledger_key *key)
{
	uint32_t id = KEYED_ID(&l->groups, key);

	l->failed |= !id;
	return id - 1;
}

/* The group of a life's object. */
static uint32_t group_of(struct ledger *l, const struct life *life)
{
	const struct ledger_key key = ledger_key_of(l, life->row, life->bytes);

	return ledger_group(l, &key);
}

/* Keeps the effect of an event at @ts (ns) if it is close to a count. */
static void ledger_edge(struct ledger *l, uint64_t ts, enum ledger_edge_what what,
			uint32_t id)
{
	if (likely(!slab_edges_near(l->counted, ts, ts)))
		return;
	if (l->nr_edges >= SLAB_EDGES_MAX ||
	    array_reserve(&l->edges, &l->edges_capacity, l->nr_edges + 1,
			  sizeof(*l->edges)))
		l->counted = NULL;
	else
		l->edges[l->nr_edges++] = (struct ledger_edge){ ts, id, what };
}

/* At @ts, the group's objects changed by @net. */
static void ledger_step(struct ledger *l, uint64_t ts, uint32_t group, int net)
{
	l->failed |= !ledger_steps_slab(&l->steps, ts, LEDGER_STEP_GROUP, group, net);
}

static void ledger_alloc(struct ledger *l, const struct life *life, uint32_t group)
{
	uint32_t *page = u64_map_insert(&l->pages, life->at >> LEDGER_PAGE_SHIFT, group);

	if (!page) {
		l->failed = true;
		return;
	}
	*page = group;
	l->groups.of[group].allocs++;
	ledger_step(l, life->event->ts, group, 1);
	ledger_edge(l, life->event->ts, LEDGER_EDGE_ALLOC, group);
}

/* An object ended without an event. */
static void ledger_gone(struct ledger *l, const struct life *life, uint32_t group)
{
	l->groups.of[group].implicit++;
	ledger_step(l, life->event->ts, group, -1);
	ledger_edge(l, life->event->ts, LEDGER_EDGE_IMPLICIT, group);
}

/* Does the free name a cache that the object of @group cannot be from? Then that object was gone,
 * and one that no event had allocated was at its address.
 */
static bool is_foreign(struct ledger *l, const struct life *life, uint32_t group)
{
	const struct ledger_key *key = ledger_key(l, group);
	uint32_t cache = life->event->slab_free.cache;

	if (!cache)
		return false;
	if (key->kind == LEDGER_NAMED)
		return key->id != cache;
	return ledger_names_differ(&l->names, l->env, cache, life->bytes);
}

/* A free of an object of @cache that no event had allocated since its last free. */
static void ledger_again(struct ledger *l, uint64_t ts, uint32_t cache)
{
	const struct ledger_key key = { .id = cache, .kind = LEDGER_NAMED };
	uint32_t group = ledger_group(l, &key);

	if (group == UINT32_MAX)
		return;
	l->groups.of[group].again++;
	ledger_edge(l, ts, LEDGER_EDGE_AGAIN, group);
}

/* The callsite that frees; 0: the event of a probe does not say it. */
static uint64_t freed_at(const struct kmem_event *ev)
{
	return kmem_is_probe(ev->type) ? 0 : ev->slab_free.callsite;
}

/* Notes who frees objects of @group. False: no memory. */
static bool ledger_freer(struct ledger *l, const struct kmem_event *ev, uint32_t group)
{
	const struct ledger_freer freer = { freed_at(ev), group };

	return !freer.callsite || intern_id(&l->freers, &freer, sizeof(freer));
}

static void ledger_free(struct ledger *l, const struct life *life, uint32_t group)
{
	struct ledger_group *g = &l->groups.of[group];

	if (!(life->flags & LIFE_REORDERED)) {
		uint32_t cache = life->event->slab_free.cache;

		if (is_foreign(l, life, group)) {
			ledger_gone(l, life, group);
			ledger_again(l, life->event->ts, cache);
			return;
		}
		g->freed++;
		ledger_step(l, life->event->ts, group, -1);
		if (!cache)
			l->failed |= !ledger_freer(l, life->event, group);
		else if (ledger_key(l, group)->kind == LEDGER_UNNAMED)
			l->failed |= !ledger_names_add(&l->names, group, cache);
		ledger_edge(l, life->event->ts, LEDGER_EDGE_FREE, group);
	} else if (life->flags & LIFE_DOUBLED) {
		g->freed++;
		if (life->event) /* else it is known only at the end */
			ledger_step(l, life->event->ts, group, -1);
		g->again -= g->again != 0;
	} /* else it was counted when it came, by ledger_surplus() */
}

static void ledger_lived(void *ctx, const struct lives *of, const struct life *life,
			 size_t nr)
{
	const struct life *end = life + nr;
	struct ledger *l = ctx;

	for (; life < end && !l->failed; life++) {
		uint32_t group = group_of(l, life);

		if (group == UINT32_MAX)
			return;
		switch (life->what) {
		case LIFE_BORN:
			ledger_alloc(l, life, group);
			break;
		case LIFE_GONE:
			ledger_gone(l, life, group);
			break;
		case LIFE_FOUND:
			l->groups.of[group].implicit--;
			l->groups.of[group].freed++;
			ledger_edge(l, life->event->ts, LEDGER_EDGE_FOUND, group);
			break;
		default:
			ledger_free(l, life, group);
		}
	}
}

/* A free of no live object, whoever allocated it: it lowers the kernel's count. Only what the
 * recorder frees is most likely its own, of which the kernel counts neither event. The cache is the
 * event's, or that of its page. If the object was freed before, it was allocated in bulk since,
 * without an event: the two cancel out.
 */
static void ledger_surplus(void *ctx, const struct kmem_event *ev, bool doubled)
{
	struct ledger *l = ctx;
	uint64_t page = ev->slab_free.ptr >> LEDGER_PAGE_SHIFT;
	const uint64_t unknown[] = { page, freed_at(ev) };
	const struct ledger_key key = { .id = ev->slab_free.cache, .kind = LEDGER_NAMED };
	const uint32_t *of_page = key.id ? NULL : u64_map_find(&l->pages, page);
	uint32_t group = key.id ? ledger_group(l, &key) : of_page ? *of_page : UINT32_MAX;
	uint32_t id;

	if (scope_by_self(&l->slab->lives.any.scope, ev))
		return;
	if (unlikely(l->failed) || (group == UINT32_MAX && doubled))
		return;
	if (group != UINT32_MAX) {
		l->groups.of[group].freed += !doubled;
		if (!doubled)
			ledger_step(l, ev->ts, group, -1);
		l->groups.of[group].again += doubled;
		ledger_edge(l, ev->ts, doubled ? LEDGER_EDGE_AGAIN : LEDGER_EDGE_FREE,
			    group);
		return;
	}
	id = intern_id(&l->unknown_keys, unknown, sizeof(unknown));
	if (!id ||
	    array_reserve(&l->unknown, &l->unknown_capacity, id, sizeof(*l->unknown))) {
		l->failed = true;
		return;
	}
	if (id > l->nr_unknown)
		l->unknown[l->nr_unknown++] =
			(struct ledger_unknown){ page, unknown[1], 0 };
	l->unknown[--id].frees++;
	l->failed |= !ledger_steps_slab(&l->steps, ev->ts, LEDGER_STEP_UNKNOWN, id, -1);
	ledger_edge(l, ev->ts, LEDGER_EDGE_UNKNOWN, id);
}

static int ledger_create(void *self, const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	static const struct dimensions by = { .of = { DIMENSION_GFP } };
	struct ledger *l = self;
	const struct gfp_names *gfp = event_formats_gfp(env->fmts);
	int ret;

	l->type_masks[KMALLOC_CGROUP] = gfp_bit(gfp, "__GFP_ACCOUNT", "GFP_ACCOUNT");
	l->type_masks[KMALLOC_RECLAIM] =
		gfp_bit(gfp, "__GFP_RECLAIMABLE", "GFP_RECLAIMABLE");
	l->type_masks[KMALLOC_DMA] = gfp_bit(gfp, "__GFP_DMA", "GFP_DMA");
	ret = accounts_slab(env->accounts, &by, &l->slab);
	ret = ret ?: lives_observe(&l->slab->lives.any, ledger_lived, l);
	if (ret)
		return ret;
	l->slab->lives.on_surplus = (struct slab_surplus_observer){ ledger_surplus, l };
	l->counted = census_has_counts(env->rec) ? l->slab->lives.edges : NULL;
	return ledger_steps_init(&l->steps, env->rec)
		       ?: ledger_tasks_init(&l->tasks, env->rec);
}

static void ledger_page(struct ledger *l, const struct kmem_event *ev)
{
	uint32_t order =
		ev->type == KMEM_PAGE_ALLOC ? ev->page_alloc.order : ev->page_free.order;

	l->nr_page++;
	if (order > 20) /* damage */
		return;
	if (ev->type == KMEM_PAGE_FREE) {
		l->pages_freed += 1ULL << order;
		ledger_steps_page(&l->steps, ev->ts, 0, 1ULL << order);
	} else if (ev->page_alloc.pfn != KMEM_NO_PFN) {
		l->pages_allocated += 1ULL << order;
		ledger_steps_page(&l->steps, ev->ts, 1ULL << order, 0);
	}
}

static void ledger_event(struct ledger *l, const struct kmem_event *ev)
{
	if (kmem_is_slab(ev->type) || kmem_is_probe(ev->type)) {
		l->nr_slab++;
		ledger_tasks_event(&l->tasks, ev);
	} else if (ev->type == KMEM_PAGE_ALLOC || ev->type == KMEM_PAGE_FREE) {
		ledger_tasks_event(&l->tasks, ev);
		ledger_page(l, ev);
	} else if (ev->type == KMEM_LOSS) {
		l->losses++;
	}
}

static void ledger_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		ledger_event(self, &evs[i]);
}

static int ledger_view(const void *self, struct report *report)
{
	const struct ledger *l = self;

	return l->failed ? -ENOMEM : ledger_report(l, report);
}

static void ledger_destroy(void *self)
{
	struct ledger *l = self;

	KEYED_FREE(&l->groups);
	ledger_names_free(&l->names);
	u64_map_free(&l->pages);
	intern_free(&l->freers);
	intern_free(&l->unknown_keys);
	free(l->unknown);
	free(l->edges);
	ledger_tasks_free(&l->tasks);
	ledger_steps_free(&l->steps);
}

static const char *ledger_lacks(const struct recording *rec)
{
	return ledger_possible(rec) ? NULL : "has no snapshots of slabinfo and vmstat";
}

const struct analysis analysis_ledger = {
	.name = "ledger",
	.help = "compare with slabinfo and vmstat",
	.use = ANALYSIS_ASKED,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.all_time = "its snapshots were taken before and after it",
	.unfiltered = "it explains counts of the whole system",
	.unsampled = "it explains counts of the whole system",
	.all_frees = true,
	.lacks = ledger_lacks,
	.tables = TABLES(&ledger_slab_type, &ledger_step_type, &ledger_page_type),
	ANALYSIS_SELF(struct ledger),
	.create = ledger_create,
	.observe = ledger_observe,
	.view = ledger_view,
	.destroy = ledger_destroy,
};
