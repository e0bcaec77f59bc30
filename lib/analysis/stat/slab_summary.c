// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the summary of the slab reports, and frees without an allocation event.
 * In: finished slab accounts. Out: named numbers under the first table; table "slab_free_only".
 */

#include "analysis/stat/slab_report.h"
#include "base/array.h"

/* Adds up the callsites by freeing function; index: its group. */
static int collect(struct slab_report *slab, struct slab_free_only **sums, size_t *nr)
{
	size_t capacity = 0, i;

	for (i = 0; i < slab->acc->lives.nr_free_only; i++) {
		const struct slab_free_only *from = &slab->acc->lives.free_only[i];
		uint32_t group = sites_group(&slab->sites, from->callsite);

		if (group == UINT32_MAX ||
		    array_reach(sums, nr, &capacity, group + 1UL, sizeof(**sums)))
			return -ENOMEM;
		(*sums)[group].unmatched += from->unmatched;
		(*sums)[group].doubled += from->doubled;
	}
	return 0;
}

struct free_only_row {
	const struct sites *sites;
	uint32_t group;
	struct slab_free_only sum;
};

CELL(cell_hit, struct free_only_row, cell_uint(r->sum.unmatched + r->sum.doubled))
CELL(cell_callsite, struct free_only_row, sites_cell(r->sites, r->group, t))

static const struct column_type columns[] = {
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Frees of no live object."),
	  .fill = cell_hit },
	{ COLUMN("unmatched", "Unmatched", UNIT_COUNT,
		 "Of these, of objects allocated before the recording, or in bulk.",
		 .leaves = 20),
	  MEMBER(struct free_only_row, sum.unmatched) },
	{ COLUMN("double", "Double", UNIT_COUNT,
		 "Of these, of objects freed already: freed twice, or allocated in bulk in between.",
		 .leaves = 30),
	  MEMBER(struct free_only_row, sum.doubled) },
	{ COLUMN("callsite", "Freed by", UNIT_NONE, "The function that freed.",
		 .last = true),
	  .fill = cell_callsite },
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type slab_free_only_type = {
	.name = "slab_free_only",
	.help = "frees of objects without an allocation event, by who freed (--unmatched)",
	.title = "Frees of objects without an allocation event, by who freed",
	.by = "callsite",
	.sort = "hit",
	.columns = columns,
};

static void add_rows(const struct slab_report *slab, struct table *t,
		     const struct slab_free_only *sums, size_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct free_only_row row = { &slab->sites, i, sums[i] };

		if (row.sum.unmatched || row.sum.doubled)
			table_put_row(t, &row);
	}
}

int slab_report_free_only(struct slab_report *slab, struct report *report)
{
	struct slab_free_only *sums __auto_mem = NULL;
	size_t nr = 0;
	struct table *t = table_plain(report, &slab_free_only_type);
	int ret = collect(slab, &sums, &nr);

	if (!ret)
		add_rows(slab, t, sums, nr);
	if (slab_report_estimates(slab))
		table_add_note(t, "!Figures of this table are those of the sample.");
	return ret;
}

/* Net, and its parts: net = sure + seen + implicit + lost + gone. */
static void add_net(const struct slab_report *slab, const struct slab_totals *s,
		    struct table *t)
{
	const struct net_range *net = &slab->net;
	const uint64_t likely = net_range_likely(net);
	const struct summary_line all = { "bytes_net",	 "Net total bytes allocated",
					  UNIT_BYTES,	 s->live_alloc,
					  SUMMARY_TOTAL, true };
	const struct summary_line parts[] = {
		{ "bytes_net_estimate", "  probably live (the best estimate)", UNIT_BYTES,
		  likely, likely == s->live_alloc ? SUMMARY_DETAIL : SUMMARY_TOTAL,
		  true },
		{ "bytes_net_min",
		  slab->bounds.bounds.all_ends
			  ? "  sure to be live (every free has an event)"
			  : "  sure to be live (the kernel's own count)",
		  UNIT_BYTES, net_range_min(net), SUMMARY_DETAIL, true },
		{ "bytes_net_seen", "  seen: allocated, and not seen freed", UNIT_BYTES,
		  net->seen, SUMMARY_DETAIL, true },
		{ "bytes_net_implicit",
		  "  possibly freed untraced, as others of the cache were", UNIT_BYTES,
		  net->implicit, SUMMARY_DOUBT, true },
		{ "bytes_net_lost", "  may have been freed while events were lost",
		  UNIT_BYTES, net->lost, SUMMARY_DOUBT, true },
		{ "bytes_net_gone", "  proven freed, no event (the kernel's own count)",
		  UNIT_BYTES, net->gone, SUMMARY_DETAIL, true },
	};
	const struct summary_line most = { "bytes_net_max", "Bytes live at most",
					   UNIT_BYTES,	    net_range_max(net),
					   SUMMARY_DETAIL,  true };

