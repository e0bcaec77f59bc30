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

	if (ANY(i, ARRAY_SIZE(items),
		pagetypeinfo_block_order(recording_meta_text(rec, items[i]), order)))
		return true;
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

/* --- pages in pageblocks of another migratetype ------------------------------------------ */

static size_t nr_words(const struct frag_blocks *b)
{
	return ((1UL << b->order) + 63) / 64;
}

static struct frag_block *find_or_add(struct frag_blocks *b, uint64_t pfn)
{
	struct frag_block *block = frag_blocks_find(b, pfn);

	if (block)
		return block;
	if (b->blocks.nr == FRAG_BLOCKS_MAX) {
		b->untracked++;
		return NULL;
	}
	block = INDEXED_ITEM(&b->blocks, pfn >> b->order);
	if (block)
		block->pfn = pfn >> b->order << b->order;
	else
		b->failed = true;
	return block;
}

/* @ev, an extfrag, splits a pageblock: track it from now on. */
static void frag_blocks_add(struct frag_blocks *b, const struct kmem_event *ev)
{
	int32_t type = ev->extfrag.alloc_migratetype;
	struct frag_block *block;

	if (!b->order || type < 0 || type >= MIGRATETYPE_MAX ||
	    ev->extfrag.pfn == KMEM_NO_PFN)
		return;
	block = find_or_add(b, ev->extfrag.pfn);
	if (block)
		block->types |= 1U << type;
}

/* Sets or clears @nr > 0 bits, starting at @first; returns how many changed. */
static uint64_t change(struct frag_block *block, uint64_t first, uint64_t nr, bool set)
{
	uint64_t changed = 0, end = first + nr, i;

	for (i = first / 64; i * 64 < end; i++) {
		uint64_t mask = UINT64_MAX, bits;

		if (i == first / 64)
			mask &= UINT64_MAX << first % 64;
		if (end - i * 64 < 64)
			mask &= (1ULL << end % 64) - 1;
		bits = (set ? ~block->bits[i] : block->bits[i]) & mask;
		block->bits[i] ^= bits;
		changed += (uint64_t)__builtin_popcountll(bits);
	}
	return changed;
}

/* Allocates the bits with the first page: fallbacks alone need none. */
static bool has_bits(struct frag_blocks *b, struct frag_block *block)
{
	if (!block->bits)
		block->bits = calloc(nr_words(b), sizeof(*block->bits));
	b->failed |= !block->bits;
	return block->bits;
}

static void began(struct frag_block *block, uint64_t pages, uint64_t ts)
{
	if (pages && !block->live)
		block->since = ts;
	block->live += pages;
}

static void ended(struct frag_block *block, uint64_t pages, uint64_t ts)
{
	block->live -= pages;
	if (pages && !block->live && ts > block->since)
		block->time += ts - block->since;
}

static void freed(struct frag_blocks *b, uint64_t pfn, uint32_t order, uint64_t ts)
{
	uint64_t size = 1ULL << b->order, nr, here, i;
	struct frag_block *block;

	/* The largest block that the kernel frees at once holds a few pageblocks at most. */
	if (order > b->order + 4)
		return;
	nr = 1ULL << order;
	for (i = 0; i < nr; i += here) {
		uint64_t first = (pfn + i) & (size - 1);

		here = SMALLER(nr - i, size - first);
		block = frag_blocks_find(b, pfn + i);
		if (block && block->live)
			ended(block, change(block, first, here, false), ts);
	}
}

static void allocated(struct frag_blocks *b, const struct kmem_event *ev)
{
	uint64_t size = 1ULL << b->order, pfn = ev->page_alloc.pfn, first, nr, ours;
	int32_t type = ev->page_alloc.migratetype;
	struct frag_block *block;

	/* An allocation of whole pageblocks does not mix types. */
	if (pfn == KMEM_NO_PFN || ev->page_alloc.order >= b->order)
		return;
	block = frag_blocks_find(b, pfn);
	first = pfn & (size - 1);
	nr = 1ULL << ev->page_alloc.order;
	if (!block || nr > size - first)
		return;
	/* Older pages in this place were freed without an event. */
	if (block->live)
		ended(block, change(block, first, nr, false), ev->ts);
	if (type < 0 || type >= MIGRATETYPE_MAX || !(block->types >> type & 1) ||
	    !has_bits(b, block))
		return;
	ours = change(block, first, nr, true);
	block->pages += ours;
	began(block, ours, ev->ts);
}

/* An allocation or a free of pages. */
static void frag_blocks_page(struct frag_blocks *b, const struct kmem_event *ev)
{
	if (!b->blocks.nr || b->failed)
		return;
	if (ev->type == KMEM_PAGE_ALLOC)
		allocated(b, ev);
	else if (ev->page_free.pfn != KMEM_NO_PFN)
		freed(b, ev->page_free.pfn, ev->page_free.order, ev->ts);
}

static void frag_blocks_free(struct frag_blocks *b)
{
	for (size_t i = 0; i < b->blocks.nr; i++)
		free(b->blocks.of[i].bits);
	INDEXED_FREE(&b->blocks);
}

/* --- fallbacks --------------------------------------------------------------------------- */

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
	struct frag_event e = { .ev = *ev };

	for (at = first ? *first : 0; at && nr < FRAG_WAITING_MAX;
	     at = f->events[at - 1].waiting)
		nr++;
	if (nr == FRAG_WAITING_MAX)
		forget(f, first);
	e.ev.data = NULL;
	e.waiting = first ? *first : 0;
	if (!first || f->nr == UINT32_MAX || ARRAY_ADD(f->events, f->nr, e)) {
		f->failed = true;
		return;
	}
	*first = (uint32_t)f->nr;
	f->nr_waiting++;
	if (f->order_known && frag_fragments(f, &e))
		frag_blocks_add(&f->blocks, ev);
}

/* Is @ev the allocation that @e served? */
static bool is_for(const struct frag_event *e, const struct kmem_event *ev)
{
	return e->ev.pid == ev->pid && !((e->ev.flags ^ ev->flags) & CONTEXT_FLAGS) &&
	       (uint32_t)e->ev.extfrag.alloc_order == ev->page_alloc.order &&
	       e->ev.extfrag.alloc_migratetype == ev->page_alloc.migratetype;
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
			e->ev.stack = ev->stack;
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
