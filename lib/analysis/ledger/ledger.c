// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: compares the events with the change of the kernel's own counters.
 * In: slab and page events. Out: net objects of each cache, gross and net page frames.
 */
#include "analysis/ledger/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ledger/ledger_pages.h"
#include "analysis/ledger/ledger_report.h"
#include "base/array.h"

/* kfree() ignores NULL and ZERO_SIZE_PTR. */
#define LAST_NULL 16

/* The bit of a flag, by the recording's own print format. */
static uint64_t gfp_bit(const struct gfp_names *gfp, const char *name, const char *other)
{
	size_t i;

	for (i = 0; gfp && i < gfp->count; i++) {
		if (!strcmp(gfp->names[i].name, name) ||
		    !strcmp(gfp->names[i].name, other))
			return gfp->names[i].mask;
	}
	return 0;
}

static int ledger_create(const struct analysis_env *env,
			 const struct analysis_options *opts, void **self)
{
	struct ledger *l = calloc(1, sizeof(*l));
	const struct gfp_names *gfp = event_formats_gfp(env->fmts);

	*self = l;
	if (!l)
		return -ENOMEM;
	l->env = env;
	ledger_edges_init(&l->edges, env->rec);
	l->type_masks[KMALLOC_CGROUP] = gfp_bit(gfp, "__GFP_ACCOUNT", "GFP_ACCOUNT");
	l->type_masks[KMALLOC_RECLAIM] =
		gfp_bit(gfp, "__GFP_RECLAIMABLE", "GFP_RECLAIMABLE");
	l->type_masks[KMALLOC_DMA] = gfp_bit(gfp, "__GFP_DMA", "GFP_DMA");
	return ledger_tasks_init(&l->tasks, env->rec);
}

/* The group's index; UINT32_MAX: no memory. */
static uint32_t ledger_group(struct ledger *l, const struct ledger_key *key)
{
	uint32_t id = intern_id(&l->keys, key, sizeof(*key));

	if (!id ||
	    array_reserve(&l->groups, &l->groups_capacity, id, sizeof(*l->groups))) {
		l->failed = true;
		return UINT32_MAX;
	}
	if (id > l->nr_groups)
		l->groups[l->nr_groups++] = (struct ledger_group){ 0 };
	return id - 1;
}

/* kmalloc_type(): DMA before reclaimable before accounted. */
static uint32_t kmalloc_type(const struct ledger *l, uint64_t gfp)
{
	uint32_t type = KMALLOC_NR_TYPES;

	while (--type > KMALLOC_NORMAL)
		if (gfp & l->type_masks[type])
			break;
	return type;
}

static void ledger_alloc(struct ledger *l, const struct kmem_event *ev)
{
	bool kmalloc = ev->type == KMEM_KMALLOC || ev->type == KMEM_KMALLOC_NODE;
	struct ledger_key key = { 0 };
	struct live_entry *e;
	uint32_t group, *page;

	if (!ev->slab_alloc.ptr)
		return;
	if (kmalloc) {
		key.kind = LEDGER_KMALLOC;
		key.id = ev->slab_alloc.bytes_alloc;
		key.type = kmalloc_type(l, ev->slab_alloc.gfp_flags);
	} else {
		key.kind = ev->slab_alloc.cache ? LEDGER_NAMED : LEDGER_UNNAMED;
		key.id = ev->slab_alloc.cache ? ev->slab_alloc.cache
					      : ev->slab_alloc.callsite;
	}
	group = ledger_group(l, &key);
	e = live_insert(&l->live, ev->slab_alloc.ptr);
	page = u64_map_insert(&l->pages, ev->slab_alloc.ptr >> LEDGER_PAGE_SHIFT, group);
	if (group == UINT32_MAX || !e || !page) {
		l->failed = true;
		return;
	}
	if (e->state == LIVE_ALLOCATED) {
		l->groups[e->row].implicit++;
		ledger_edges_add(&l->edges, ev->ts, LEDGER_EDGE_IMPLICIT, e->row);
	}
	e->row = group;
	e->state = LIVE_ALLOCATED;
	*page = group;
	l->groups[group].allocs++;
	ledger_edges_add(&l->edges, ev->ts, LEDGER_EDGE_ALLOC, group);
}

