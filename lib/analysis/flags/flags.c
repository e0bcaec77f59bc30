// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: which GFP flags the kernel allocates with.
 * In: allocations of slab objects and pages. Out: table "flags".
 */

#include "analysis/analysis.h"
#include "base/keyed.h"
#include "event/gfp.h"

/* Allocations with the same flags; @flags is the key. */
struct flags_row {
	uint64_t flags;
	uint64_t hit, slab_bytes, page_bytes, interrupt, failed;
	const struct analysis_env *env;
};

/**
 * struct flags - the analysis
 * @rows: by flags
 * @bulk: slab objects allocated in bulk; their event does not have the flags
 * @broken: memory ran out
 */
struct flags {
	const struct analysis_env *env;
	INDEXED(struct flags_row) rows;
	struct flags_row *last; /* of the latest allocation */
	uint64_t bulk;
	bool broken;
};

static struct flags_row *find_row(struct flags *f, uint64_t flags)
{
	if (f->last && f->last->flags == flags)
		return f->last;
	f->last = INDEXED_ITEM(&f->rows, flags);
	if (f->last) {
		f->last->flags = flags;
		f->last->env = f->env;
	}
	f->broken |= !f->last;
	return f->last;
}

/* Takes an allocation of a slab object or of pages. */
static void take(struct flags *f, const struct kmem_event *ev)
{
	const bool pages = ev->type == KMEM_PAGE_ALLOC;
	struct flags_row *row =
		find_row(f, pages ? ev->page_alloc.gfp_flags : ev->slab_alloc.gfp_flags);

	if (!row)
		return;
	row->hit++;
	row->interrupt += kmem_in_interrupt(ev);
	if (pages ? ev->page_alloc.pfn == KMEM_NO_PFN : !ev->slab_alloc.ptr)
		row->failed++;
	else if (pages)
		row->page_bytes += (uint64_t)f->env->page_size << ev->page_alloc.order;
	else
		row->slab_bytes += ev->slab_alloc.bytes_alloc;
}

/* Counts the objects that @ev names. */
static void take_bulk(struct flags *f, const struct kmem_event *ev)
{
	for (uint32_t i = 0; i < ev->objects.nr; i++)
		f->bulk += kmem_object(ev, i) != 0;
}

static void flags_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct flags *f = self;

	for (const struct kmem_event *ev = evs; ev < evs + nr && !f->broken; ev++) {
		if (f->env->filter && ev->hidden)
			continue;
		if (kmem_is_slab_alloc(ev->type) ||
		    (ev->type == KMEM_PAGE_ALLOC &&
		     ev->page_alloc.order <= PAGE_ORDER_LIMIT))
			take(f, ev);
		else if (ev->type == KMEM_ALLOC_BULK)
			take_bulk(f, ev);
	}
}

CELL_IF(cell_interrupt, struct flags_row, !r->env->no_irq_info, cell_uint(r->interrupt))
CELL_PUT(cell_gfp_names, struct flags_row,
	 gfp_format_long(&r->env->fmts->gfp, r->flags, out))

static const struct column_type columns[] = {
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations.", .share = true),
	  MEMBER(struct flags_row, hit) },
	{ COLUMN("slab_bytes", "Slab_bytes", UNIT_BYTES,
		 "Bytes of the slab objects among them.", .drop = 10),
	  MEMBER(struct flags_row, slab_bytes) },
	{ COLUMN("page_bytes", "Page_bytes", UNIT_BYTES,
		 "Bytes of the blocks of pages among them; these may hold slab objects.",
		 .drop = 20),
	  MEMBER(struct flags_row, page_bytes) },
	{ COLUMN("interrupt", "In_interrupt", UNIT_COUNT,
		 "Those in a hard or soft interrupt, or with interrupts disabled.",
		 .drop = 40),
	  .fill = cell_interrupt },
	{ COLUMN("failed", "Failed", UNIT_COUNT, "Those that failed.", .drop = 30),
	  MEMBER(struct flags_row, failed) },
	{ COLUMN("gfp_names", "GFP names", UNIT_NONE,
		 "The flags by their full names; unknown bits in hexadecimal.",
		 .last = true),
	  .fill = cell_gfp_names },
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type flags_type = {
	.name = "flags",
	.help = "allocations by their GFP flags",
	.title = "Allocations by GFP flags",
	.by = "gfp_names",
	.sort = "hit,slab_bytes",
	.columns = columns,
};

static int flags_view(const void *self, struct report *report)
{
	const struct flags *f = self;
	struct table *t;

	if (f->broken)
		return -ENOMEM;
	t = table_plain(report, &flags_type);
	for (size_t i = 0; i < f->rows.nr; i++)
		table_put_row(t, &f->rows.of[i]);
	table_note_if(
		t, f->bulk,
		"Not here: %" PRIu64
		" slab object%s allocated in bulk, as that event does not have the flags.",
		f->bulk, plural(f->bulk));
	table_note_if(
		t, f->env->no_irq_info,
		"What was in an interrupt is not known: the imported text has no such column (option irq-info).");
	return 0;
}

static void flags_destroy(void *self)
{
	struct flags *f = self;

	INDEXED_FREE(&f->rows);
}

const struct analysis analysis_flags = {
	.name = "flags",
	.help = "GFP flags of all allocations, and how many were in interrupts",
	.use = ANALYSIS_ASKED,
	.seldom = true,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.tables = TABLES(&flags_type),
	ANALYSIS_SELF(struct flags),
	.observe = flags_observe,
	.view = flags_view,
	.destroy = flags_destroy,
};
