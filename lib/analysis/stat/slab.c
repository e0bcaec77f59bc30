// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the reports of slab objects and of areas: by callsite, by address, by cache, by
 * whatever --by says.
 * In: their events. Out: tables "slab", "slab_cache", "slab_free_only", "vmalloc",
 * "percpu_memory".
 */

#include "analysis/row/call_tree.h"
#include "analysis/row/entry.h"
#include "analysis/stat/slab_report.h"

CELL(cell_ptr, struct slab_row, cell_address(r->ptr))

struct cell slab_cell_waste_live(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return cell_uint(slab_waste(r->counts->live_alloc, r->counts->live_req));
}

/* perf's fragmentation: the part of the allocated bytes that was not requested. */
CELL(cell_frag, struct slab_row,
     cell_real(r->alloc ? 100.0 - 100.0 * (double)r->req / (double)r->alloc : 0.0))
CELL(cell_waste, struct slab_row,
     cell_uint(slab_waste(r->counts->bytes_alloc, r->counts->bytes_req)))

/* Does the account tell what is charged? */
static bool knows_charged(const struct slab_row *r)
{
	return dimensions_find(&r->slab->acc->lives.any.dimensions, DIMENSION_CHARGED) >=
	       0;
}

CELL_IF(cell_charged, struct slab_row, knows_charged(r), cell_uint(r->charged))
CELL_IF(cell_escaped, struct slab_row, knows_charged(r),
	cell_uint(slab_waste(r->alloc, r->charged)))

CELL_PUT(cell_last_callsite, struct slab_row,
	 sites_exact(&r->slab->sites, slab_report_callsite(r->slab, r->row), out))

