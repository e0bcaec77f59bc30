// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: trace_analyze's account table.
 * In: slab events. Out: table "account".
 */

#include "analysis/stat/account_report.h"

CELL(cell_frees, struct account_row, cell_uint(r->counts->hit - r->counts->live))
CELL(cell_waste, struct account_row,
     cell_uint(slab_waste(r->counts->live_alloc, r->counts->live_req)))

static const struct column_type account_columns[] = {
	{ COLUMN("total_dynamic", "total", UNIT_BYTES, "Bytes allocated.", .drop = 80),
	  MEMBER_OF(struct account_row, counts, bytes_alloc) },
	{ COLUMN("waste", "waste", UNIT_BYTES,
		 "Bytes allocated beyond the request, in what is live at the end.",
		 .drop = 90, .live = true),
	  .fill = cell_waste },
	{ COLUMN("current_dynamic", "net", UNIT_BYTES,
		 "Bytes allocated and not seen freed.", .live = true),
	  MEMBER_OF(struct account_row, counts, live_alloc) },
	{ COLUMN("alloc_count", "alloc", UNIT_COUNT, "Allocations."),
	  MEMBER_OF(struct account_row, counts, hit) },
	{ COLUMN("free_count", "free", UNIT_COUNT, "Of these, those that were freed."),
	  .fill = cell_frees },
	{ COLUMN("implicit", "untraced", UNIT_COUNT,
		 "Of these, those freed without an event: the address was allocated again.",
		 .hidden = true),
	  MEMBER_OF(struct account_row, counts, implicit) },
	{ COLUMN("net_min", "at least", UNIT_BYTES,
		 "Of the net bytes, those that must be live at the end.", .hidden = true,
		 .range_of = "current_dynamic", .live = true),
	  POINTEE(struct account_row, net, struct net_range, net_range_min_cell) },
	{ COLUMN("net_reason", "why", UNIT_NONE,
		 "Why the bounds differ: events were lost, frees were not traced, or a free was just not seen.",
		 .hidden = true, .spell = net_range_reason_spell,
		 .range_of = "current_dynamic", .live = true),
	  POINTEE(struct account_row, net, struct net_range, net_range_reason_cell) },
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	{ COLUMN("net_max", "At_most", UNIT_BYTES, "Bytes that may be live at the end.",
		 .hidden = true, .range_of = "current_dynamic", .live = true),
	  POINTEE(struct account_row, net, struct net_range, net_range_max_cell) },
	INTERVAL_COLUMNS(struct account_row, bytes),
	COLUMNS_END,
};

static const struct table_type account_type = {
	.name = "account",
	.help = "slab objects as trace_analyze shows them (--account)",
	.title = "Account of slab allocations",
	.sort = "current_dynamic",
	.columns = account_columns,
};

/* The header lines of trace_analyze, each a sum over the rows. */
static void account_summary(const struct lives_sums *sum, const struct net_range *net,
			    struct table *t, bool lossy)
{
	TABLE_SUMMARY(t, lossy,
		      { "current_allocated", "current bytes allocated:", UNIT_BYTES,
			sum->live_alloc, SUMMARY_DETAIL, true },
		      { "current_requested", "current bytes requested:", UNIT_BYTES,
			sum->live_req, SUMMARY_DETAIL, true },
		      { "current_wasted", "current wasted bytes:", UNIT_BYTES,
			slab_waste(sum->live_alloc, sum->live_req), SUMMARY_DETAIL,
			true },
		      { "allocs", "number of allocs:", UNIT_COUNT, sum->hit },
		      { "frees", "number of frees:", UNIT_COUNT, sum->hit - sum->live });
	TABLE_SUMMARY(t, false,
		      { "callers", "number of callers:", UNIT_COUNT, t->nr_rows },
		      { "net_min", "current bytes allocated, at least:", UNIT_BYTES,
			net_range_min(net), SUMMARY_DETAIL, true },
		      { "net_max", "current bytes allocated, at most:", UNIT_BYTES,
			net_range_max(net), SUMMARY_DETAIL, true });
}

struct account_options {
	bool kmalloc_only, caches_only;
};

static const struct analysis_option options[] = {
	{ "malloc", NULL, "only kmalloc allocations", ANALYSIS_FLAG,
	  offsetof(struct account_options, kmalloc_only), true },
	{ "cache-only", NULL, "only kmem_cache_alloc allocations", ANALYSIS_FLAG,
	  offsetof(struct account_options, caches_only), true },
	{ .name = NULL },
};

static enum account_part rows_of(const struct account_options *own)
{
	return own && own->kmalloc_only	 ? ACCOUNT_KMALLOC
	       : own && own->caches_only ? ACCOUNT_CACHES
					 : ACCOUNT_ALL;
}

static int account_show(struct account_report *r, struct report *report)
{
	const struct analysis_options *opts = r->opts;
	enum subject_kind kind = opts->by ? opts->by : SUBJECT_CALLSITE;
	enum subject_kind columns = subject_estimated(kind, account_report_estimates(r));
	struct table *t =
		table_begin(report, &account_type, account_type.title, columns, false);
	char words[SUBJECT_WORDS];
	struct account_sums sums = { .part = rows_of(opts->own) };
	struct lives_sums all = { 0 };
	struct net_range net;
	int ret;

	r->sites.exact = true; /* callers are callsites: sym+0x4f */
	ret = account_sums_collect(&sums, r, kind) ?: account_sums_net(&sums, &net);
	if (ret)
		goto out;
	table_set_by(t, subjects_words(kind, words));
	for (uint32_t i = 0; i < sums.sums.nr; i++) {
		const struct account_row row = { .subject = { &sums.subjects, i },
						 .report = r,
						 .counts = &sums.sums.of[i].counts,
						 .net = &sums.sums.of[i].net,
						 .bytes = &sums.sums.of[i].bytes };

		if (!(opts->live ? row.counts->live : row.counts->hit))
			continue;
		if (!table_put_row(t, &row))
			break;
		lives_sums_add(&all, row.counts, 1);
	}
	account_note_unskipped(r, t);
	account_summary(&all, &net, t, r->lives->losses != 0);
out:
	account_sums_free(&sums);
	return ret;
}

static int account_view(const void *self, struct report *report)
{
	return account_analysis_view(self, report, account_show);
}

static int account_create(void *self, const struct analysis_env *env,
			  const struct analysis_options *opts)
{
	return account_analysis_ask(self, MEMORY_SLAB, false);
}

const struct analysis analysis_account = {
	.name = "account",
	.help = "as trace_analyze: total, waste, net, allocs, frees",
	.use = ANALYSIS_ALONE,
	.needs = NEEDS_SLAB,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = TABLES(&account_type),
	.options = options,
	ANALYSIS_SELF_OPTIONS(struct account_analysis),
	.create = account_create,
	.view = account_view,
};
