// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the summary of the slab reports.
 * In: finished slab accounts. Out: named numbers under the first table.
 */
#include "analysis/slab_report.h"

struct summary_line {
	const char *name, *title;
	enum column_unit unit;
	uint64_t value;
};

static void add_lines(struct table *t, const struct summary_line *lines, size_t nr,
		      bool bound)
{
	size_t i;

	for (i = 0; i < nr; i++)
		table_add_summary(t, lines[i].name, lines[i].title, lines[i].unit,
				  cell_uint(lines[i].value), bound);
}

/* Net, and what of it is not sure: net = sure + implicit + lost. */
static void add_net(const struct slab_report *slab, struct table *t)
{
	const struct slab_totals *s = &slab->acc.totals;
	struct net_range net = { 0 };
	bool lossy = s->losses != 0;
	uint32_t i;

	for (i = 0; i < slab->acc.nr_rows; i++) {
		struct net_range row = slab_report_net(slab, i, &slab->acc.rows[i]);

		net_range_add(&net, &row);
	}
	table_add_summary(t, "bytes_net", "Net total bytes allocated", UNIT_BYTES,
			  cell_uint(s->live_alloc), lossy);
	table_add_summary(t, "bytes_net_min", "  sure to be live", UNIT_BYTES,
			  cell_uint(net.min), false);
	table_add_summary(t, "bytes_net_implicit",
			  "  of callsites whose objects also end without an event",
			  UNIT_BYTES, cell_uint(net.implicit), false);
	table_add_summary(t, "bytes_net_lost",
			  "  may have been freed while events were lost", UNIT_BYTES,
			  cell_uint(net.lost), false);
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
	const struct slab_totals *s = &slab->acc.totals;
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
		{ "frees_null", "  of NULL", UNIT_COUNT, s->null },
		{ "cross_cpu_frees", "Frees on another CPU than the allocation",
		  UNIT_COUNT, s->pingpong },
	};

	if (slab->summarised)
		return;
	slab->summarised = true;
	table_set_summary_title(t, "SUMMARY (SLAB allocator)");
	add_lines(t, bytes, ARRAY_SIZE(bytes), lossy);
	add_net(slab, t);
	add_lines(t, wasted, ARRAY_SIZE(wasted), lossy);
	table_add_summary(t, "fragmentation", "Internal fragmentation", UNIT_PERCENT,
			  cell_real(fragmentation(s)), lossy);
	add_lines(t, counts, ARRAY_SIZE(counts), lossy);
	table_add_summary(t, "implausible", "Events with impossible sizes, left out",
			  UNIT_COUNT, cell_uint(s->implausible), false);
}