	table_add_summary_lines(t, &all, 1, s->losses != 0);
	table_add_summary_lines(t, parts, ARRAY_SIZE(parts), false);
	table_add_summary_lines(t, &most, 1, s->losses != 0);
}

/* In a sample: totals of the rows are estimated; the others, which are not by unit, are unknown. */
static struct slab_totals totals_of(const struct slab_report *slab)
{
	const struct slab_totals *s = &slab->acc->totals;
	struct slab_counts c = { 0 };

	if (!slab_report_estimates(slab))
		return *s;
	for (size_t i = 0; i < slab->acc->nr_rows; i++)
		slab_counts_add(&c, &slab->acc->rows[i],
				lives_weight(&slab->acc->lives.any, i));
	return (struct slab_totals){
		.allocs = c.hit,
		.bytes_req = c.bytes_req,
		.bytes_alloc = c.bytes_alloc,
		.failed = s->failed,
		.implausible = s->implausible,
		.matched = c.hit - c.implicit - c.live,
		.bytes_freed = c.bytes_alloc - c.implicit_alloc - c.live_alloc,
		.implicit = c.implicit,
		.bytes_implicit = c.implicit_alloc,
		.live = c.live,
		.live_req = c.live_req,
		.live_alloc = c.live_alloc,
		.pingpong = c.pingpong,
		.losses = s->losses,
	};
}

static bool has_probes(const struct slab_totals *s)
{
	return s->rcu + s->bulk_frees + s->bulk_allocs + s->unseen;
}

/* Sums of events of the recorder's probes, if it set any. */
static void add_probes(const struct slab_totals *s, struct table *t)
{
	const struct summary_line lines[] = {
		{ "frees_rcu", "Frees by handing objects to RCU", UNIT_COUNT, s->rcu },
		{ "objects_dying", "  whose end no event shows", UNIT_COUNT, s->dying,
		  SUMMARY_DETAIL, true },
		{ "frees_bulk", "Frees in bulk", UNIT_COUNT, s->bulk_frees },
		{ "allocs_bulk", "Allocations in bulk", UNIT_COUNT, s->bulk_allocs },
		{ "allocs_unsized", "  of an unknown size, with 0 bytes", UNIT_COUNT,
		  s->unsized, SUMMARY_DOUBT },
		{ "objects_unseen", "Objects in bulk that events do not name", UNIT_COUNT,
		  s->unseen, SUMMARY_DOUBT },
	};

	if (has_probes(s))
		table_add_summary_lines(t, lines, ARRAY_SIZE(lines), s->losses != 0);
}

static const char *const unknown_of_sample[] = {
	"allocs_large",	   "bytes_large",  "frees",	  "frees_reordered",
	"frees_unmatched", "frees_double", "frees_other", "frees_null",
};

static void add_intervals(const struct slab_report *slab, struct table *t)
{
	estimate_ends(&slab->allocated, "bytes_allocated", "Total bytes allocated", false,
		      t);
	estimate_ends(&slab->living, "bytes_net", "Net total bytes allocated", true, t);
	estimate_summary(slab->opts->live ? &slab->living : &slab->allocated,
			 slab->opts->live, t);
	table_blank_summary(t, unknown_of_sample, ARRAY_SIZE(unknown_of_sample));
}

/* perf's fragmentation: the part of the allocated bytes that was not requested. */
static double fragmentation(const struct slab_totals *s)
{
	return s->bytes_alloc
		       ? 100.0 - 100.0 * (double)s->bytes_req / (double)s->bytes_alloc
		       : 0.0;
}

