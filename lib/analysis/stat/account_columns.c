// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of the tables of slab objects, of areas and of pages.
 * In: account rows added up. Out: columns and cells.
 */

#include "analysis/stat/account_report.h"

CELL(cell_ptr, struct account_row, cell_address(r->at))

CELL(cell_waste_live, struct account_row,
     cell_uint(slab_waste(r->counts->live_alloc, r->counts->live_req)))
CELL(cell_frag, struct account_row, slab_frag_cell(r->alloc, r->req))
CELL(cell_waste, struct account_row,
     cell_uint(slab_waste(r->counts->bytes_alloc, r->counts->bytes_req)))

CELL_IF(cell_charged, struct account_row, r->report->knows_charged, cell_uint(r->charged))
CELL_IF(cell_escaped, struct account_row, r->report->knows_charged,
	cell_uint(slab_waste(r->alloc, r->charged)))
CELL_PUT(cell_last_callsite, struct account_row,
	 sites_exact(&r->report->sites, r->report->callsites[r->row], out))

/* Of tables by control group: what is charged to it. */
#define CHARGED_COLUMNS                                                            \
	{ COLUMN("charged", "Charged", UNIT_BYTES,                                 \
		 "Of the bytes, those that count for the control group's limit.",  \
		 .drop = 30),                                                      \
	  .rows = ROWS(CGROUP), .fill = cell_charged },                            \
	{                                                                          \
		COLUMN("escaped", "Escaped", UNIT_BYTES,                           \
		       "Those that its processes allocated but that count for no " \
		       "group.",                                                   \
		       .drop = 31),                                                \
			.rows = ROWS(CGROUP), .fill = cell_escaped                 \
	}

#define NET(cell) POINTEE(struct account_row, net, struct net_range, cell)

/* The columns of a row's bounds, and of its best estimate. */
#define NET_BOUND_COLUMNS                                                                 \
	{ COLUMN("net_min", "At_least", UNIT_BYTES,                                       \
		 "Of the net bytes, those that must be live at the end.",                 \
		 .hidden = true, .range_of = "net_estimate", .live = true, .drop = 8),    \
	  NET(net_range_min_cell) },                                                      \
	{                                                                                 \
		COLUMN("net_reason", "Why", UNIT_NONE,                                    \
		       "Why the bounds differ: events were lost, frees were not traced, " \
		       "or a free was just not seen.",                                    \
		       .hidden = true, .spell = net_range_reason_spell,                   \
		       .range_of = "net_estimate", .live = true, .drop = 9),              \
			NET(net_range_reason_cell)                                        \
	}
#define NET_MAX_COLUMN(help)                                           \
	COLUMN("net_max", "At_most", UNIT_BYTES, help, .hidden = true, \
	       .range_of = "net_estimate", .live = true, .drop = 8),   \
		NET(net_range_max_cell)
#define NET_LIKELY_COLUMNS                                                          \
	{ COLUMN("net_estimate", "Net", UNIT_BYTES,                                 \
		 "The best estimate of the bytes that are live at the end.",        \
		 .hidden = true, .live = true, .drop = 39, .sort_title = "net"),    \
	  NET(net_range_likely_cell) },                                             \
	{                                                                           \
		COLUMN("net_cache", "Net_cache", UNIT_BYTES,                        \
		       "Of the estimate, what the kernel gives back when it needs " \
		       "memory.",                                                   \
		       .hidden = true, .live = true, .drop = 39),                   \
			.rows = ROWS_ALL & ~ROWS(NONE),                             \
			MEMBER(struct account_row, cache)                           \
	}

