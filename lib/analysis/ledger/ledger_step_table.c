// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger between two moments of the kernel's curve: what the events explain of each
 * step.
 * In: a ledger's rows with their steps, counts of memory. Out: "ledger_step".
 */

#include "analysis/ledger/ledger_caches.h"

struct cell ledger_explained(int64_t trace, int64_t kernel)
{
	uint64_t largest = LARGER(ledger_magnitude(trace), ledger_magnitude(kernel));
	uint64_t missing = ledger_magnitude(kernel - trace);

	if (!largest)
		return (struct cell){ .type = CELL_NONE };
	if (missing >= largest)
		return cell_real(0.0);
	return cell_real(100.0 - 100.0 * (double)missing / (double)largest);
}

SHARED_CELL(ledger_kernel_cell, struct ledger_change,
	    r->known ? cell_int(r->kernel) : (struct cell){ 0 })
SHARED_CELL(ledger_unexplained_cell, struct ledger_change,
	    r->known ? cell_int(r->kernel - r->trace) : (struct cell){ 0 })
SHARED_CELL(ledger_explained_cell, struct ledger_change,
	    r->known ? ledger_explained(r->trace, r->kernel) : (struct cell){ 0 })

/* --- the ledger between two moments of the kernel's curve --------------------------- */

/* A burst has at least this part of what is unexplained, in at most this part of the time. */
#define BURST_PART(missing) ((missing) / 5 * 4)
#define BURST_TIME(span)    ((span) / 4)

int ledger_steps_init(struct ledger_steps *s, const struct recording *rec)
{
	int ret = kernel_curve_of(&s->curve, rec);

	if (!ret)
		return 0;
	kernel_curve_free(&s->curve);
	return ret == -ENOMEM ? ret : 0;
}

/* Moves @at to the step of @ts, which is near. False: @ts is in no step. */
static bool find_step(const struct ledger_steps *s, uint64_t ts, unsigned int *at)
{
	const uint64_t *times = s->curve.times;

	if (s->curve.nr < 2 || ts <= times[0] || ts > times[s->curve.nr - 1])
		return false;
	while (ts <= times[*at])
		--*at;
	while (ts > times[*at + 1])
		++*at;
	return true;
}

bool ledger_steps_slab(struct ledger_steps *s, uint64_t ts, uint32_t group, int64_t net)
{
	struct ledger_step_net *n;
	uint64_t key;

	if (!find_step(s, ts, &s->slab_at))
		return true;
	key = (uint64_t)group * LEDGER_STEPS + s->slab_at;
	n = INDEXED_ITEM(&s->nets, key);
	if (!n)
		return false;
	*n = (struct ledger_step_net){ group, s->slab_at, n->net + net };
	return true;
}

void ledger_steps_page(struct ledger_steps *s, uint64_t ts, uint64_t allocated,
		       uint64_t freed)
{
	if (!find_step(s, ts, &s->page_at))
		return;
	s->pages[s->page_at].allocated += allocated;
	s->pages[s->page_at].freed += freed;
}

void ledger_steps_free(struct ledger_steps *s)
{
	kernel_curve_free(&s->curve);
	INDEXED_FREE(&s->nets);
}

bool ledger_row_burst(const struct ledger_row_steps *r, const uint64_t *times,
		      unsigned int nr, int64_t missing, struct ledger_burst *burst)
{
	uint64_t best = nr ? BURST_TIME(times[nr] - times[0]) + 1 : 0;
	bool found = false;

	for (unsigned int i = 0; i < nr; i++) {
		int64_t net = 0;

		for (unsigned int k = i; k < nr && times[k + 1] - times[i] < best; k++) {
			net += ledger_row_step(r, k);
			if (missing > 0 ? net < BURST_PART(missing)
					: net > BURST_PART(missing))
				continue;
			best = times[k + 1] - times[i];
			*burst = (struct ledger_burst){ i, k + 1, net };
			found = true;
			break;
		}
	}
	return found && missing;
}

/* Text shows this many steps. */
#define STEPS_SHOWN 6

/* A number that the recording may lack. */
struct counted {
	bool known;
	int64_t value;
};

/* Counters whose growth in a step is shown, then those of meminfo, whose value at its end is. */
enum { PGALLOC, PGFREE, BUDDY, SCANNED, MEMINFO };

