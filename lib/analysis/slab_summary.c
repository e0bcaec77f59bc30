// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the summary of the slab reports.
 * In: finished slab accounts. Out: named numbers under the first table.
 */
#include "analysis/slab_report.h"

/* Net, and what it is made of: net = sure + seen + implicit + lost + gone. */
static void add_net(const struct slab_report *slab, struct table *t)
{
	const struct slab_totals *s = &slab->acc->totals;
	const struct net_range *net = &slab->net;
	bool lossy = s->losses != 0;

	table_add_summary(t, "bytes_net", "Net total bytes allocated", UNIT_BYTES,
			  cell_uint(s->live_alloc), lossy);
	table_add_summary(t, "bytes_net_min",
			  "  sure to be live (the kernel's own count)", UNIT_BYTES,
			  cell_uint(net->min), false);
	table_add_summary(t, "bytes_net_seen", "  seen: allocated, and not seen freed",
			  UNIT_BYTES, cell_uint(net->seen), false);
	table_add_summary(t, "bytes_net_implicit",
			  "  possibly freed untraced, as others of the cache were",
			  UNIT_BYTES, cell_uint(net->implicit), false);
	table_add_summary(t, "bytes_net_lost",
			  "  may have been freed while events were lost", UNIT_BYTES,
			  cell_uint(net->lost), false);
	table_add_summary(t, "bytes_net_gone",
			  "  sure to be freed untraced (the kernel's own count)",
			  UNIT_BYTES, cell_uint(net->gone), false);
	table_add_summary(t, "bytes_net_max", "Bytes live at most", UNIT_BYTES,
			  cell_uint(net_range_max(net)), lossy);
}

/* perf's fragmentation: the part of the allocated bytes that nobody asked for. */
static double fragmentation(const struct slab_totals *s)
{
	return s->bytes_alloc
		       ? 100.0 - 100.0 * (double)s->bytes_req / (double)s->bytes_alloc
		       : 0.0;
}

void slab_report_summary(struct slab_report *slab, struct table *t)
{
	const struct slab_totals *s = &slab->acc->totals;
	bool lossy = s->losses != 0;
	const struct summary_line bytes[] = {
		{ "bytes_requested", "Total bytes requested", UNIT_BYTES, s->bytes_req },
		{ "bytes_allocated", "Total bytes allocated", UNIT_BYTES,
		  s->bytes_alloc },
		{ "bytes_freed", "Total bytes freed", UNIT_BYTES, s->bytes_freed },
		{ "bytes_implicit", "Bytes freed without an event", UNIT_BYTES,
		  s->bytes_implicit },
	};
	const struct summary_line wasted[] = {
		{ "bytes_wasted", "Total bytes wasted on internal fragmentation",
		  UNIT_BYTES, slab_waste(s->bytes_alloc, s->bytes_req) },
		{ "bytes_wasted_live", "Bytes wasted in what is live at the end",
		  UNIT_BYTES, slab_waste(s->live_alloc, s->live_req) },
	};
	const struct summary_line counts[] = {
		{ "allocs", "Allocations", UNIT_COUNT, s->allocs },
		{ "allocs_freed", "  freed", UNIT_COUNT, s->matched },
		{ "allocs_implicit",
		  "  freed without an event (the address was allocated again)",
		  UNIT_COUNT, s->implicit },
		{ "allocs_live", "  live at the end", UNIT_COUNT, s->live },
		{ "allocs_failed", "Allocations that failed", UNIT_COUNT, s->failed },
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
		  s->unmatched },
		{ "frees_double",
		  "  of freed objects (freed twice, or allocated in bulk)", UNIT_COUNT,
		  s->doubled },
		{ "frees_other", "  of what was allocated but left out of the recording",
		  UNIT_COUNT, s->other },
		{ "frees_null", "  of NULL", UNIT_COUNT, s->null },
		{ "cross_cpu_frees", "Frees on another CPU than the allocation",
		  UNIT_COUNT, s->pingpong },
	};

	if (slab->summarised)
		return;
	slab->summarised = true;
	table_set_summary_title(t, "SUMMARY (SLAB allocator)");
	table_add_summary_lines(t, bytes, ARRAY_SIZE(bytes), lossy);
	add_net(slab, t);
	table_add_summary_lines(t, wasted, ARRAY_SIZE(wasted), lossy);
	table_add_summary(t, "fragmentation", "Internal fragmentation", UNIT_PERCENT,
			  cell_real(fragmentation(s)), lossy);
	table_add_summary_lines(t, counts, ARRAY_SIZE(counts), lossy);
	table_add_summary(t, "implausible", "Events with impossible sizes, left out",
			  UNIT_COUNT, cell_uint(s->implausible), false);
}