#define FIGURES                                                                    \
	{ COLUMN("bytes", "Total_alloc/Per", UNIT_BYTES,                           \
		 "Bytes allocated, and per allocation on average.", .per = "hit"), \
	  .live_title = "Live_bytes/Per", MEMBER(struct slab_row, alloc) },        \
		{ COLUMN("bytes_req", "Total_req/Per", UNIT_BYTES,                 \
			 "Bytes requested; the slab allocator "                    \
			 "rounded up the rest.",                                   \
			 .per = "hit", .leaves = 70),                              \
		  .live_title = "Live_req/Per", MEMBER(struct slab_row, req) },    \
		{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations.", .leaves = 20),  \
		  .live_title = "Live", MEMBER(struct slab_row, hit) },            \
		{ COLUMN("pingpong", "Ping-pong", UNIT_COUNT,                      \
			 "Objects freed on another CPU than the one that "         \
			 "allocated them.",                                        \
			 .leaves = 90),                                            \
		  MEMBER_OF(struct slab_row, counts, pingpong) },                  \
		{ COLUMN("frag", "Frag", UNIT_PERCENT,                             \
			 "The share of the allocated bytes that was "              \
			 "not requested.",                                         \
			 .leaves = 80),                                            \
		  .fill = cell_frag },                                             \
		{ COLUMN("waste", "Waste", UNIT_BYTES,                             \
			 "Bytes allocated beyond the request, in all "             \
			 "allocations.",                                           \
			 .hidden = true, .leaves = 45),                            \
		  .fill = cell_waste },                                            \
		{ COLUMN("waste_live", "Waste_live", UNIT_BYTES,                   \
			 "The same in what is live at the end.", .hidden = true,   \
			 .live = true, .leaves = 46),                              \
		  .fill = slab_cell_waste_live },                                  \
		{ COLUMN("implicit", "Untraced", UNIT_COUNT,                       \
			 "Objects freed without an event: their address "          \
			 "was allocated again.",                                   \
			 .hidden = true, .leaves = 60),                            \
		  MEMBER_OF(struct slab_row, counts, implicit) },                  \
		{ COLUMN("net", "Seen", UNIT_BYTES,                                \
			 "Bytes allocated and not seen freed.", .hidden = true,    \
			 .live = true, .leaves = 40),                              \
		  MEMBER_OF(struct slab_row, net, net) },                          \
		NET_BOUND_COLUMNS(struct slab_row, net)
/* Comes last, so that the other columns keep their positions for scripts. */
#define FIGURE_MAX                                \
	{ NET_MAX_COLUMN(struct slab_row, net) }, \
		NET_LIKELY_COLUMNS(struct slab_row, net, MEMBER(struct slab_row, cache))
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
	{ COLUMN("charged", "Charged", UNIT_BYTES,
		 "Of the bytes, those that count for the control group's limit.",
		 .leaves = 30),
	  .rows = ROWS(CGROUP), .fill = cell_charged },
	{ COLUMN("escaped", "Escaped", UNIT_BYTES,
		 "Those that its processes allocated but that count for no group.",
		 .leaves = 31),
	  .rows = ROWS(CGROUP), .fill = cell_escaped },
	INTERVAL_COLUMNS(struct slab_row, bytes),
	BLOCK_COLUMN(struct slab_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type slab_type = {
	.name = "slab",
	.help = "slab objects by callsite, address (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = slab_columns,
};

static const struct column_type cache_columns[] = {
	FIGURES,
	SUBJECT_COLUMN_CACHE,
	FIGURE_MAX,
	INTERVAL_COLUMNS(struct slab_row, bytes),
	BLOCK_COLUMN(struct slab_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type cache_type = {
	.name = "slab_cache",
	.help = "slab objects by cache (--by cache)",
	.sort = "bytes,hit",
	.columns = cache_columns,
};

static void slab_add_notes(const struct slab_report *slab, enum subject_kind kind,
			   struct table *t)
{
	uint32_t rows = subject_rows(kind);

	entry_note_user(slab->env, kind, t);
	if (rows & ROWS(CACHE))
		slab_report_note_unnamed(slab->acc, slab->acc->nr_rows, t);
	if (rows & ROWS(STACK))
		slab_report_note_stackless(slab, "rows are callsites",
					   "their rows are callsites, marked [no stack]",
					   t);
	else if (rows & ROWS(ENTRY))
		slab_report_note_stackless(slab, "entries are unknown",
					   "their row is " ENTRY_NO_STACK, t);
	else if (rows & (ROWS(USER_FUNCTION) | ROWS(USER_LINE)))
		slab_report_note_stackless(slab, "functions of programs are unknown",
					   "their row is " ENTRY_NO_STACK, t);
	if (rows & (ROWS(CALLSITE) | ROWS(STACK) | ROWS(MODULE) | ROWS(DIR) |
		    ROWS(FUNCTION) | ROWS(FILE) | ROWS(LINE)))
		slab_report_note_unskipped(slab, t);
	if (rows & ROWS(NODE))
		table_add_note(t, "Node -1: the caller asked for none.");
}

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

static const struct table_type vmalloc_type = {
	.name = "vmalloc",
	.help = "areas of vmalloc by callsite, address (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = area_columns,
};

static const struct table_type percpu_memory_type = {
	.name = "percpu_memory",
	.help = "per-CPU memory by callsite, address (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = area_columns,
};

/* The type of tables by @kind. */
static const struct table_type *type_of(const struct slab_report *slab,
					enum subject_kind kind)
{
	switch (slab_report_memory(slab)) {
	case MEMORY_VMALLOC:
		return &vmalloc_type;
	case MEMORY_PERCPU:
		return &percpu_memory_type;
	default:
		return kind == SUBJECT_CACHE ? &cache_type : &slab_type;
	}
}

/* Text leaves out figures that say nothing of an area. */
static void hide_figures(const struct slab_report *slab, struct table *t)
{
	if (slab_report_memory(slab) == MEMORY_SLAB)
		return;
	table_hide_column(t, "bytes_req");
	table_hide_column(t, "pingpong");
	table_hide_column(t, "frag");
}

static struct table *slab_table(const struct slab_report *slab, enum subject_kind kind,
				struct report *report)
{
	const struct slab_words *named = slab_report_words(slab);
	const char *what = slab->opts->live ? named->live : named->all;
	struct strbuf __auto_free title = { 0 };
	char words[SUBJECT_WORDS];
	struct table *t;

	subjects_words(kind, words);
	strbuf_printf(&title, "%s by %s", what, kind ? words : "address");
	t = table_begin(report, type_of(slab, kind), strbuf_text(&title),
			subject_estimated(kind, kind && slab_report_estimates(slab)),
			slab->opts->live);
	table_set_by(t, kind ? words : "ptr");
	table_type_hide_interval(t, slab->opts->live);
	hide_figures(slab, t);
	return t;
}

/* A row's data, except for its subject. */
static struct slab_row slab_row(const struct slab_report *slab,
				const struct slab_counts *c, const struct net_range *net)
{
	bool live = slab->opts->live;

	return (struct slab_row){ .slab = slab,
				  .alloc = live ? net_range_likely(net) : c->bytes_alloc,
				  .req = live ? net_range_scale(net, c->live_req)
					      : c->bytes_req,
				  .hit = live ? net_range_scale(net, c->live) : c->hit,
				  .counts = c,
				  .net = net };
}

static int slab_by(struct slab_report *slab, enum subject_kind kind,
		   struct report *report)
{
	struct table *t = slab_table(slab, kind, report);
	struct slab_sums sums = { 0 };
	int ret = slab_sums_collect(&sums, slab, kind, ACCOUNT_ALL);

	if (ret)
		goto out;
	for (uint32_t i = 0; i < sums.nr; i++) {
		const struct slab_sum *sum = &sums.sums[i];
		struct slab_row row = slab_row(slab, &sum->counts, &sum->net);

		row.subject = (struct subject_row){ &sums.subjects, i };
		row.bytes = &sum->bytes;
		row.cache = sum->cache;
		row.charged = slab->opts->live ? net_range_scale(&sum->net, sum->charged)
					       : sum->charged;
		if (slab->opts->live ? sum->counts.live : row.hit)
			table_put_row(t, &row);
	}
	slab_add_notes(slab, kind, t);
	slab_report_summary(slab, t);
out:
	slab_sums_free(&sums);
	return ret;
}

static void slab_by_ptr(struct slab_report *slab, struct report *report)
{
	struct table *t = slab_table(slab, SUBJECT_NONE, report);

	for (size_t i = 0; i < slab->acc->addresses.nr; i++) {
		const struct slab_ptr *p = &slab->acc->addresses.ptrs[i];
		struct net_range net =
			slab_bounds_address(&slab->bounds, p->row, &p->counts);
		struct slab_row row = slab_row(slab, &p->counts, &net);

		row.ptr = p->ptr;
		row.row = p->row;
		if (p->counts.live || !slab->opts->live)
			table_put_row(t, &row);
	}
	slab_report_note_unskipped(slab, t);
	if (slab_report_estimates(slab))
		table_add_note(t, "!Rows are objects of the sample, not estimates.");
	slab_report_summary(slab, t);
}

struct slab_options {
	bool unmatched;
};

static const struct analysis_option options[] = {
	{ "unmatched", NULL, "also who freed objects without an allocation event",
	  ANALYSIS_FLAG, offsetof(struct slab_options, unmatched), true },
	{ .name = NULL },
};

static int slab_show(struct slab_report *slab, struct report *report)
{
	const struct analysis_options *opts = slab->opts;
	const struct slab_options *own = opts->own;
	bool areas = slab_report_memory(slab) != MEMORY_SLAB;
	bool by = opts->by && !(areas && subject_rows(opts->by) & ~AREA_ROWS);
	int ret = 0;

	if (opts->by_caller || (opts->by && !by))
		ret = slab_by(slab, SUBJECT_CALLSITE, report);
	if (!ret && by)
		ret = slab_by(slab, opts->by, report);
	if (!ret && opts->by_address)
		slab_by_ptr(slab, report);
	if (!ret && opts->by_cache && !areas)
		ret = slab_by(slab, SUBJECT_CACHE, report);
	if (!ret && opts->tree.roots)
		ret = slab_report_tree(slab, report);
	if (!ret && own && own->unmatched)
		ret = slab_report_free_only(slab, report);
	return ret;
}

static int slab_create(void *self, const struct analysis_env *env,
		       const struct analysis_options *opts)
{
	return slab_analysis_ask(self, MEMORY_SLAB, subjects_of_tasks(opts->by));
}

static int vmalloc_create(void *self, const struct analysis_env *env,
			  const struct analysis_options *opts)
{
	return slab_analysis_ask(self, MEMORY_VMALLOC, false);
}

static int percpu_memory_create(void *self, const struct analysis_env *env,
				const struct analysis_options *opts)
{
	return slab_analysis_ask(self, MEMORY_PERCPU, false);
}

static int slab_view(const void *self, struct report *report)
{
	return slab_analysis_view(self, report, slab_show);
}

const struct analysis analysis_slab = {
	.name = "slab",
	.help = "slab objects (default: what was recorded)",
	.use = ANALYSIS_USUAL,
	.needs = NEEDS_SLAB,
	.rows = ROWS_ALL,
	.estimates = true,
	.tables = TABLES(&slab_type, &cache_type, &tree_types[MEMORY_SLAB],
			 &slab_free_only_type),
	.options = options,
	ANALYSIS_SELF_OPTIONS(struct slab_analysis),
	.create = slab_create,
	.view = slab_view,
};

const struct analysis analysis_vmalloc = {
	.name = "vmalloc",
	.help = "areas of vmalloc: stacks, modules, BPF, ioremap ...",
	.use = ANALYSIS_USUAL,
	.seldom = true,
	.needs = NEEDS_VMALLOC,
	.rows = AREA_ROWS,
	.estimates = true,
	.tables = TABLES(&vmalloc_type, &tree_types[MEMORY_VMALLOC]),
	ANALYSIS_SELF_OPTIONS(struct slab_analysis),
	.create = vmalloc_create,
	.view = slab_view,
};

const struct analysis analysis_percpu_memory = {
	.name = "percpu-memory",
	.help = "per-CPU memory, on all CPUs",
	.use = ANALYSIS_USUAL,
	.seldom = true,
	.needs = NEEDS_PERCPU,
	.rows = AREA_ROWS,
	.estimates = true,
	.tables = TABLES(&percpu_memory_type, &tree_types[MEMORY_PERCPU]),
	ANALYSIS_SELF_OPTIONS(struct slab_analysis),
	.create = percpu_memory_create,
	.view = slab_view,
};