/* What became of the events. */
static void add_counts(const struct slab_report *slab, const struct slab_totals *s,
		       struct table *t)
{
	bool lossy = s->losses != 0;
	const struct summary_line counts[] = {
		{ "allocs", "Allocations", UNIT_COUNT, s->allocs, SUMMARY_USUAL },
		{ "allocs_freed", "  freed", UNIT_COUNT, s->matched },
		{ "allocs_implicit",
		  "  freed without an event (the address was allocated again)",
		  UNIT_COUNT, s->implicit },
		{ "allocs_live", "  live at the end", UNIT_COUNT, s->live, SUMMARY_DETAIL,
		  true },
		{ "allocs_failed", "Allocations that failed", UNIT_COUNT, s->failed,
		  SUMMARY_FAILED },
		{ "allocs_large",
		  "kmallocs over two pages (page allocator: in both reports)", UNIT_COUNT,
		  s->large },
		{ "bytes_large", "  their bytes", UNIT_BYTES, s->bytes_large },
		{ "frees", "Frees", UNIT_COUNT, s->frees },
		{ "frees_matched", "  matched", UNIT_COUNT, s->matched },
		{ "frees_reordered",
		  "    seen before their allocation (clocks of CPUs differ)", UNIT_COUNT,
		  s->reordered },
		{ "frees_unmatched",
		  "  unmatched (allocated before the recording, or in bulk)", UNIT_COUNT,
		  s->unmatched, SUMMARY_DOUBT },
		{ "frees_double",
		  "  of freed objects (freed twice, or allocated in bulk)", UNIT_COUNT,
		  s->doubled, SUMMARY_DOUBT },
		{ "frees_other", other_frees_title(slab->acc->lives.any.filtered),
		  UNIT_COUNT, s->other },
		{ "frees_null", "  of NULL", UNIT_COUNT, s->null },
	};
	const struct summary_line died = { "frees_died",
					   "  of objects that were handed to RCU before",
					   UNIT_COUNT, s->died };
	const struct summary_line cross = { "cross_cpu_frees",
					    "Frees on another CPU than the allocation",
					    UNIT_COUNT, s->pingpong };

	table_add_summary_lines(t, counts, ARRAY_SIZE(counts), lossy);
	table_add_summary_lines(t, &died, has_probes(s), lossy);
	table_add_summary_lines(t, &cross, 1, lossy);
	add_probes(s, t);
}

void slab_report_summary(struct slab_report *slab, struct table *t)
{
	const struct slab_totals totals = totals_of(slab), *s = &totals;
	bool lossy = s->losses != 0;
	const struct summary_line bytes[] = {
		{ "bytes_requested", "Total bytes requested", UNIT_BYTES, s->bytes_req,
		  SUMMARY_USUAL },
		{ "bytes_allocated", "Total bytes allocated", UNIT_BYTES, s->bytes_alloc,
		  SUMMARY_TOTAL },
		{ "bytes_freed", "Total bytes freed", UNIT_BYTES, s->bytes_freed,
		  SUMMARY_TOTAL },
		{ "bytes_implicit", "Bytes freed without an event", UNIT_BYTES,
		  s->bytes_implicit, SUMMARY_DOUBT },
	};
	const struct summary_line wasted[] = {
		{ "bytes_wasted", "Total bytes wasted on internal fragmentation",
		  UNIT_BYTES, slab_waste(s->bytes_alloc, s->bytes_req), SUMMARY_USUAL },
		{ "bytes_wasted_live", "Bytes wasted in what is live at the end",
		  UNIT_BYTES, slab_waste(s->live_alloc, s->live_req), SUMMARY_DETAIL,
		  true },
	};
	const struct summary_line implausible = {
		"implausible", "Events with impossible sizes, left out", UNIT_COUNT,
		s->implausible, SUMMARY_DOUBT
	};

	if (slab->summarised)
		return;
	slab->summarised = true;
	other_frees_note(slab->acc->lives.any.filtered, s->other, t);
	table_set_summary_title(t, "%s", slab_report_words(slab)->summary);
	table_add_summary_lines(t, bytes, ARRAY_SIZE(bytes), lossy);
	add_net(slab, &totals, t);
	table_add_summary_lines(t, wasted, ARRAY_SIZE(wasted), lossy);
	table_add_summary(t, "fragmentation", "Internal fragmentation", UNIT_PERCENT,
			  cell_real(fragmentation(s)), lossy);
	add_counts(slab, s, t);
	table_add_summary_lines(t, &implausible, 1, false);
	if (slab_report_estimates(slab))
		add_intervals(slab, t);
}