static const struct {
	enum kernel_counter from;
	const char *name;
} counters[] = {
	[PGALLOC] = { KERNEL_VMSTAT, "pgalloc" },
	[PGFREE] = { KERNEL_VMSTAT, "pgfree" },
	[BUDDY] = { KERNEL_BUDDY, "pages" },
	[SCANNED] = { KERNEL_VMSTAT, "slabs_scanned" },
	[MEMINFO] = { KERNEL_MEMINFO, "MemFree" },
	{ KERNEL_MEMINFO, "Buffers" },
	{ KERNEL_MEMINFO, "Cached" },
	{ KERNEL_MEMINFO, "AnonPages" },
	{ KERNEL_MEMINFO, "SReclaimable" },
	{ KERNEL_MEMINFO, "SUnreclaim" },
	{ KERNEL_MEMINFO, "KernelStack" },
	{ KERNEL_MEMINFO, "PageTables" },
	{ KERNEL_MEMINFO, "VmallocUsed" },
	{ KERNEL_MEMINFO, "Percpu" },
};

/* A row's data. @most: the cache with the largest unexplained part, @most_net. */
struct step_row {
	uint64_t from, to, since, took;
	uint64_t changed, missing;
	const char *most;
	struct counted most_net;
	struct ledger_step_pages pages;
	struct counted counters[ARRAY_SIZE(counters)];
};

CELL_IF(cell_counted, struct counted, r->known, cell_int(r->value))

CELL(cell_explained, struct step_row,
     ledger_explained((int64_t)less(r->changed, r->missing), (int64_t)r->changed))

/* The cell shows @member of the row, a struct counted. */
#define COUNTED(member) .fill = cell_counted, .offset = offsetof(struct step_row, member)

/* A column for machines: counter @nr of meminfo at the step's end. */
#define MEMINFO_COLUMN(column_name, counter, nr)                                 \
	{                                                                        \
		COLUMN(column_name, counter, UNIT_BYTES,                         \
		       counter " of meminfo at the step's end.", .hidden = true, \
		       .level = true),                                           \
			COUNTED(counters[MEMINFO + (nr)])                        \
	}

static const struct column_type columns[] = {
	{ COLUMN("since", "Since", UNIT_TIME,
		 "When the step began, since the first event.", .level = true),
	  MEMBER(struct step_row, since) },
	{ COLUMN("took", "Took", UNIT_TIME, "Its length.", .drop = 40),
	  MEMBER(struct step_row, took) },
	{ COLUMN("changed", "Changed", UNIT_COUNT,
		 "Objects: of each cache the larger of its changes by events and by slabinfo.",
		 .drop = 30),
	  MEMBER(struct step_row, changed) },
	{ COLUMN("unexplained", "Difference", UNIT_COUNT,
		 "The part of them that events do not explain, or slabinfo does not have."),
	  MEMBER(struct step_row, missing) },
	{ COLUMN("explained", "Explained", UNIT_PERCENT,
		 "100 % minus the difference's share of the larger of both.", .drop = 60),
	  .fill = cell_explained },
	{ COLUMN("most", "Of it", UNIT_COUNT,
		 "The largest part of the difference: by slabinfo less by events.",
		 .drop = 20),
	  COUNTED(most_net) },
	{ COLUMN("from_ts", "Step_begin", UNIT_MOMENT, "When the step began.",
		 .hidden = true, .level = true),
	  MEMBER(struct step_row, from) },
	{ COLUMN("to_ts", "Step_end", UNIT_MOMENT, "When it ended.", .hidden = true,
		 .level = true),
	  MEMBER(struct step_row, to) },
	{ COLUMN("pages_allocated", "Pages_allocated", UNIT_PAGES,
		 "Page frames that events allocated in the step.", .hidden = true),
	  MEMBER(struct step_row, pages.allocated) },
	{ COLUMN("pages_freed", "Pages_freed", UNIT_PAGES,
		 "Page frames that events freed.", .hidden = true),
	  MEMBER(struct step_row, pages.freed) },
	{ COLUMN("pgalloc", "pgalloc", UNIT_PAGES,
		 "Page frames allocated by vmstat, all zones.", .hidden = true),
	  COUNTED(counters[PGALLOC]) },
	{ COLUMN("pgfree", "pgfree", UNIT_PAGES, "Page frames freed by vmstat.",
		 .hidden = true),
	  COUNTED(counters[PGFREE]) },
	{ COLUMN("buddy", "Buddy", UNIT_PAGES,
		 "Page frames that the lists of buddyinfo gained.", .hidden = true),
	  COUNTED(counters[BUDDY]) },
	{ COLUMN("slabs_scanned", "Scanned", UNIT_COUNT,
		 "Objects that shrinkers looked at: the kernel needed memory.",
		 .hidden = true),
	  COUNTED(counters[SCANNED]) },
	MEMINFO_COLUMN("mem_free", "MemFree", 0),
	MEMINFO_COLUMN("buffers", "Buffers", 1),
	MEMINFO_COLUMN("cached", "Cached", 2),
	MEMINFO_COLUMN("anon", "AnonPages", 3),
	MEMINFO_COLUMN("slab_reclaimable", "SReclaimable", 4),
	MEMINFO_COLUMN("slab_unreclaimable", "SUnreclaim", 5),
	MEMINFO_COLUMN("kernel_stacks", "KernelStack", 6),
	MEMINFO_COLUMN("page_tables", "PageTables", 7),
	MEMINFO_COLUMN("vmalloc", "VmallocUsed", 8),
	MEMINFO_COLUMN("percpu", "Percpu", 9),
	{ COLUMN("cache", "Cache", UNIT_NONE, "The cache of which most is not explained.",
		 .last = true),
	  MEMBER(struct step_row, most) },
	COLUMNS_END,
};

