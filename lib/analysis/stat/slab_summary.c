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
	const struct summary_line all = { "bytes_net", "Net total bytes allocated",
					  UNIT_BYTES,  s->live_alloc,
					  true,	       SUMMARY_TOTAL };
	const struct summary_line parts[] = {
		{ "bytes_net_estimate", "  probably live (the best estimate)", UNIT_BYTES,
		  likely, true,
		  likely == s->live_alloc ? SUMMARY_DETAIL : SUMMARY_TOTAL },
		{ "bytes_net_min",
		  slab->bounds.bounds.all_ends
			  ? "  sure to be live (every free has an event)"
			  : "  sure to be live (the kernel's own count)",
		  UNIT_BYTES, net_range_min(net), true, SUMMARY_DETAIL },
		{ "bytes_net_seen", "  seen: allocated, and not seen freed", UNIT_BYTES,
		  net->seen, true, SUMMARY_DETAIL },
		{ "bytes_net_implicit",
		  "  possibly freed untraced, as others of the cache were", UNIT_BYTES,
		  net->implicit, true, SUMMARY_DOUBT },
		{ "bytes_net_lost", "  may have been freed while events were lost",
		  UNIT_BYTES, net->lost, true, SUMMARY_DOUBT },
		{ "bytes_net_gone", "  proven freed, no event (the kernel's own count)",
		  UNIT_BYTES, net->gone, true, SUMMARY_DETAIL },
	};
	const struct summary_line most = { "bytes_net_max",
					   "Bytes live at most",
					   UNIT_BYTES,
					   net_range_max(net),
					   true,
					   SUMMARY_DETAIL };

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
		{ "frees_rcu", "Frees by handing objects to RCU", UNIT_COUNT, s->rcu,
		  false, SUMMARY_DETAIL },
		{ "objects_dying", "  whose end no event shows", UNIT_COUNT, s->dying,
		  true, SUMMARY_DETAIL },
		{ "frees_bulk", "Frees in bulk", UNIT_COUNT, s->bulk_frees, false,
		  SUMMARY_DETAIL },
		{ "allocs_bulk", "Allocations in bulk", UNIT_COUNT, s->bulk_allocs, false,
		  SUMMARY_DETAIL },
		{ "allocs_unsized", "  of an unknown size, with 0 bytes", UNIT_COUNT,
		  s->unsized, false, SUMMARY_DOUBT },
		{ "objects_unseen", "Objects in bulk that events do not name", UNIT_COUNT,
		  s->unseen, false, SUMMARY_DOUBT },
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
	const struct summary_line ends[] = {
		{ "bytes_allocated_low", "Total bytes allocated, at least (95 %)",
		  UNIT_BYTES, slab->allocated.low, false, SUMMARY_USUAL },
		{ "bytes_allocated_high", "Total bytes allocated, at most (95 %)",
		  UNIT_BYTES, slab->allocated.high, false, SUMMARY_USUAL },
		{ "bytes_net_low", "Net total bytes allocated, at least (95 %)",
		  UNIT_BYTES, slab->living.low, true, SUMMARY_USUAL },
		{ "bytes_net_high", "Net total bytes allocated, at most (95 %)",
		  UNIT_BYTES, slab->living.high, true, SUMMARY_USUAL },
	};

	table_add_summary_lines(t, ends, ARRAY_SIZE(ends), false);
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
		{ "allocs", "Allocations", UNIT_COUNT, s->allocs, false, SUMMARY_USUAL },
		{ "allocs_freed", "  freed", UNIT_COUNT, s->matched, false,
		  SUMMARY_DETAIL },
		{ "allocs_implicit",
		  "  freed without an event (the address was allocated again)",
		  UNIT_COUNT, s->implicit, false, SUMMARY_DETAIL },
		{ "allocs_live", "  live at the end", UNIT_COUNT, s->live, true,
		  SUMMARY_DETAIL },
		{ "allocs_failed", "Allocations that failed", UNIT_COUNT, s->failed,
		  false, SUMMARY_FAILED },
		{ "allocs_large",
		  "kmallocs over two pages (page allocator: in both reports)", UNIT_COUNT,
		  s->large, false, SUMMARY_DETAIL },
		{ "bytes_large", "  their bytes", UNIT_BYTES, s->bytes_large, false,
		  SUMMARY_DETAIL },
		{ "frees", "Frees", UNIT_COUNT, s->frees, false, SUMMARY_DETAIL },
		{ "frees_matched", "  matched", UNIT_COUNT, s->matched, false,
		  SUMMARY_DETAIL },
		{ "frees_reordered",
		  "    seen before their allocation (clocks of CPUs differ)", UNIT_COUNT,
		  s->reordered, false, SUMMARY_DETAIL },
		{ "frees_unmatched",
		  "  unmatched (allocated before the recording, or in bulk)", UNIT_COUNT,
		  s->unmatched, false, SUMMARY_DOUBT },
		{ "frees_double",
		  "  of freed objects (freed twice, or allocated in bulk)", UNIT_COUNT,
		  s->doubled, false, SUMMARY_DOUBT },
		{ "frees_other", other_frees_title(slab->acc->lives.any.filtered),
		  UNIT_COUNT, s->other, false, SUMMARY_DETAIL },
		{ "frees_null", "  of NULL", UNIT_COUNT, s->null, false, SUMMARY_DETAIL },
	};
	const struct summary_line died = {
		"frees_died", "  of objects that were handed to RCU before",
		UNIT_COUNT,   s->died,
		false,	      SUMMARY_DETAIL,
	};
	const struct summary_line cross = {
		"cross_cpu_frees",
		"Frees on another CPU than the allocation",
		UNIT_COUNT,
		s->pingpong,
		false,
		SUMMARY_DETAIL,
	};

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
		  false, SUMMARY_USUAL },
		{ "bytes_allocated", "Total bytes allocated", UNIT_BYTES, s->bytes_alloc,
		  false, SUMMARY_TOTAL },
		{ "bytes_freed", "Total bytes freed", UNIT_BYTES, s->bytes_freed, false,
		  SUMMARY_TOTAL },
		{ "bytes_implicit", "Bytes freed without an event", UNIT_BYTES,
		  s->bytes_implicit, false, SUMMARY_DOUBT },
	};
	const struct summary_line wasted[] = {
		{ "bytes_wasted", "Total bytes wasted on internal fragmentation",
		  UNIT_BYTES, slab_waste(s->bytes_alloc, s->bytes_req), false,
		  SUMMARY_USUAL },
		{ "bytes_wasted_live", "Bytes wasted in what is live at the end",
		  UNIT_BYTES, slab_waste(s->live_alloc, s->live_req), true,
		  SUMMARY_DETAIL },
	};
	const struct summary_item implausible = {
		.name = "implausible",
		.title = "Events with impossible sizes, left out",
		.unit = UNIT_COUNT,
		.value = cell_uint(s->implausible),
		.rank = SUMMARY_DOUBT,
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
	table_add_summary_items(t, &implausible, 1);
	if (slab_report_estimates(slab))
		add_intervals(slab, t);
}
