// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the summary of the reports of slab objects and of areas.
 * In: finished accounts. Out: named numbers under the first table.
 */

#include "analysis/stat/account_report.h"

/* Net, and its parts: net = sure + seen + implicit + lost + gone. */
static void add_net(const struct account_report *r, const struct slab_totals *s,
		    struct table *t)
{
	const struct net_range *net = &r->net;
	const uint64_t likely = net_range_likely(net);

	TABLE_SUMMARY(t, s->losses != 0,
		      { "bytes_net", "Net total bytes allocated", UNIT_BYTES,
			s->live_alloc, SUMMARY_TOTAL, true });
	TABLE_SUMMARY(t, false,
		      { "bytes_net_estimate", "  probably live (the best estimate)",
			UNIT_BYTES, likely,
			likely == s->live_alloc ? SUMMARY_DETAIL : SUMMARY_TOTAL, true },
		      { "bytes_net_min",
			r->bounds.bounds.all_ends
				? "  sure to be live (every free has an event)"
				: "  sure to be live (the kernel's own count)",
			UNIT_BYTES, net_range_min(net), SUMMARY_DETAIL, true },
		      { "bytes_net_seen", "  seen: allocated, and not seen freed",
			UNIT_BYTES, net->seen, SUMMARY_DETAIL, true },
		      { "bytes_net_implicit",
			"  possibly freed untraced, as others of the cache were",
			UNIT_BYTES, net->implicit, SUMMARY_DOUBT, true },
		      { "bytes_net_lost", "  may have been freed while events were lost",
			UNIT_BYTES, net->lost, SUMMARY_DOUBT, true },
		      { "bytes_net_gone",
			"  proven freed, no event (the kernel's own count)", UNIT_BYTES,
			net->gone, SUMMARY_DETAIL, true });
	TABLE_SUMMARY(t, s->losses != 0,
		      { "bytes_net_max", "Bytes live at most", UNIT_BYTES,
			net_range_max(net), SUMMARY_DETAIL, true });
}

/* In a sample: totals of the rows are estimated; the others, which are not by unit, are unknown. */
static struct slab_totals totals_of(const struct account_report *r)
{
	const struct slab_totals *s = &accounts_of_slab(r->lives)->totals;
	struct slab_totals t = { .failed = s->failed,
				 .implausible = s->implausible,
				 .losses = s->losses };
	struct lives_sums c = { 0 };

	if (!account_report_estimates(r))
		return *s;
	for (size_t i = 0; i < lives_rows(r->lives); i++)
		lives_sums_add(&c, &r->lives->rows[i], lives_weight(r->lives, i));
	slab_totals_sum(&t, &c);
	return t;
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

static void add_intervals(const struct account_report *r, struct table *t)
{
	estimate_ends(&r->allocated, "bytes_allocated", "Total bytes allocated", false,
		      t);
	estimate_ends(&r->living, "bytes_net", "Net total bytes allocated", true, t);
	estimate_summary(r->live ? &r->living : &r->allocated, r->live, t);
	table_blank_summary(t, unknown_of_sample, ARRAY_SIZE(unknown_of_sample));
}

/* What became of the events. */
static void add_counts(const struct account_report *r, const struct slab_totals *s,
		       struct table *t)
{
	bool lossy = s->losses != 0;
	const struct summary_line died = { "frees_died",
					   "  of objects that were handed to RCU before",
					   UNIT_COUNT, s->died };

	TABLE_SUMMARY(t, lossy,
		      { "allocs", "Allocations", UNIT_COUNT, s->allocs, SUMMARY_USUAL },
		      { "allocs_freed", "  freed", UNIT_COUNT, s->matched },
		      { "allocs_implicit",
			"  freed without an event (the address was allocated again)",
			UNIT_COUNT, s->implicit },
		      { "allocs_live", "  live at the end", UNIT_COUNT, s->live,
			SUMMARY_DETAIL, true },
		      { "allocs_failed", "Allocations that failed", UNIT_COUNT, s->failed,
			SUMMARY_FAILED },
		      { "allocs_large",
			"kmallocs over two pages (page allocator: in both reports)",
			UNIT_COUNT, s->large },
		      { "bytes_large", "  their bytes", UNIT_BYTES, s->bytes_large },
		      { "frees", "Frees", UNIT_COUNT, s->frees },
		      { "frees_matched", "  matched", UNIT_COUNT, s->matched },
		      { "frees_reordered",
			"    seen before their allocation (clocks of CPUs differ)",
			UNIT_COUNT, s->reordered },
		      { "frees_unmatched",
			"  unmatched (allocated before the recording, or in bulk)",
			UNIT_COUNT, s->unmatched, SUMMARY_DOUBT },
		      { "frees_double",
			"  of freed objects (freed twice, or allocated in bulk)",
			UNIT_COUNT, s->doubled, SUMMARY_DOUBT },
		      { "frees_other", other_frees_title(r->lives->filtered), UNIT_COUNT,
			s->other },
		      { "frees_null", "  of NULL", UNIT_COUNT, s->null });
	table_add_summary_lines(t, &died, has_probes(s), lossy);
	TABLE_SUMMARY(t, lossy,
		      { "cross_cpu_frees", "Frees on another CPU than the allocation",
			UNIT_COUNT, s->pingpong });
	add_probes(s, t);
}

void slab_report_summary(const struct account_report *r, struct table *t)
{
	const struct slab_totals totals = totals_of(r), *s = &totals;
	bool lossy = s->losses != 0;

	other_frees_note(r->lives->filtered, s->other, t);
	table_set_summary_title(t, "SUMMARY (%s)",
				memory_words(account_report_memory(r))->allocator);
	TABLE_SUMMARY(t, lossy,
		      { "bytes_requested", "Total bytes requested", UNIT_BYTES,
			s->bytes_req, SUMMARY_USUAL },
		      { "bytes_allocated", "Total bytes allocated", UNIT_BYTES,
			s->bytes_alloc, SUMMARY_TOTAL },
		      { "bytes_freed", "Total bytes freed", UNIT_BYTES, s->bytes_freed,
			SUMMARY_TOTAL },
		      { "bytes_implicit", "Bytes freed without an event", UNIT_BYTES,
			s->bytes_implicit, SUMMARY_DOUBT });
	add_net(r, &totals, t);
	TABLE_SUMMARY(t, lossy,
		      { "bytes_wasted", "Total bytes wasted on internal fragmentation",
			UNIT_BYTES, slab_waste(s->bytes_alloc, s->bytes_req),
			SUMMARY_USUAL },
		      { "bytes_wasted_live", "Bytes wasted in what is live at the end",
			UNIT_BYTES, slab_waste(s->live_alloc, s->live_req),
			SUMMARY_DETAIL, true });
	table_add_summary(t, "fragmentation", "Internal fragmentation", UNIT_PERCENT,
			  slab_frag_cell(s->bytes_alloc, s->bytes_req), lossy);
	add_counts(r, s, t);
	TABLE_SUMMARY(t, false,
		      { "implausible", "Events with impossible sizes, left out",
			UNIT_COUNT, s->implausible, SUMMARY_DOUBT });
	if (account_report_estimates(r))
		add_intervals(r, t);
}
