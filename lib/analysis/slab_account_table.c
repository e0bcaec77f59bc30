// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: trace_analyze's account table.
 * In: finished slab accounts. Out: table "account".
 */
#include <errno.h>

#include "analysis/slab_report.h"

static void account_columns(const struct slab_sums *sums, struct table *t)
{
	const struct column columns[] = {
		{ .name = "total_dynamic", .title = "total", .unit = UNIT_BYTES },
		{ .name = "waste", .title = "waste", .unit = UNIT_BYTES },
		{ .name = "current_dynamic", .title = "net", .unit = UNIT_BYTES },
		{ .name = "alloc_count", .title = "alloc", .unit = UNIT_COUNT },
		{ .name = "free_count", .title = "free", .unit = UNIT_COUNT },
		{ .name = "implicit",
		  .title = "implicit",
		  .unit = UNIT_COUNT,
		  .hidden = true },
		{ .name = "net_min",
		  .title = "at least",
		  .unit = UNIT_BYTES,
		  .hidden = true },
		{ .name = "net_reason", .title = "why", .hidden = true },
	};

	table_add_columns(t, columns, ARRAY_SIZE(columns));
	subjects_columns(&sums->subjects, t);
	slab_report_column_max(t);
}

static void account_row(const struct slab_sums *sums, uint32_t i, struct table *t)
{
	const struct slab_counts *c = &sums->sums[i].counts;
	const struct net_range *net = &sums->sums[i].net;
	struct cell *row = table_add_row(t);

	if (!row)
		return;
	row[0] = cell_uint(c->bytes_alloc);
	row[1] = cell_uint(slab_waste(c->live_alloc, c->live_req));
	row[2] = cell_uint(c->live_alloc);
	row[3] = cell_uint(c->hit);
	row[4] = cell_uint(c->hit - c->live);
	row[5] = cell_uint(c->implicit);
	row[6] = cell_uint(net->min);
	row[7] = cell_text(t, net_range_reason(net));
	subjects_fill(&sums->subjects, i, t, row + 8);
	row[t->nr_columns - 1] = cell_uint(net_range_max(net));
}

/* The header lines of trace_analyze, of which each is a sum over the rows. */
static void account_summary(const struct slab_counts *sum, const struct net_range *net,
			    struct table *t, bool lossy)
{
	table_add_summary(t, "current_allocated", "current bytes allocated:", UNIT_BYTES,
			  cell_uint(sum->live_alloc), lossy);
	table_add_summary(t, "current_requested", "current bytes requested:", UNIT_BYTES,
			  cell_uint(sum->live_req), lossy);
	table_add_summary(t, "current_wasted", "current wasted bytes:", UNIT_BYTES,
			  cell_uint(slab_waste(sum->live_alloc, sum->live_req)), lossy);
	table_add_summary(t, "allocs", "number of allocs:", UNIT_COUNT,
			  cell_uint(sum->hit), lossy);
	table_add_summary(t, "frees", "number of frees:", UNIT_COUNT,
			  cell_uint(sum->hit - sum->live), lossy);
	table_add_summary(t, "callers", "number of callers:", UNIT_COUNT,
			  cell_uint(t->nr_rows), false);
	table_add_summary(t, "net_min", "current bytes allocated, at least:", UNIT_BYTES,
			  cell_uint(net->min), false);
	table_add_summary(t, "net_max", "current bytes allocated, at most:", UNIT_BYTES,
			  cell_uint(net_range_max(net)), false);
}

int slab_report_account(struct slab_report *slab, struct report *report)
{
	const struct analysis_env *env = slab->env;
	enum subject_kind kind = env->by ? env->by : SUBJECT_CALLSITE;
	struct table *t = table_new("account", "Account of slab allocations");
	struct slab_sums sums = { 0 };
	struct slab_counts all = { 0 };
	int ret = t ? 0 : -ENOMEM;
	uint32_t i;

	slab->sites.exact = true; /* callers are call sites: sym+0x4f */
	if (!ret)
		ret = slab_sums_collect(&sums, slab, kind, env->account_rows);
	if (ret)
		goto out;
	table_set_by(t, subjects_word(kind));
	account_columns(&sums, t);
	for (i = 0; i < sums.nr; i++) {
		const struct slab_counts *c = &sums.sums[i].counts;

		if (!(env->live ? c->live : c->hit))
			continue;
		account_row(&sums, i, t);
		slab_counts_add(&all, c);
	}
	slab_report_note_unskipped(slab, t);
	account_summary(&all, &sums.net, t, slab->acc.totals.losses != 0);
	report_add_table(report, t);
	t = NULL;
out:
	table_free(t);
	slab_sums_free(&sums);
	return ret;
}
