// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what per-CPU memory is used for, by the kernel's statistics.
 * In: percpu_stats, before and after the recording. Out: table "percpu_use".
 *
 * meminfo's Percpu is the memory of all CPUs; these are figures of one.
 */
#include "analysis/balance/holders.h"

#include "account/snapshot.h"

struct percpu_row {
	const char *use;
	int64_t before, after, change;
	uint64_t parts;
	bool counted;
};

CELL_IF(cell_parts, struct percpu_row, r->counted, cell_uint(r->parts))

static const struct column_type columns[] = {
	CHANGE_COLUMNS(struct percpu_row, before, after, "Bytes of each CPU,", 0),
	{ COLUMN("parts", "Parts", UNIT_COUNT,
		 "Allocations, pages or chunks, after the recording.", .level = true,
		 .leaves = 60),
	  .fill = cell_parts },
	{ COLUMN("use", "Use", UNIT_NONE,
		 "static: variables of the kernel; allocated: areas, with what rounding adds; empty pages: memory without an area; chunks: addresses, which need not have memory.",
		 .last = true),
	  MEMBER(struct percpu_row, use) },
	COLUMNS_END,
};

const struct table_type percpu_use_type = {
	.name = "percpu_use",
	.help = "what per-CPU memory is used for, by the kernel's statistics",
	.title = "Per-CPU memory of each CPU, by the kernel's statistics",
	.columns = columns,
};

static void add_rows(const struct percpu_stats stats[2], uint64_t page_size,
		     struct table *t)
{
	struct percpu_row rows[] = {
		{ .use = "allocated", .parts = stats[1].areas, .counted = true },
		{ .use = "static" },
		{ .use = "empty pages", .parts = stats[1].empty_pages, .counted = true },
		{ .use = "chunks", .parts = stats[1].chunks, .counted = true },
	};

	for (size_t i = 0; i < 2; i++) {
		const uint64_t bytes[] = { stats[i].allocated, stats[i].statics,
					   stats[i].empty_pages * page_size,
					   stats[i].addresses };

		for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
			*(i ? &rows[k].after : &rows[k].before) = (int64_t)bytes[k];
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].change = rows[i].after - rows[i].before;
		table_put_row(t, &rows[i]);
	}
}

void percpu_use_report(const struct analysis_env *env, struct report *report)
{
	struct percpu_stats stats[2];

	if (!percpu_stats_read(&stats[0],
			       recording_meta_text(env->rec, RECORDING_META_PERCPU_STATS
						   ".before")) ||
	    !percpu_stats_read(
		    &stats[1],
		    recording_meta_text(env->rec, RECORDING_META_PERCPU_STATS ".after")))
		return;
	add_rows(stats, env->page_size, table_plain(report, &percpu_use_type));
}
