// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the kernel's figures of free memory, shown beside the fallbacks.
 * In: buddyinfo, zoneinfo, min_free_kbytes and meminfo of the recording. Out: tables
 * "frag_free" and "frag_vmstat"; lines of the summary.
 */

#include "analysis/kernel/frag.h"
#include "recording/snapshot.h"

/* The kernel itself sets min_free_kbytes to at most 1/20 of the memory (mm/khugepaged.c,
 * set_recommended_min_free_kbytes()).
 */
#define MIN_FREE_PART 20U

struct free_row {
	const struct frag *f;
	const struct buddy_line *line;
	const char *when;
};

CELL_PUT(cell_zone, struct free_row, strbuf_add(out, r->line->zone, r->line->zone_len))

/* Free pages in blocks smaller than a pageblock, in percent of all free pages. */
static struct cell cell_unusable(const void *row, struct table *t)
{
	const struct free_row *r = row;
	double all = 0, small = 0;

	for (unsigned int i = 0; i < r->line->nr; i++) {
		double pages = (double)r->line->blocks[i] * (double)(1UL << i);

		all += pages;
		small += i < r->f->block_order ? pages : 0;
	}
	return r->f->order_known && all > 0 ? cell_real(100.0 * small / all)
					    : (struct cell){ 0 };
}

static const struct column_type columns[] = {
	{ COLUMN("node", "Node", UNIT_NONE, "The memory node.", .level = true),
	  MEMBER_OF(struct free_row, line, node) },
	{ COLUMN("zone", "Zone", UNIT_NONE, "The zone."), .fill = cell_zone },
	{ COLUMN("when", "When", UNIT_NONE, "before or after the recording."),
	  MEMBER(struct free_row, when) },
	{ COLUMN("unusable", "Small", UNIT_PERCENT,
		 "That part of the free pages is in blocks smaller than a pageblock.",
		 .level = true, .drop = 80),
	  .fill = cell_unusable },
	{ COLUMN("ORDER", NULL, UNIT_COUNT,
		 "One column each, order_0 and so on: free blocks of that order."),
	  .many = true },
	COLUMNS_END,
};

const struct table_type frag_free_type = {
	.name = "frag_free",
	.help = "free blocks of a zone by order, before and after the recording",
	.title = "Free blocks by order",
	.columns = columns,
};

static const char *meta_text(const struct frag *f, const char *item)
{
	return recording_meta_text(f->env->rec, item);
}

static void add_orders(struct table *t, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		char name[32], title[16];

		snprintf(name, sizeof(name), "order_%u", i);
		snprintf(title, sizeof(title), "%u", i);
		table_add_column(t, &(struct column){ .name = name,
						      .title = title,
						      .unit = UNIT_COUNT });
	}
}

/* Adds the rows of @text. */
static void add_zones(const struct frag *f, const char *text, const char *when,
		      struct table *t)
{
	size_t nr_columns = t->nr_columns, first;
	struct buddy_line line;

	first = (size_t)table_column(t, "order_0");
	while (buddyinfo_next(&text, &line)) {
		const struct free_row row = { f, &line, when };
		struct cell *cells;

		if (!table_put_row(t, &row))
			return;
		cells = t->cells + (t->nr_rows - 1) * nr_columns;
		for (size_t i = 0; i < line.nr && first + i < nr_columns; i++)
			cells[first + i] = cell_uint(line.blocks[i]);
	}
}

void frag_show_free(const struct frag *f, struct report *report)
{
	const char *before = meta_text(f, "buddyinfo.before");
	const char *after = meta_text(f, "buddyinfo.after"), *text;
	struct buddy_line line;
	unsigned int nr = 0;
	struct table *t;

	for (text = before; buddyinfo_next(&text, &line);)
		nr = LARGER(line.nr, nr);
	for (text = after; buddyinfo_next(&text, &line);)
		nr = LARGER(line.nr, nr);
	if (!nr)
		return;
	t = table_plain(report, &frag_free_type);
	add_orders(t, nr);
	add_zones(f, before, "before", t);
	add_zones(f, after, "after", t);
	table_note_if(t, f->env->window, "Before and after the whole recording.");
}

/* The current value: the setting itself, or the sum of the zones' watermarks. */
static bool min_free_now(const struct frag *f, uint64_t *kbytes, uint64_t *nodes,
			 bool *is_setting)
{
	uint64_t pages;

	if (!zoneinfo_min(meta_text(f, "zoneinfo.before"), &pages, nodes) &&
	    !zoneinfo_min(meta_text(f, "zoneinfo.after"), &pages, nodes))
		return false;
	*is_setting =
		min_free_kbytes_value(meta_text(f, "min_free_kbytes.after"), kbytes) ||
		min_free_kbytes_value(meta_text(f, "min_free_kbytes.before"), kbytes);
	if (!*is_setting)
		*kbytes = pages * f->env->page_size / 1024;
	return true;
}

