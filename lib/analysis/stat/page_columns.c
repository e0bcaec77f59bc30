// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of the table "page".
 * In: account rows added up. Out: columns and cells.
 */
#include "analysis/stat/page_columns.h"

static struct cell cell_bytes(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->pages * r->page->env->page_size);
}

static struct cell cell_implicit(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->implicit_pages * r->page->env->page_size);
}

static struct cell cell_migtype(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return page_report_migratetype(r->page, t, r->key->migratetype);
}

static struct cell cell_gfp(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return page_report_gfp(r->page, t, r->key->gfp_flags, r->gfp_used);
}

static struct cell cell_gfp_names(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return page_report_gfp_names(r->page, t, r->key->gfp_flags);
}

static struct cell cell_last_callsite(const void *row, struct table *t)
{
	const struct page_row *r = row;
	struct strbuf name = { 0 };

	sites_exact(&r->page->sites, r->page->callsites[r->row], &name);
	return cell_strbuf(t, &name);
}

static const struct column_type columns[] = {
	{ .column = { .name = "page",
		      .title = "PFN",
		      .unit = UNIT_PFN,
		      .help = "The number of the page frame." },
	  .rows = ROWS(NONE),
	  MEMBER(struct page_row, pfn) },
	{ .column = { .name = "bytes",
		      .title = "Total_alloc/Per",
		      .unit = UNIT_BYTES,
		      .per = "hit",
		      .help = "Bytes allocated, and per allocation on average." },
	  .live_title = "Live_alloc/Per",
	  .fill = cell_bytes },
	{ .column = { .name = "hit",
		      .title = "Hit",
		      .unit = UNIT_COUNT,
		      .leaves = 20,
		      .help = "Allocations." },
	  .live_title = "Live",
	  MEMBER_OF(struct page_row, sum, hit) },
	{ .column = { .name = "implicit",
		      .title = "Untraced",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .leaves = 60,
		      .help = "Bytes freed without an event: the page was allocated again." },
	  .fill = cell_implicit },
	{ .column = { .name = "net",
		      .title = "Net",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .live = true,
		      .leaves = 40,
		      .help = "Bytes allocated and not seen freed; no more can be live at the end." },
	  MEMBER_OF(struct page_row, net, net) },
	{ .column = { .name = "net_min",
		      .title = "At_least",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .range_of = "net",
		      .live = true,
		      .leaves = 8,
		      .help = "Of the net bytes, those that must be live at the end." },
	  POINTEE(struct page_row, net, struct net_range, net_range_min_cell) },
	{ .column = { .name = "net_reason",
		      .title = "Why",
		      .hidden = true,
		      .spell = net_range_reason_spell,
		      .range_of = "net",
		      .live = true,
		      .leaves = 9,
		      .help = "Why the bounds differ: events were lost, frees were not traced, or a free was just not seen." },
	  POINTEE(struct page_row, net, struct net_range, net_range_reason_cell) },
	{ .column = { .name = "order",
		      .title = "Order",
		      .leaves = 15,
		      .help = "The block's size: 2^order pages." },
	  .rows = PAGE_DETAILED,
	  MEMBER_OF(struct page_row, key, order) },
	{ .column = { .name = "migtype",
		      .title = "Migrate type",
		      .leaves = 80,
		      .help = "The requested migratetype." },
	  .rows = PAGE_DETAILED,
	  .fill = cell_migtype },
	{ .column = { .name = "gfp",
		      .title = "GFP flags",
		      .leaves = 90,
		      .help = "The request's flags, spelled out in the legend; unknown bits in hexadecimal." },
	  .rows = PAGE_DETAILED,
	  .fill = cell_gfp },
	SUBJECT_COLUMNS,
	{ .column = { .name = "callsite",
		      .title = "Callsite",
		      .last = true,
		      .help = "The callsite that allocated." },
	  .rows = ROWS(NONE),
	  .fill = cell_last_callsite },
	{ .column = { .name = "gfp_names",
		      .title = "GFP names",
		      .hidden = true,
		      .list = true,
		      .help = "The request's flags by their full names; unknown bits in hexadecimal." },
	  .rows = PAGE_DETAILED,
	  .fill = cell_gfp_names },
	{ .column = { .name = "net_max",
		      .title = "At_most",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .range_of = "net",
		      .live = true,
		      .leaves = 8,
		      .help = "Bytes that may be live at the end." },
	  .estimated = true,
	  POINTEE(struct page_row, net, struct net_range, net_range_max_cell) },
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
