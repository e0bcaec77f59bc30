// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/ledger/ledger.h"

#include "analysis/bounds/bounds.h"
#include "analysis/ledger/ledger_caches.h"
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

/* An event at @ts changes the numbers of @group. It is kept if it is close to a count. */
static inline void ledger_count(struct ledger *l, uint64_t ts, enum ledger_edge_what what,
				uint32_t group)
{
	const struct ledger_group *effect = ledger_effect(what);
	const int64_t net = ledger_group_net(effect);

	ledger_group_add(&l->groups.of[group], effect, 1);
	if (net)
		l->failed |= !ledger_steps_slab(&l->steps, ts, group, net);
	if (likely(!slab_edges_near(l->counted, ts, ts)))
		return;
	if (l->nr_edges >= SLAB_EDGES_MAX ||
	    ARRAY_ADD(l->edges, l->nr_edges, (struct ledger_edge){ ts, group, what }))
		l->counted = NULL;
}

static void ledger_alloc(struct ledger *l, const struct life *life, uint32_t group)
{
	uint32_t *page = u64_map_insert(&l->pages, life->at >> SLAB_PAGE_SHIFT, group);

	if (!page) {
		l->failed = true;
		return;
	}
	*page = group;
	ledger_count(l, life->event->ts, LEDGER_EDGE_ALLOC, group);
}

/* Does slabinfo say that objects of @cache, a name's number in the stream, are not of @bytes? 0
 * bytes: unknown, as of objects allocated in bulk.
 */
static bool sizes_differ(struct ledger_names *n, const struct analysis_env *env,
			 uint32_t cache, uint64_t bytes)
{
	uint32_t *size = u64_map_find(&n->sizes, cache);

	if (!n->read) {
		n->read = true;
		if (census_init(&n->census, env))
			return false;
	}
	if (!size)
		size = u64_map_insert(
			&n->sizes, cache,
			(uint32_t)census_size(&n->census,
					      event_stream_cache(env->stream, cache)));
	return bytes && size && *size && *size != bytes;
}

/* An object of @group was freed, and the event named @cache. */
static void ledger_named(struct ledger *l, uint32_t group, uint32_t cache)
{
	uint32_t *nr = u64_map_insert(&l->names.named, (uint64_t)group << 32 | cache, 0);

	l->failed |= !nr;
	if (nr && *nr < UINT32_MAX)
		++*nr;
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
	return sizes_differ(&l->names, l->env, cache, life->bytes);
}

/* The callsite that frees; 0: the event of a probe does not say it. */
static uint64_t freed_at(const struct kmem_event *ev)
{
	return kmem_is_probe(ev->type) ? 0 : ev->slab_free.callsite;
}

/* Notes who frees objects of @group. */
static void ledger_freer(struct ledger *l, const struct kmem_event *ev, uint32_t group)
{
	const struct ledger_freer freer = { freed_at(ev), group };

	if (freer.callsite)
		l->failed |= !intern_id(&l->freers, &freer, sizeof(freer));
}

static void ledger_free(struct ledger *l, const struct life *life, uint32_t group)
{
	struct ledger_group *g = &l->groups.of[group];

	if (!(life->flags & LIFE_REORDERED)) {
		const struct ledger_key named = { .id = life->event->slab_free.cache,
						  .kind = LEDGER_NAMED };
		const uint64_t ts = life->event->ts;

		if (is_foreign(l, life, group)) {
			ledger_count(l, ts, LEDGER_EDGE_IMPLICIT, group);
			group = ledger_group(l, &named);
			if (group != UINT32_MAX)
				ledger_count(l, ts, LEDGER_EDGE_AGAIN, group);
			return;
		}
		ledger_count(l, ts, LEDGER_EDGE_FREE, group);
		if (!named.id)
			ledger_freer(l, life->event, group);
		else if (ledger_key(l, group)->kind == LEDGER_UNNAMED)
			ledger_named(l, group, (uint32_t)named.id);
	} else if (life->flags & LIFE_DOUBLED) {
		g->freed++;
		if (life->event) /* else it is known only at the end */
			l->failed |=
				!ledger_steps_slab(&l->steps, life->event->ts, group, -1);
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
			ledger_count(l, life->event->ts, LEDGER_EDGE_IMPLICIT, group);
			break;
		case LIFE_FOUND:
			ledger_count(l, life->event->ts, LEDGER_EDGE_FOUND, group);
			break;
		default:
			ledger_free(l, life, group);
		}
	}
}

/* The group of frees at @callsite of objects in @page, of an unknown cache. */
static uint32_t unknown_group(struct ledger *l, uint64_t page, uint64_t callsite)
{
	const struct ledger_unknown_key unknown = { page, callsite };
	const struct ledger_key key = { .id = intern_id(&l->unknown, &unknown,
							sizeof(unknown)),
					.kind = LEDGER_UNKNOWN };

	l->failed |= !key.id;
	return ledger_group(l, &key);
}

/* A free of no live object, whoever allocated it: it lowers the kernel's count. Only what the
 * recorder frees is most likely its own, of which the kernel counts neither event. The cache is the
 * event's, or that of its page. If the object was freed before, it was allocated in bulk since,
 * without an event: the two cancel out.
 */
static void ledger_surplus(void *ctx, const struct kmem_event *ev, bool doubled)
{
	struct ledger *l = ctx;
	uint64_t page = ev->slab_free.ptr >> SLAB_PAGE_SHIFT;
	const struct ledger_key key = { .id = ev->slab_free.cache, .kind = LEDGER_NAMED };
	const uint32_t *of_page = key.id ? NULL : u64_map_find(&l->pages, page);
	uint32_t group = of_page ? *of_page : UINT32_MAX;

	if (scope_by_self(&l->slab->any.scope, ev) || unlikely(l->failed))
		return;
	if (key.id)
		group = ledger_group(l, &key);
	else if (!of_page && !doubled)
		group = unknown_group(l, page, freed_at(ev));
	if (group != UINT32_MAX)
		ledger_count(l, ev->ts, doubled ? LEDGER_EDGE_AGAIN : LEDGER_EDGE_FREE,
			     group);
}

static int ledger_create(void *self, const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	static const struct dimensions by = { .of = { DIMENSION_GFP } };
	struct ledger *l = self;
	const struct gfp_names *gfp = &env->fmts->gfp;
	int ret;

	l->type_masks[KMALLOC_CGROUP] = gfp_bit(gfp, "__GFP_ACCOUNT", "GFP_ACCOUNT");
	l->type_masks[KMALLOC_RECLAIM] =
		gfp_bit(gfp, "__GFP_RECLAIMABLE", "GFP_RECLAIMABLE");
	l->type_masks[KMALLOC_DMA] = gfp_bit(gfp, "__GFP_DMA", "GFP_DMA");
	ret = accounts_of_memory(env->accounts, MEMORY_SLAB, &by, &l->slab);
	ret = ret ?: lives_observe(&l->slab->any, ledger_lived, l);
	if (ret)
		return ret;
	l->slab->on_surplus = (struct slab_surplus_observer){ ledger_surplus, l };
	l->counted = census_has_counts(env->rec) ? l->slab->edges : NULL;
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
	intern_free(&l->unknown);
	census_free(&l->names.census);
	u64_map_free(&l->names.sizes);
	u64_map_free(&l->names.named);
	u64_map_free(&l->pages);
	intern_free(&l->freers);
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