/* A free of an object that no event allocated: the cache is the event's, or that of its page. */
static void ledger_free_unknown(struct ledger *l, const struct kmem_event *ev,
				struct live_entry *e)
{
	uint64_t page = ev->slab_free.ptr >> LEDGER_PAGE_SHIFT;
	struct ledger_key key = { .id = ev->slab_free.cache, .kind = LEDGER_NAMED };
	uint32_t *group, *index;

	e->row = UINT32_MAX;
	if (key.id) {
		e->row = ledger_group(l, &key);
	} else {
		group = u64_map_find(&l->pages, page);
		if (group)
			e->row = *group;
	}
	if (e->row != UINT32_MAX) {
		l->groups[e->row].freed++;
		ledger_edges_add(&l->edges, ev->ts, LEDGER_EDGE_FREE, e->row);
		return;
	}
	index = u64_map_insert(&l->unknown_index, page, (uint32_t)l->nr_unknown);
	if (!index || array_reserve(&l->unknown, &l->unknown_capacity, *index + 1UL,
				    sizeof(*l->unknown))) {
		l->failed = true;
		return;
	}
	if (*index == l->nr_unknown)
		l->unknown[l->nr_unknown++] = (struct ledger_unknown){ .page = page };
	l->unknown[*index].frees++;
	ledger_edges_add(&l->edges, ev->ts, LEDGER_EDGE_UNKNOWN, *index);
}

static void ledger_free(struct ledger *l, const struct kmem_event *ev)
{
	struct live_entry *e;

	if (ev->slab_free.ptr <= LAST_NULL)
		return;
	e = live_insert(&l->live, ev->slab_free.ptr);
	if (!e) {
		l->failed = true;
		return;
	}
	if (e->state == LIVE_EMPTY) {
		ledger_free_unknown(l, ev, e);
	} else if (e->state == LIVE_FREED) {
		/* It was allocated in bulk, without an event, and freed again: the two cancel out.
		 */
		if (e->row != UINT32_MAX) {
			l->groups[e->row].again++;
			ledger_edges_add(&l->edges, ev->ts, LEDGER_EDGE_AGAIN, e->row);
		}
	} else {
		l->groups[e->row].freed++;
		ledger_edges_add(&l->edges, ev->ts, LEDGER_EDGE_FREE, e->row);
		if (ev->slab_free.cache)
			l->groups[e->row].cache = ev->slab_free.cache;
	}
	e->state = LIVE_FREED;
}

static void ledger_page(struct ledger *l, const struct kmem_event *ev)
{
	uint32_t order =
		ev->type == KMEM_PAGE_ALLOC ? ev->page_alloc.order : ev->page_free.order;

	l->nr_page++;
	if (order > 20) /* damage */
		return;
	if (ev->type == KMEM_PAGE_FREE)
		l->pages_freed += 1ULL << order;
	else if (ev->page_alloc.pfn != KMEM_NO_PFN)
		l->pages_allocated += 1ULL << order;
}

static void ledger_event(struct ledger *l, const struct kmem_event *ev)
{
	if (unlikely(l->failed))
		return;
	switch (ev->type) {
	case KMEM_KMALLOC:
	case KMEM_KMALLOC_NODE:
	case KMEM_CACHE_ALLOC:
	case KMEM_CACHE_ALLOC_NODE:
		l->nr_slab++;
		ledger_tasks_event(&l->tasks, ev);
		ledger_alloc(l, ev);
		break;
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		l->nr_slab++;
		ledger_tasks_event(&l->tasks, ev);
		ledger_free(l, ev);
		break;
	case KMEM_PAGE_ALLOC:
	case KMEM_PAGE_FREE:
		ledger_tasks_event(&l->tasks, ev);
		ledger_page(l, ev);
		break;
	case KMEM_LOSS:
		l->losses++;
		break;
	default:
		break;
	}
}

static void ledger_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
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

	intern_free(&l->keys);
	free(l->groups);
	live_free(&l->live);
	u64_map_free(&l->pages);
	u64_map_free(&l->unknown_index);
	free(l->unknown);
	ledger_edges_free(&l->edges);
	ledger_tasks_free(&l->tasks);
	free(l);
}

static const char *ledger_lacks(const struct recording *rec)
{
	return ledger_possible(rec) ? NULL : "has no snapshots of slabinfo and vmstat";
}

static const struct table_type *const tables[] = { &ledger_slab_type, &ledger_page_type,
						   NULL };

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
	.tables = tables,
	.create = ledger_create,
	.observe = ledger_observe,
	.view = ledger_view,
	.destroy = ledger_destroy,
};
