// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger's reconciliation of page frames.
 * In: a ledger's sums, vmstat, buddyinfo and zoneinfo before and after. Out: "ledger_page".
 */
#include "analysis/ledger/ledger.h"

#include "analysis/ledger/ledger_change.h"

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

/* The value that @read finds in item @after minus the value in item @before. */
static bool snapshot_change(const struct recording *rec, const char *before,
			    const char *after, read_fn read, int64_t *change)
{
	const struct recording_text *b = recording_meta(rec, before);
	const struct recording_text *a = recording_meta(rec, after);
	uint64_t from, to;

	if (!b || !a || !read(b->text, &from) || !read(a->text, &to))
		return false;
	*change = (int64_t)to - (int64_t)from;
	return true;
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
		 .leaves = 10),
	  MEMBER(struct page_row, change.trace) },
	{ COLUMN("kernel", "Kernel", UNIT_PAGES,
		 "The change of the kernel's own counter.", .leaves = 20),
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

static void add_row(struct table *t, const char *what, int64_t trace, bool known,
		    int64_t kernel, const char *why)
{
	const struct page_row row = { what, why, { trace, kernel, known } };

	table_put_row(t, &row);
}

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
	if (recording_is_part(l->env->rec))
		table_add_note(
			t,
			"Only a part of the system was recorded (selected by task or filter): vmstat covers all of it.");
	if (l->losses)
		table_add_note(t, "Events were lost: the trace's numbers are too small.");
}

void ledger_page_report(const struct ledger *l, struct report *report)
{
	const struct recording *rec = l->env->rec;
	int64_t net = (int64_t)(l->pages_allocated - l->pages_freed);
	int64_t change = 0, pcp = 0;
	struct table *t = table_plain(report, &ledger_page_type);
	bool known, has_pcp;

	known = snapshot_change(rec, "vmstat.before", "vmstat.after", read_pgalloc,
				&change);
	add_row(t, "allocated (pgalloc_*)", (int64_t)l->pages_allocated, known, change,
		"alloc_pages_bulk() has no event; the recorder's own");
	known = snapshot_change(rec, "vmstat.before", "vmstat.after", read_pgfree,
				&change);
	add_row(t, "freed (pgfree)", (int64_t)l->pages_freed, known, change,
		"the recorder's own");
	known = snapshot_change(rec, "buddyinfo.before", "buddyinfo.after",
				buddyinfo_pages, &change);
	has_pcp = snapshot_change(rec, "zoneinfo.before", "zoneinfo.after",
				  zoneinfo_pcp_pages, &pcp);
	add_row(t, has_pcp ? "net (buddyinfo, zoneinfo)" : "net (buddyinfo)", net, known,
		-(change + pcp),
		has_pcp ? "as above" : "pages in the CPUs' own lists; as above");
	known = snapshot_change(rec, "vmstat.before", "vmstat.after", read_nr_free,
				&change);
	add_row(t, "net (nr_free_pages)", net, known, -change,
		"pages in the CPUs' own lists; counted with a delay");
	add_notes(l, t);
}
