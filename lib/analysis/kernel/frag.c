// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: page blocks that were taken from the free lists of another migratetype.
 * In: mm_page_alloc_extfrag, page allocations and frees. Out: tables "frag", "frag_block",
 * "frag_free" and "frag_vmstat"; Documentation/frag.md says how.
 *
 * The event does not name the caller. The allocation it served comes next in the same context: same
 * task, same CPU, same order and migratetype.
 */
#include "analysis/kernel/frag.h"

#include "base/array.h"
#include "event/print_flags.h"

/* common_flags: in a hard interrupt, in a softirq (include/linux/trace_events.h). */
#define CONTEXT_FLAGS 24

bool frag_block_order(const struct recording *rec, unsigned int *order)
{
	static const char *const items[] = { "pagetypeinfo.before",
					     "pagetypeinfo.after" };
	static const char before[] = "REC->fallback_order, ";
	const char *at;
	int64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		const struct recording_text *meta = recording_meta(rec, items[i]);

		if (meta && pagetypeinfo_block_order(meta->text, order))
			return true;
	}
	for (size_t i = 0; i < rec->nr_event_formats; i++) {
		const char *text = rec->event_formats[i].text;

		at = text && strstr(text, "name: mm_page_alloc_extfrag\n")
			     ? strstr(text, before)
			     : NULL;
		if (!at || !constant_value(at + sizeof(before) - 1, &value) ||
		    value < 1 || value > BUDDY_ORDERS_MAX)
			continue;
		*order = (unsigned int)value;
		return true;
	}
	return false;
}

static int frag_create(void *self, const struct analysis_env *env,
		       const struct analysis_options *opts)
{
	struct frag *f = self;
	struct dimensions dimensions = subjects_page_dimensions(opts->by);

	accounts_by_process(env->accounts, &dimensions);
	f->order_known = frag_block_order(env->rec, &f->block_order);
	if (f->order_known && f->block_order <= FRAG_BLOCK_ORDER_MAX)
		f->blocks.order = f->block_order;
	return 0;
}

static uint64_t where(const struct kmem_event *ev)
{
	return (uint64_t)ev->buffer << 32 | ev->cpu;
}

/* Drops the fallbacks of a CPU that wait for their allocation. */
static void forget(struct frag *f, uint32_t *first)
{
	while (*first) {
		*first = f->events[*first - 1].waiting;
		f->nr_waiting--;
	}
}

static void fell_back(struct frag *f, const struct kmem_event *ev)
{
	uint32_t *first = u64_map_insert(&f->waiting, where(ev), 0), at, nr = 0;

	if (!first || f->nr == UINT32_MAX ||
	    array_reserve(&f->events, &f->capacity, f->nr + 1, sizeof(*f->events))) {
		f->failed = true;
		return;
	}
	for (at = *first; at && nr < FRAG_WAITING_MAX; at = f->events[at - 1].waiting)
		nr++;
	if (nr == FRAG_WAITING_MAX)
		forget(f, first);
	f->events[f->nr++] = (struct frag_event){
		.ts = ev->ts,
		.pfn = ev->extfrag.pfn,
		.stack = ev->stack,
		.pid = ev->pid,
		.cpu = ev->cpu,
		.waiting = *first,
		.alloc_order = ev->extfrag.alloc_order,
		.fallback_order = ev->extfrag.fallback_order,
		.to = ev->extfrag.alloc_migratetype,
		.from = ev->extfrag.fallback_migratetype,
		.flags = ev->flags & CONTEXT_FLAGS,
		.claimed = ev->extfrag.change_ownership != 0,
	};
	*first = (uint32_t)f->nr;
	f->nr_waiting++;
	if (f->order_known && frag_fragments(f, &f->events[f->nr - 1]))
		frag_blocks_add(&f->blocks, ev);
}

/* Is @ev the allocation that @e served? */
static bool is_for(const struct frag_event *e, const struct kmem_event *ev)
{
	return e->pid == ev->pid && e->flags == (ev->flags & CONTEXT_FLAGS) &&
	       (uint32_t)e->alloc_order == ev->page_alloc.order &&
	       e->to == ev->page_alloc.migratetype;
}

static void attribute(struct frag *f, const struct kmem_event *ev)
{
	uint32_t *at = u64_map_find(&f->waiting, where(ev));

	while (at && *at) {
		struct frag_event *e = &f->events[*at - 1];

		if (!is_for(e, ev)) {
			at = &e->waiting;
			continue;
		}
		e->found = true;
		e->hidden = f->env->filter && ev->hidden;
		if (ev->stack)
			e->stack = ev->stack;
		*at = e->waiting;
		f->nr_waiting--;
	}
}

static void lost(struct frag *f, const struct kmem_event *ev)
{
	uint32_t *first = u64_map_find(&f->waiting, where(ev));

	f->losses++;
	if (first)
		forget(f, first);
}

static void frag_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct frag *f = self;

	for (size_t i = 0; i < nr && !f->failed; i++) {
		const struct kmem_event *ev = &evs[i];

		if (ev->type == KMEM_PAGE_ALLOC_EXTFRAG)
			fell_back(f, ev);
		else if (ev->type == KMEM_LOSS)
			lost(f, ev);
		else if (kmem_is_page(ev->type))
			frag_blocks_page(&f->blocks, ev);
		if (ev->type == KMEM_PAGE_ALLOC && f->nr_waiting)
			attribute(f, ev);
	}
}

static int frag_view(const void *self, struct report *report)
{
	const struct frag *f = self;

	if (f->failed || f->blocks.failed)
		return -ENOMEM;
	return f->nr ? frag_show(f, report) : 0;
}

static void frag_destroy(void *self)
{
	struct frag *f = self;

	frag_blocks_free(&f->blocks);
	u64_map_free(&f->waiting);
	free(f->events);
}

const struct analysis analysis_frag = {
	.name = "frag",
	.help = "page blocks taken from the free lists of another migratetype",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_PAGE,
	.must = NEEDS(PAGE_ALLOC_EXTFRAG),
	.events = "mm_page_alloc_extfrag",
	.record = "--frag",
	.rows = AREA_ROWS,
	.tables =
		TABLES(&frag_type, &frag_block_type, &frag_free_type, &frag_vmstat_type),
	ANALYSIS_SELF_OPTIONS(struct frag),
	.create = frag_create,
	.observe = frag_observe,
	.view = frag_view,
	.destroy = frag_destroy,
};
