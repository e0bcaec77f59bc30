// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger's reconciliation of page frames.
 * In: a ledger's sums, vmstat, buddyinfo and zoneinfo before and after. Out: "ledger_page".
 */
#include "analysis/ledger/ledger.h"

/* A reader of one number from a snapshot's text. */
typedef bool (*read_fn)(const char *text, uint64_t *value);

static bool read_pgalloc(const char *text, uint64_t *value)
{
	return vmstat_sum(text, "pgalloc_", value);
}

static bool read_pgfree(const char *text, uint64_t *value)
{
	return vmstat_value(text, "pgfree", value);
}

static bool read_nr_free(const char *text, uint64_t *value)
{
	return vmstat_value(text, "nr_free_pages", value);
}

/* By how much the number that @read finds in "@item.after" exceeds that in "@item.before". */
static struct ledger_change change_of(const struct ledger *l, int64_t trace,
				      const char *item, read_fn read)
{
	struct ledger_change c = { .trace = trace };
	char before[32], after[32];
	uint64_t from, to;

	snprintf(before, sizeof(before), "%s.before", item);
	snprintf(after, sizeof(after), "%s.after", item);
	c.known = read(recording_meta_text(l->env->rec, before), &from) &&
		  read(recording_meta_text(l->env->rec, after), &to);
	if (c.known)
		c.kernel = (int64_t)to - (int64_t)from;
	return c;
}

/* A row's data. */
struct page_row {
	const char *what, *why;
	struct ledger_change change;
};

CELL(cell_why, struct page_row,
     cell_text(t, r->change.known && r->change.kernel == r->change.trace ? "-" : r->why))

static const struct column_type columns[] = {
	{ COLUMN("trace", "Trace", UNIT_PAGES, "Page frames, according to the events.",
		 .drop = 10),
	  MEMBER(struct page_row, change.trace) },
	{ COLUMN("kernel", "Kernel", UNIT_PAGES,
		 "The change of the kernel's own counter.", .drop = 20),
	  .fill = ledger_kernel_cell, .offset = offsetof(struct page_row, change) },
	LEDGER_CHANGE_COLUMNS(UNIT_PAGES, .offset = offsetof(struct page_row, change)),
	{ COLUMN("what", "Counted", UNIT_NONE, "What is counted, and by which counter."),
	  MEMBER(struct page_row, what) },
	{ COLUMN("why", "Why they differ", UNIT_NONE, "What may be the difference.",
		 .last = true, .words = true),
	  .fill = cell_why },
	COLUMNS_END,
};

const struct table_type ledger_page_type = {
	.name = "ledger_page",
	.help = "pages compared with vmstat (--ledger)",
	.title = "Pages compared with vmstat",
	.columns = columns,
};

/* Upper bound of the page frames that the recorder itself used for the file's events. */
static uint64_t recorder_pages(const struct ledger *l)
{
	const struct recording *rec = l->env->rec;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < rec->nr_buffers; i++)
		for (uint32_t c = 0; c < rec->buffers[i].nr_cpus; c++)
			bytes += rec->buffers[i].cpus[c].size;
	return bytes / (l->env->page_size ? l->env->page_size : 4096);
}

static void add_notes(const struct ledger *l, struct table *t)
{
	table_add_note(
		t,
		"The recorder's own pages are in vmstat and not among the events: up to %" PRIu64
		" for what it wrote.",
		recorder_pages(l));
	table_note_if(
		t, recording_is_part(l->env->rec),
		"Only a part of the system was recorded (selected by task or filter): vmstat covers all of it.");
	if (l->losses)
		table_add_note(t, "Events were lost: the trace's numbers are too small.");
}

void ledger_page_report(const struct ledger *l, struct report *report)
{
	int64_t net = (int64_t)(l->pages_allocated - l->pages_freed);
	const struct ledger_change pcp = change_of(l, 0, "zoneinfo", zoneinfo_pcp_pages);
	struct page_row rows[] = {
		{ "allocated (pgalloc_*)",
		  "alloc_pages_bulk() has no event; the recorder's own",
		  change_of(l, (int64_t)l->pages_allocated, "vmstat", read_pgalloc) },
		{ "freed (pgfree)", "the recorder's own",
		  change_of(l, (int64_t)l->pages_freed, "vmstat", read_pgfree) },
		{ pcp.known ? "net (buddyinfo, zoneinfo)" : "net (buddyinfo)",
		  pcp.known ? "as above" : "pages in the CPUs' own lists; as above",
		  change_of(l, net, "buddyinfo", buddyinfo_pages) },
		{ "net (nr_free_pages)",
		  "pages in the CPUs' own lists; counted with a delay",
		  change_of(l, net, "vmstat", read_nr_free) },
	};
	struct table *t = table_plain(report, &ledger_page_type);

	/* These two count free pages. */
	rows[2].change.kernel = -(rows[2].change.kernel + pcp.kernel);
	rows[3].change.kernel = -rows[3].change.kernel;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		table_put_row(t, &rows[i]);
	add_notes(l, t);
}
