// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what the events explain of each step of the kernel's curve.
 * In: a ledger's rows with their steps, counts of memory. Out: "ledger_step".
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/ledger/ledger_books.h"
#include "analysis/ledger/ledger_change.h"

/* Text shows this many steps. */
#define STEPS_SHOWN 6

/* A row's data. @step: its number; @most: the row of which most is not explained, @most_net. */
struct step_row {
	const struct books *books;
	unsigned int step;
	uint64_t changed, missing;
	const struct books_row *most;
	int64_t most_net;
};

static const struct kernel_curve *curve_of(const struct step_row *r)
{
	return &r->books->ledger->steps.curve;
}

static struct cell cell_from(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return cell_uint(curve_of(r)->times[r->step]);
}

static struct cell cell_to(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return cell_uint(curve_of(r)->times[r->step + 1]);
}

static struct cell cell_since(const void *row, struct table *t)
{
	const struct step_row *r = row;
	uint64_t first = r->books->ledger->env->first_ts, ts;

	ts = curve_of(r)->times[r->step];
	return cell_uint(ts > first ? ts - first : 0);
}

static struct cell cell_took(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return cell_uint(curve_of(r)->times[r->step + 1] - curve_of(r)->times[r->step]);
}

static struct cell cell_explained(const void *row, struct table *t)
{
	const struct step_row *r = row;
	uint64_t agreed = r->changed > r->missing ? r->changed - r->missing : 0;

	return ledger_explained((int64_t)agreed, (int64_t)r->changed);
}

static struct cell cell_most(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return r->most ? cell_text(t, books_row_name(r->books, r->most))
		       : (struct cell){ .type = CELL_NONE };
}

static struct cell cell_most_net(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return r->most ? cell_int(r->most_net) : (struct cell){ .type = CELL_NONE };
}

static struct cell cell_allocated(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return cell_uint(r->books->ledger->steps.pages[r->step].allocated);
}

static struct cell cell_freed(const void *row, struct table *t)
{
	const struct step_row *r = row;

	return cell_uint(r->books->ledger->steps.pages[r->step].freed);
}

/* How far the counter went on in the step. */
static struct cell cell_counted(const struct step_row *r, enum kernel_counter from,
				const char *name)
{
	const struct kernel_series *s = kernel_curve_find(curve_of(r), from, name);

	if (!s || s->at[r->step] == KERNEL_CURVE_NONE ||
	    s->at[r->step + 1] == KERNEL_CURVE_NONE)
		return (struct cell){ .type = CELL_NONE };
	return cell_int((int64_t)s->at[r->step + 1] - (int64_t)s->at[r->step]);
}

static struct cell cell_pgalloc(const void *row, struct table *t)
{
	return cell_counted(row, KERNEL_VMSTAT, "pgalloc");
}

static struct cell cell_pgfree(const void *row, struct table *t)
{
	return cell_counted(row, KERNEL_VMSTAT, "pgfree");
}

static struct cell cell_buddy(const void *row, struct table *t)
{
	return cell_counted(row, KERNEL_BUDDY, "pages");
}

static struct cell cell_scanned(const void *row, struct table *t)
{
	return cell_counted(row, KERNEL_VMSTAT, "slabs_scanned");
}

/* Bytes of a counter of meminfo at the step's end. */
static struct cell cell_bytes(const struct step_row *r, const char *name)
{
	const struct kernel_series *s =
		kernel_curve_find(curve_of(r), KERNEL_MEMINFO, name);

	return s && s->at[r->step + 1] != KERNEL_CURVE_NONE
		       ? cell_uint(s->at[r->step + 1] * 1024)
		       : (struct cell){ .type = CELL_NONE };
}

#define MEMINFO(fn, counter)                                    \
	static struct cell fn(const void *row, struct table *t) \
	{                                                       \
		return cell_bytes(row, counter);                \
	}

MEMINFO(cell_mem_free, "MemFree")
MEMINFO(cell_buffers, "Buffers")
MEMINFO(cell_cached, "Cached")
MEMINFO(cell_anon, "AnonPages")
MEMINFO(cell_reclaimable, "SReclaimable")
MEMINFO(cell_unreclaim, "SUnreclaim")
MEMINFO(cell_stacks, "KernelStack")
MEMINFO(cell_tables, "PageTables")
MEMINFO(cell_vmalloc, "VmallocUsed")
MEMINFO(cell_percpu, "Percpu")

/* A column for machines: a counter of meminfo at the step's end. */
#define MEMINFO_COLUMN(column_name, counter, make)                               \
	{                                                                        \
		COLUMN(column_name, counter, UNIT_BYTES,                         \
		       counter " of meminfo at the step's end.", .hidden = true, \
		       .level = true),                                           \
			.fill = make                                             \
	}