const struct table_type ledger_step_type = {
	.name = "ledger_step",
	.help = "what events explain of each step of the kernel's curve (--ledger)",
	.title = "Slab objects compared with slabinfo, step by step",
	.columns = columns,
};

/* Adds up the caches' changes in step @step. */
static void add_caches(struct step_row *r, const struct ledger_caches *lc,
		       unsigned int step)
{
	for (size_t i = 0; i < lc->rows.nr; i++) {
		const struct ledger_row_steps *s = lc->rows.of[i].steps;
		int64_t net = s ? ledger_row_step(s, step) : 0;
		struct ledger_change change = { s ? s->trace[step] : 0, 0, true };

		change.kernel = change.trace + net;
		r->changed += ledger_largest(&change);
		r->missing += ledger_magnitude(net);
		if (ledger_magnitude(net) > ledger_magnitude(r->most_net.value)) {
			r->most = cache_row_name(lc, &lc->rows.of[i]);
			r->most_net = (struct counted){ true, net };
		}
	}
}

/* Counter @i in the step, or at its end; meminfo is in KiB. */
static struct counted read_counter(const struct kernel_curve *c, size_t i,
				   unsigned int step)
{
	const struct kernel_series *s =
		kernel_curve_find(c, counters[i].from, counters[i].name);

	if (!s || s->at[step] == KERNEL_CURVE_NONE ||
	    s->at[step + 1] == KERNEL_CURVE_NONE)
		return (struct counted){ false, 0 };
	if (i >= MEMINFO)
		return (struct counted){ true, (int64_t)s->at[step + 1] * 1024 };
	return (struct counted){ true, (int64_t)s->at[step + 1] - (int64_t)s->at[step] };
}

static struct step_row make_row(const struct ledger_caches *lc, unsigned int step)
{
	const struct kernel_curve *curve = &lc->ledger->steps.curve;
	const uint64_t *times = &curve->times[step];
	uint64_t first = lc->ledger->env->first_ts;
	struct step_row r = { .from = times[0],
			      .to = times[1],
			      .since = less(times[0], first),
			      .took = times[1] - times[0],
			      .pages = lc->ledger->steps.pages[step] };

	add_caches(&r, lc, step);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		r.counters[i] = read_counter(curve, i, step);
	return r;
}

ORDER_LARGEST(by_missing, struct step_row, missing, from)

void ledger_step_report(const struct ledger_caches *lc, struct report *report)
{
	struct table *t = table_plain(report, &ledger_step_type);
	unsigned int nr = ledger_steps_nr(&lc->ledger->steps), i, shown = 0;
	struct step_row rows[LEDGER_STEPS] = { { 0 } };

	analysis_plain_times(lc->ledger->env, t);
	for (i = 0; i < nr; i++)
		rows[i] = make_row(lc, i);
	qsort(rows, nr, sizeof(rows[0]), by_missing);
	for (i = 0; i < nr; i++)
		table_put_row(t, &rows[i]);
	while (shown < nr && shown < STEPS_SHOWN && rows[shown].missing)
		shown++;
	t->text_rows = shown;
	t->hidden = !shown;
	table_add_note(
		t,
		"The kernel's counts were read %u times while events were recorded. Slabinfo counts free objects in slabs that CPUs hold.",
		nr + 1);
}