static void note_next(const struct frag *f, struct table *t, uint64_t next)
{
	uint64_t before, after, all;

	if (min_free_kbytes_value(meta_text(f, "min_free_kbytes.before"), &before) &&
	    min_free_kbytes_value(meta_text(f, "min_free_kbytes.after"), &after) &&
	    before != after)
		table_add_note(t,
			       "!min_free_kbytes was changed meanwhile: it was %" PRIu64
			       " before.",
			       before);
	if (vmstat_value(meta_text(f, "meminfo.before"), "MemTotal:", &all) ||
	    vmstat_value(meta_text(f, "meminfo.after"), "MemTotal:", &all))
		table_note_if(
			t, next > all / MIN_FREE_PART,
			"!The next min_free_kbytes is more than 1/%u of memory (%" PRIu64
			" kB): the kernel never sets it so high by itself, as too much makes "
			"it reclaim, or kill, where it need not.",
			MIN_FREE_PART, all);
}

void frag_advise(const struct frag *f, struct table *t)
{
	uint64_t nodes, now, block;
	bool is_setting;

	if (!f->order_known || !min_free_now(f, &now, &nodes, &is_setting))
		return;
	block = ((uint64_t)f->env->page_size << f->block_order) / 1024;
	const uint64_t next = now + 3 * block * nodes;

	TABLE_SUMMARY(t, false,
		      { "min_free_kbytes",
			is_setting ? "min_free_kbytes" : "min_free_kbytes, by the zones",
			UNIT_COUNT, now, SUMMARY_USUAL },
		      { "min_free_kbytes_next", "  would be next", UNIT_COUNT, next,
			SUMMARY_USUAL });
	table_add_note(t,
		       "min_free_kbytes next: %" PRIu64 " + 3 x %" PRIu64
		       " KiB (a pageblock) x %" PRIu64
		       " (nodes). Record again with it: there should be fewer fallbacks.",
		       now, block, nodes);
	note_next(f, t, next);
}

/* --- the kernel's counters that would confirm that a larger min_free_kbytes helps --- */

/**
 * struct counter - a line of vmstat
 * @all: sum up all counters with this prefix: some are per zone, some were on older kernels
 * @price: a cost: a larger min_free_kbytes can only make it grow faster
 */
struct counter {
	const char *name;
	bool all, price;
};

static const struct counter counters[] = {
	{ "allocstall", true, false },
	{ "compact_stall", false, false },
	{ "compact_fail", false, false },
	{ "thp_fault_fallback", false, false },
	{ "thp_collapse_alloc_failed", false, false },
	{ "pgscan_kswapd", true, true },
};

struct counter_row {
	const struct counter *counter;
	uint64_t before, after;
};

CELL(cell_growth, struct counter_row, cell_uint(less(r->after, r->before)))
CELL(cell_expected, struct counter_row, cell_text(t, r->counter->price ? "more" : "less"))

static const struct column_type vmstat_columns[] = {
	{ COLUMN("before", "Before", UNIT_COUNT, "Its value before the recording.",
		 .drop = 60),
	  MEMBER(struct counter_row, before) },
	{ COLUMN("after", "After", UNIT_COUNT, "Its value after the recording.",
		 .drop = 50),
	  MEMBER(struct counter_row, after) },
	{ COLUMN("growth", "Growth", UNIT_COUNT, "How much it grew meanwhile."),
	  .fill = cell_growth },
	{ COLUMN("expected", "Expected", UNIT_NONE,
		 "With a larger min_free_kbytes, if that helps: less: it grows less; more: it may grow more, which is the price.",
		 .drop = 30),
	  .fill = cell_expected },
	{ COLUMN("counter", "Counter", UNIT_NONE,
		 "Its name in vmstat; allocstall and pgscan_kswapd: of all zones."),
	  MEMBER_OF(struct counter_row, counter, name) },
	COLUMNS_END,
};

const struct table_type frag_vmstat_type = {
	.name = "frag_vmstat",
	.help = "counters of vmstat that would confirm that a larger min_free_kbytes helps",
	.title = "Counters that more free memory would change",
	.columns = vmstat_columns,
};

static bool value_of(const struct frag *f, const struct counter *c, const char *item,
		     uint64_t *value)
{
	return (c->all ? vmstat_sum : vmstat_value)(meta_text(f, item), c->name, value);
}

void frag_show_vmstat(const struct frag *f, struct report *report)
{
	struct table *t = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		struct counter_row row = { .counter = &counters[i] };

		if (!value_of(f, row.counter, "vmstat.before", &row.before) ||
		    !value_of(f, row.counter, "vmstat.after", &row.after))
			continue;
		t = t ?: table_plain(report, &frag_vmstat_type);
		table_put_row(t, &row);
	}
	table_note_if(t, t && f->env->window, "Before and after the whole recording.");
}