static const struct column_type columns[] = {
	{ COLUMN("since", "Since", UNIT_TIME,
		 "When the step began, since the first event.", .level = true),
	  .fill = cell_since },
	{ COLUMN("took", "Took", UNIT_TIME, "Its length.", .leaves = 40),
	  .fill = cell_took },
	{ COLUMN("changed", "Changed", UNIT_COUNT,
		 "Objects: of each cache the larger of its changes by events and by slabinfo.",
		 .leaves = 30),
	  MEMBER(struct step_row, changed) },
	{ COLUMN("unexplained", "Difference", UNIT_COUNT,
		 "The part of them that events do not explain, or slabinfo does not have."),
	  MEMBER(struct step_row, missing) },
	{ COLUMN("explained", "Explained", UNIT_PERCENT,
		 "100 % minus the difference's share of the larger of both.",
		 .leaves = 60),
	  .fill = cell_explained },
	{ COLUMN("most", "Of it", UNIT_COUNT,
		 "The largest part of the difference: by slabinfo less by events.",
		 .leaves = 20),
	  .fill = cell_most_net },
	{ COLUMN("from_ts", "From", UNIT_TIME, "When the step began.", .hidden = true,
		 .level = true),
	  .fill = cell_from },
	{ COLUMN("to_ts", "To", UNIT_TIME, "When it ended.", .hidden = true,
		 .level = true),
	  .fill = cell_to },
	{ COLUMN("pages_allocated", "Pages", UNIT_PAGES,
		 "Page frames that events allocated in the step.", .hidden = true),
	  .fill = cell_allocated },
	{ COLUMN("pages_freed", "Freed", UNIT_PAGES, "Page frames that events freed.",
		 .hidden = true),
	  .fill = cell_freed },
	{ COLUMN("pgalloc", "pgalloc", UNIT_PAGES,
		 "Page frames allocated by vmstat, all zones.", .hidden = true),
	  .fill = cell_pgalloc },
	{ COLUMN("pgfree", "pgfree", UNIT_PAGES, "Page frames freed by vmstat.",
		 .hidden = true),
	  .fill = cell_pgfree },
	{ COLUMN("buddy", "Buddy", UNIT_PAGES,
		 "Page frames that the lists of buddyinfo gained.", .hidden = true),
	  .fill = cell_buddy },
	{ COLUMN("slabs_scanned", "Scanned", UNIT_COUNT,
		 "Objects that shrinkers looked at: the kernel needed memory.",
		 .hidden = true),
	  .fill = cell_scanned },
	MEMINFO_COLUMN("mem_free", "MemFree", cell_mem_free),
	MEMINFO_COLUMN("buffers", "Buffers", cell_buffers),
	MEMINFO_COLUMN("cached", "Cached", cell_cached),
	MEMINFO_COLUMN("anon", "AnonPages", cell_anon),
	MEMINFO_COLUMN("slab_reclaimable", "SReclaimable", cell_reclaimable),
	MEMINFO_COLUMN("slab_unreclaimable", "SUnreclaim", cell_unreclaim),
	MEMINFO_COLUMN("kernel_stacks", "KernelStack", cell_stacks),
	MEMINFO_COLUMN("page_tables", "PageTables", cell_tables),
	MEMINFO_COLUMN("vmalloc", "VmallocUsed", cell_vmalloc),
	MEMINFO_COLUMN("percpu", "Percpu", cell_percpu),
	{ COLUMN("cache", "Cache", UNIT_NONE, "The cache of which most is not explained.",
		 .last = true),
	  .fill = cell_most },
	COLUMNS_END,
};

const struct table_type ledger_step_type = {
	.name = "ledger_step",
	.help = "what events explain of each step of the kernel's curve (--ledger)",
	.columns = columns,
};

/* Adds up what happened in step @step. */
static struct step_row make_row(const struct books *b, unsigned int step)
{
	struct step_row r = { .books = b, .step = step };
	size_t i;

	for (i = 0; i < b->nr_rows; i++) {
		const struct ledger_row_steps *s = b->rows[i].steps;
		struct ledger_change change;
		int64_t net;

		if (!s)
			continue;
		net = ledger_row_step(s, step);
		change = (struct ledger_change){ s->trace[step], s->trace[step] + net,
						 true };
		r.changed += ledger_largest(&change);
		r.missing += ledger_magnitude(net);
		if (net &&
		    (!r.most || ledger_magnitude(net) > ledger_magnitude(r.most_net))) {
			r.most = &b->rows[i];
			r.most_net = net;
		}
	}
	return r;
}

static int by_missing(const void *a, const void *b)
{
	const struct step_row *x = a, *y = b;

	if (x->missing != y->missing)
		return x->missing < y->missing ? 1 : -1;
	return x->step < y->step ? -1 : 1;
}

/* Clocks that count no nanoseconds have plain numbers. */
static void set_units(struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].unit == UNIT_TIME)
			t->columns[i].unit = UNIT_COUNT;
	}
}

int ledger_step_report(const struct books *b, struct report *report)
{
	struct table *t = table_type_new(
		&ledger_step_type, "Slab objects compared with slabinfo, step by step",
		SUBJECT_NONE, false);
	unsigned int nr = ledger_steps_nr(&b->ledger->steps), i, shown = 0;
	struct step_row rows[LEDGER_STEPS];

	if (!t)
		return -ENOMEM;
	if (!recording_clocks_are_ns(b->ledger->env->rec))
		set_units(t);
	for (i = 0; i < nr; i++)
		rows[i] = make_row(b, i);
	qsort(rows, nr, sizeof(rows[0]), by_missing);
	for (i = 0; i < nr; i++)
		table_type_add_row(&ledger_step_type, SUBJECT_NONE, t, &rows[i]);
	while (shown < nr && shown < STEPS_SHOWN && rows[shown].missing)
		shown++;
	t->text_rows = shown;
	t->hidden = !shown;
	table_add_note(
		t,
		"The kernel's counts were read %u times while events were recorded. Slabinfo counts free objects in slabs that CPUs hold.",
		nr + 1);
	report_add_table(report, t);
	return 0;
}