#define FIGURES                                                                    \
	{ COLUMN("bytes", "Total_alloc/Per", UNIT_BYTES,                           \
		 "Bytes allocated, and per allocation on average.", .per = "hit"), \
	  .live_title = "Live_bytes/Per", MEMBER(struct account_row, alloc) },     \
		{ COLUMN("bytes_req", "Total_req/Per", UNIT_BYTES,                 \
			 "Bytes requested; the slab allocator "                    \
			 "rounded up the rest.",                                   \
			 .per = "hit", .drop = 70),                                \
		  .live_title = "Live_req/Per", MEMBER(struct account_row, req) }, \
		{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations.", .drop = 20),    \
		  .live_title = "Live", MEMBER(struct account_row, hit) },         \
		{ COLUMN("pingpong", "Ping-pong", UNIT_COUNT,                      \
			 "Objects freed on another CPU than the one that "         \
			 "allocated them.",                                        \
			 .drop = 90),                                              \
		  MEMBER_OF(struct account_row, counts, pingpong) },               \
		{ COLUMN("frag", "Frag", UNIT_PERCENT,                             \
			 "The share of the allocated bytes that was "              \
			 "not requested.",                                         \
			 .drop = 80),                                              \
		  .fill = cell_frag },                                             \
		{ COLUMN("waste", "Waste", UNIT_BYTES,                             \
			 "Bytes allocated beyond the request, in all "             \
			 "allocations.",                                           \
			 .hidden = true, .drop = 45),                              \
		  .fill = cell_waste },                                            \
		{ COLUMN("waste_live", "Waste_live", UNIT_BYTES,                   \
			 "The same in what is live at the end.", .hidden = true,   \
			 .live = true, .drop = 46),                                \
		  .fill = cell_waste_live },                                       \
		{ COLUMN("implicit", "Untraced", UNIT_COUNT,                       \
			 "Objects freed without an event: their address "          \
			 "was allocated again.",                                   \
			 .hidden = true, .drop = 60),                              \
		  MEMBER_OF(struct account_row, counts, implicit) },               \
		{ COLUMN("net", "Seen", UNIT_BYTES,                                \
			 "Bytes allocated and not seen freed.", .hidden = true,    \
			 .live = true, .drop = 40),                                \
		  MEMBER_OF(struct account_row, net, net) },                       \
		NET_BOUND_COLUMNS
/* Comes last, so that the other columns keep their positions for scripts. */
#define FIGURE_MAX \
	{ NET_MAX_COLUMN("Bytes that may be live at the end.") }, NET_LIKELY_COLUMNS
static const struct column_type slab_columns[] = {
	{ COLUMN("ptr", "Alloc Ptr", UNIT_ADDRESS, "The object's address."),
	  .rows = ROWS(NONE), .fill = cell_ptr },
	FIGURES,
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	{ COLUMN("callsite", "Last callsite", UNIT_NONE,
		 "The last callsite that allocated at this address.", .last = true),
	  .rows = ROWS(NONE), .fill = cell_last_callsite },
	FIGURE_MAX,
	CHARGED_COLUMNS,
	INTERVAL_COLUMNS(struct account_row, bytes),
	BLOCK_COLUMN(struct account_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type slab_type = {
	.name = "slab",
	.help = "slab objects by callsite, address (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = slab_columns,
};

static const struct column_type cache_columns[] = {
	FIGURES,
	SUBJECT_COLUMN_CACHE,
	FIGURE_MAX,
	INTERVAL_COLUMNS(struct account_row, bytes),
	BLOCK_COLUMN(struct account_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type slab_cache_type = {
	.name = "slab_cache",
	.help = "slab objects by cache (--by cache)",
	.sort = "bytes,hit",
	.columns = cache_columns,
};

static const struct column_type area_columns[] = {
	{ COLUMN("ptr", "Address", UNIT_ADDRESS, "Where it begins."), .rows = ROWS(NONE),
	  .fill = cell_ptr },
	FIGURES,
	SUBJECT_COLUMNS,
	{ COLUMN("callsite", "Last callsite", UNIT_NONE,
		 "The last callsite that allocated at this address.", .last = true),
	  .rows = ROWS(NONE), .fill = cell_last_callsite },
	FIGURE_MAX,
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type vmalloc_type = {
	.name = "vmalloc",
	.help = "areas of vmalloc by callsite, address (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = area_columns,
};

const struct table_type percpu_memory_type = {
	.name = "percpu_memory",
	.help = "per-CPU memory by callsite, address (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = area_columns,
};

/* --- pages ------------------------------------------------------------------------------ */

CELL(cell_migtype, struct account_row,
     analysis_migratetype(r->report->env, r->key->migratetype, t))
CELL_PUT(cell_gfp, struct account_row,
	 gfp_format_short(&r->report->env->fmts->gfp, r->key->gfp_flags, out,
			  r->gfp_used))

/* The full names, separated by '|'; "" without flags. */
static struct cell cell_gfp_names(const void *row, struct table *t)
{
	const struct account_row *r = row;
	struct strbuf names = { 0 };

	if (r->key->gfp_flags)
		gfp_format_long(&r->report->env->fmts->gfp, r->key->gfp_flags, &names);
	return cell_strbuf(t, &names);
}

/* @kinds: ROWS() of the tables that have them; 0: all. */
#define REQUEST_COLUMNS(kinds)                                                            \
	{ COLUMN("migtype", "Migrate type", UNIT_NONE, "The requested migratetype.",      \
		 .drop = 80),                                                             \
	  .rows = kinds, .fill = cell_migtype },                                          \
	{                                                                                 \
		COLUMN("gfp", "GFP flags", UNIT_NONE,                                     \
		       "The request's flags, spelled out in the legend; unknown bits in " \
		       "hexadecimal.",                                                    \
		       .drop = 90),                                                       \
			.rows = kinds, .fill = cell_gfp                                   \
	}
#define GFP_NAMES_COLUMN(kinds)                                                                 \
	{                                                                                       \
		COLUMN("gfp_names", "GFP names", UNIT_NONE,                                     \
		       "The request's flags by their full names; unknown bits in hexadecimal.", \
		       .hidden = true, .list = true),                                           \
			.rows = kinds, .fill = cell_gfp_names                                   \
	}

static const struct column_type page_columns[] = {
	{ COLUMN("page", "PFN", UNIT_PFN, "The number of the page frame."),
	  .rows = ROWS(NONE), MEMBER(struct account_row, at) },
	{ COLUMN("bytes", "Total_alloc/Per", UNIT_BYTES,
		 "Bytes allocated, and per allocation on average.", .per = "hit"),
	  .live_title = "Live_bytes/Per", MEMBER(struct account_row, alloc) },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations.", .drop = 20),
	  .live_title = "Live", MEMBER(struct account_row, hit) },
	{ COLUMN("implicit", "Untraced", UNIT_BYTES,
		 "Bytes freed without an event: the page was allocated again.",
		 .hidden = true, .drop = 60),
	  MEMBER_OF(struct account_row, counts, implicit_alloc) },
	{ COLUMN("net", "Seen", UNIT_BYTES,
		 "Bytes allocated and not seen freed; no more can be live at the end.",
		 .hidden = true, .live = true, .drop = 40),
	  MEMBER_OF(struct account_row, net, net) },
	NET_BOUND_COLUMNS,
	{ COLUMN("order", "Order", UNIT_NONE, "The block's size: 2^order pages.",
		 .drop = 15),
	  .rows = PAGE_DETAILED, MEMBER_OF(struct account_row, key, order) },
	REQUEST_COLUMNS(PAGE_DETAILED),
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_PAGE_NODE,
	{ COLUMN("callsite", "Callsite", UNIT_NONE, "The callsite that allocated.",
		 .last = true),
	  .rows = ROWS(NONE), .fill = cell_last_callsite },
	GFP_NAMES_COLUMN(PAGE_DETAILED),
	{ NET_MAX_COLUMN(
		  "For a sample: bytes that may be live at the end. Otherwise these are the net bytes."),
	  .estimated = true },
	NET_LIKELY_COLUMNS,
	CHARGED_COLUMNS,
	INTERVAL_COLUMNS(struct account_row, bytes),
	BLOCK_COLUMN(struct account_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type page_type = {
	.name = "page",
	.help = "page blocks by callsite, page frame (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = page_columns,
};

static const struct column_type failed_columns[] = {
	{ COLUMN("bytes", "Asked_for/Per", UNIT_BYTES,
		 "Bytes of failed requests, and per request on average.", .per = "hit"),
	  MEMBER(struct account_row, alloc) },
	{ COLUMN("hit", "Failed", UNIT_COUNT, "Requests that failed.", .drop = 20),
	  MEMBER(struct account_row, hit) },
	{ COLUMN("order", "Order", UNIT_NONE, "The requested block size: 2^order pages.",
		 .drop = 15),
	  MEMBER_OF(struct account_row, key, order) },
	REQUEST_COLUMNS(0),
	{ COLUMN("callsite", "Callsite", UNIT_NONE, "The function that made the request.",
		 .last = true),
	  .fill = subject_callsite },
	GFP_NAMES_COLUMN(0),
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type page_failed_type = {
	.name = "page_failed",
	.help = "page requests that failed; only where some did",
	.title = "Page allocations that failed, by callsite",
	.by = "callsite",
	.sort = "bytes,hit",
	.columns = failed_columns,
};
