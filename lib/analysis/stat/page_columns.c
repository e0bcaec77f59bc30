// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of the table "page".
 * In: account rows added up. Out: columns and cells.
 */

#include "analysis/stat/page_report.h"

CELL(cell_bytes, struct page_row, cell_uint(r->sum->pages * r->page->env->page_size))
CELL_IF(cell_charged, struct page_row, r->page->charged,
	cell_uint(r->sum->charged * r->page->env->page_size))
CELL_IF(cell_escaped, struct page_row, r->page->charged,
	cell_uint((r->sum->pages - r->sum->charged) * r->page->env->page_size))
CELL(cell_implicit, struct page_row,
     cell_uint(r->sum->implicit_pages * r->page->env->page_size))
CELL(cell_migtype, struct page_row,
     analysis_migratetype(r->page->env, r->key->migratetype, t))
CELL(cell_gfp, struct page_row,
     page_report_gfp(r->page, t, r->key->gfp_flags, r->gfp_used))
CELL(cell_gfp_names, struct page_row,
     page_report_gfp_names(r->page, t, r->key->gfp_flags))

CELL_PUT(cell_last_callsite, struct page_row,
	 sites_exact(&r->page->sites, r->page->callsites[r->row], out))

static const struct column_type columns[] = {
	{ COLUMN("page", "PFN", UNIT_PFN, "The number of the page frame."),
	  .rows = ROWS(NONE), MEMBER(struct page_row, pfn) },
	{ COLUMN("bytes", "Total_alloc/Per", UNIT_BYTES,
		 "Bytes allocated, and per allocation on average.", .per = "hit"),
	  .live_title = "Live_bytes/Per", .fill = cell_bytes },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations.", .leaves = 20),
	  .live_title = "Live", MEMBER_OF(struct page_row, sum, hit) },
	{ COLUMN("implicit", "Untraced", UNIT_BYTES,
		 "Bytes freed without an event: the page was allocated again.",
		 .hidden = true, .leaves = 60),
	  .fill = cell_implicit },
	{ COLUMN("net", "Seen", UNIT_BYTES,
		 "Bytes allocated and not seen freed; no more can be live at the end.",
		 .hidden = true, .live = true, .leaves = 40),
	  MEMBER_OF(struct page_row, net, net) },
	NET_BOUND_COLUMNS(struct page_row, net),
	{ COLUMN("order", "Order", UNIT_NONE, "The block's size: 2^order pages.",
		 .leaves = 15),
	  .rows = PAGE_DETAILED, MEMBER_OF(struct page_row, key, order) },
	{ COLUMN("migtype", "Migrate type", UNIT_NONE, "The requested migratetype.",
		 .leaves = 80),
	  .rows = PAGE_DETAILED, .fill = cell_migtype },
	{ COLUMN("gfp", "GFP flags", UNIT_NONE,
		 "The request's flags, spelled out in the legend; unknown bits in hexadecimal.",
		 .leaves = 90),
	  .rows = PAGE_DETAILED, .fill = cell_gfp },
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_PAGE_NODE,
	{ COLUMN("callsite", "Callsite", UNIT_NONE, "The callsite that allocated.",
		 .last = true),
	  .rows = ROWS(NONE), .fill = cell_last_callsite },
	{ COLUMN("gfp_names", "GFP names", UNIT_NONE,
		 "The request's flags by their full names; unknown bits in hexadecimal.",
		 .hidden = true, .list = true),
	  .rows = PAGE_DETAILED, .fill = cell_gfp_names },
	{ NET_MAX_COLUMN(struct page_row, net), .estimated = true },
	NET_LIKELY_COLUMNS(struct page_row, net, MEMBER_OF(struct page_row, sum, cache)),
	{ COLUMN("charged", "Charged", UNIT_BYTES,
		 "Of the bytes, those that count for the control group's limit.",
		 .leaves = 30),
	  .rows = ROWS(CGROUP), .fill = cell_charged },
	{ COLUMN("escaped", "Escaped", UNIT_BYTES,
		 "Those that its processes allocated but that count for no group.",
		 .leaves = 31),
	  .rows = ROWS(CGROUP), .fill = cell_escaped },
	INTERVAL_COLUMNS(struct page_row, bytes),
	BLOCK_COLUMN(struct page_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type page_type = {
	.name = "page",
	.help = "page blocks by callsite, page frame (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = columns,
};

/* --- cells that the page tables share ----------------------------------------------- */

struct cell page_report_gfp(const struct page_report *page, struct table *t,
			    uint64_t flags, uint64_t *used)
{
	struct strbuf sb = { 0 };

	gfp_format_short(event_formats_gfp(page->env->fmts), flags, &sb, used);
	return cell_strbuf(t, &sb);
}

struct cell page_report_gfp_names(const struct page_report *page, struct table *t,
				  uint64_t flags)
{
	struct strbuf sb = { 0 };

	if (flags)
		gfp_format_long(event_formats_gfp(page->env->fmts), flags, &sb);
	return cell_strbuf(t, &sb);
}

void page_report_legend(const struct page_report *page, struct table *t, uint64_t used)
{
	const struct gfp_names *gfp = event_formats_gfp(page->env->fmts);

	t->legend_of = "gfp";
	t->legend_title = "GFP";
	for (size_t i = 0; gfp && i < gfp->count && i < 64; i++) {
		if (used >> i & 1)
			table_add_legend(t, gfp->names[i].short_name, gfp->names[i].name);
	}
}
