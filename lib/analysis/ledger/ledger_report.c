// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger's reconciliation of slab caches.
 * In: a ledger's groups, slabinfo before and after. Out: tables "ledger", "ledger_page".
 */
#include "analysis/ledger/ledger.h"

#include "analysis/bounds/reclaimable.h"
#include "analysis/ledger/ledger_caches.h"
#include "report/text_cell.h"

static struct ledger_change row_change(const struct cache_row *row)
{
	return (struct ledger_change){ ledger_group_net(&row->events) +
					       (int64_t)row->waiting,
				       row->after - row->before, true };
}

/* How many objects the events do not explain. */
static uint64_t row_missing(const struct cache_row *row)
{
	struct ledger_change c = row_change(row);

	return ledger_magnitude(c.kernel - c.trace);
}

/* The larger of its changes by events and by slabinfo. */
static uint64_t row_largest(const struct cache_row *row)
{
	struct ledger_change c = row_change(row);

	return ledger_largest(&c);
}

typedef const struct cache_row *row_pointer;

/* Those that changed most come first. */
ORDER(row_compare, row_pointer,
      COMPARE(row_largest(*y), row_largest(*x))
	      ?: COMPARE((*y)->events.allocs, (*x)->events.allocs) ?: COMPARE(*x, *y))
ORDER(missing_compare, row_pointer,
      COMPARE(row_missing(*y), row_missing(*x)) ?: COMPARE(*x, *y))

/* A row's data. @burst: when its unexplained part came, if in a short time, else 0; @from, @to: the
 * times.
 */
struct cells_of {
	const struct ledger_caches *caches;
	const struct cache_row *row;
	struct ledger_change change;
	struct ledger_burst burst;
	uint64_t from, to;
};

/* Fewer objects than this can have many causes. */
#define OPEN_LEAST 32

/* The unexplained part by the kernel's curve. */
static int64_t steps_missing(const struct ledger_caches *lc, const struct cache_row *row)
{
	unsigned int nr = ledger_steps_nr(&lc->ledger->steps), i;
	int64_t missing = 0;

	for (i = 0; i < nr && row->steps; i++)
		missing += ledger_row_step(row->steps, i);
	return missing;
}

static struct cells_of cells_make(const struct ledger_caches *lc,
				  const struct cache_row *row)
{
	struct cells_of r = { .caches = lc, .row = row, .change = row_change(row) };
	int64_t missing = steps_missing(lc, row);
	const uint64_t *times = lc->ledger->steps.curve.times;
	unsigned int nr = ledger_steps_nr(&lc->ledger->steps);

	/* Free objects come and go with the slabs that CPUs hold. */
	if (ledger_magnitude(missing) < OPEN_LEAST ||
	    ledger_magnitude(missing) <= row->slack ||
	    !ledger_row_burst(row->steps, times, nr, missing, &r.burst))
		return r;
	r.from = times[r.burst.first];
	r.to = times[r.burst.last];
	return r;
}

CELL_IF(cell_kernel, struct cells_of, r->row->nr_caches, cell_int(r->change.kernel))

/* The names of the caches merged into this one; no value if there are none. */
static struct cell cell_aliases(const void *row, struct table *t)
{
	const struct cells_of *r = row;
	const struct recording *rec = r->caches->ledger->env->rec;
	struct strbuf __auto_free sb = { 0 };

	slab_aliases_of(recording_meta_text(rec, "slab_aliases"),
			cache_row_name(r->caches, r->row), &sb);
	return cell_of_strbuf(&sb, t);
}

static struct cell cell_cache(const void *row, struct table *t)
{
	const struct cells_of *r = row;
	struct strbuf sb = { 0 };

	strbuf_puts(&sb, cache_row_name(r->caches, r->row));
	if (r->row->nr_caches > 1)
		strbuf_printf(&sb, "+%" PRIu32, r->row->nr_caches - 1);
	return cell_strbuf(t, &sb);
}

/* Appends what the events reveal about allocations and frees without an event. */
static void unseen_why(const struct cache_row *row, struct strbuf *sb)
{
	if (row->events.implicit)
		strbuf_printf(sb, "%" PRIu64 " freed without an event (bulk, kfree_rcu)",
			      row->events.implicit);
	if (row->events.again)
		strbuf_printf(sb, "%s%" PRIu64 " allocated without an event",
			      row->events.implicit ? ", " : "", row->events.again);
	if (row->sheaves)
		strbuf_printf(sb, "; sheaves hold up to %" PRIu64, row->sheaves);
}

/* Appends the first reason that can explain all of @difference, or nothing. */
static void reason(const struct cache_row *row, int64_t difference, struct strbuf *sb)
{
	uint64_t missing = ledger_magnitude(difference);
	bool more = difference > 0; /* by the kernel's count */
	bool unseen = row->events.implicit + row->events.again != 0;

	if (!row->nr_caches)
		strbuf_puts(sb, "not in slabinfo");
	else if (row->nameless && !row->events.allocs)
		strbuf_puts(sb, "events of this cache have no name");
	else if (more && missing <= row->dying - row->waiting)
		strbuf_printf(sb, "%" PRIu64 " handed to RCU, and perhaps not freed yet",
			      row->dying);
	else if (unseen && row->sheaves)
		unseen_why(row, sb);
	else if (missing <= row->slack)
		strbuf_printf(sb,
			      row->sheaves ? "CPUs and sheaves held up to %" PRIu64
					     " free one%s"
			      : row->exact ? "CPUs held up to %" PRIu64 " free one%s"
					   : "active_objs counts up to %" PRIu64
					     " free one%s",
			      row->slack, plural(row->slack));
	else if (missing <= row->unsure)
		strbuf_printf(sb, "%" PRIu64 " event%s while it was counted", row->unsure,
			      plural(row->unsure));
	else if (unseen)
		unseen_why(row, sb);
	else if (row->nameless)
		strbuf_puts(sb, "some events of this size have no name");
}

/* Appends "+1.2 s", @ts since the first event. */
static void since(const struct analysis_env *env, uint64_t ts, struct strbuf *sb)
{
	ts = less(ts, env->first_ts);
	strbuf_puts(sb, "+");
	if (recording_clocks_are_ns(env->rec))
		text_duration(sb, ts, " ");
	else
		strbuf_printf(sb, "%" PRIu64, ts);
}

/* Appends when the difference came, if it came in a short time. */
static void when(const struct cells_of *r, struct strbuf *sb)
{
	if (!r->burst.net)
		return;
	strbuf_printf(sb, "; %+" PRId64 " from ", r->burst.net);
	since(r->caches->ledger->env, r->from, sb);
	strbuf_puts(sb, " to ");
	since(r->caches->ledger->env, r->to, sb);
}

/* Why a row is not explained; "-" if nothing is missing. */
static struct cell cell_why(const void *row, struct table *t)
{
	const struct cells_of *r = row;
	int64_t difference = r->change.kernel - r->change.trace;
	bool lossy = r->caches->ledger->losses != 0;
	struct strbuf sb = { 0 }, why = { 0 };

	if (r->row->waiting)
		strbuf_printf(&sb, "%" PRIu64 " wait for RCU", r->row->waiting);
	if (!difference)
		return sb.size ? cell_strbuf(t, &sb) : cell_text(t, "-");
	strbuf_puts(&sb, sb.size ? "; " : "");
	reason(r->row, difference, &why);
	if (lossy) /* may explain all of it, and seemingly missing events */
		strbuf_printf(&sb, "events were lost%s", why.size ? "; " : "");
	else if (!why.size)
		strbuf_puts(&sb, "no event: in bulk, or the recorder's own");
	strbuf_puts(&sb, strbuf_text(&why));
	when(r, &sb);
	t->failed |= sb.failed || why.failed;
	strbuf_free(&why);
	return cell_strbuf(t, &sb);
}

CELL_IF(cell_source, struct cells_of, r->row->nr_caches,
	cell_text(t, r->row->exact ? "count" : "slabinfo"))
CELL_IF(cell_kernel_at, struct cells_of, r->row->steps,
	cell_numbers(t, r->row->steps->kernel.at, r->caches->ledger->steps.curve.nr))

/* What the cache would have by the events alone: from the kernel's first count on, at least 0. */
static struct cell cell_trace_at(const void *row, struct table *t)
{
	const struct cells_of *r = row;
	unsigned int nr = r->caches->ledger->steps.curve.nr, i;
	struct kernel_series at;
	int64_t sum;

	if (!r->row->steps)
		return (struct cell){ .type = CELL_NONE };
	sum = (int64_t)r->row->steps->kernel.at[0];
	for (i = 0; i < nr; i++) {
		sum += i ? r->row->steps->trace[i - 1] : 0;
		at.at[i] = sum > 0 ? (uint64_t)sum : 0;
	}
	return cell_numbers(t, at.at, nr);
}

static const struct column_type columns[] = {
	{ COLUMN("allocs", "Allocs", UNIT_COUNT, "Objects allocated.", .drop = 60),
	  MEMBER_OF(struct cells_of, row, events.allocs) },
	{ COLUMN("freed", "Frees", UNIT_COUNT,
		 "Objects freed, including those allocated before the recording.",
		 .drop = 70),
	  MEMBER_OF(struct cells_of, row, events.freed) },
	{ COLUMN("implicit", "Untraced frees", UNIT_COUNT,
		 "Objects freed without an event: their address was allocated again.",
		 .drop = 80),
	  MEMBER_OF(struct cells_of, row, events.implicit) },
	{ COLUMN("trace", "Trace", UNIT_COUNT,
		 "Objects that the cache gained, according to the events.", .drop = 10),
	  MEMBER(struct cells_of, change.trace) },
	{ COLUMN("kernel", "Kernel", UNIT_COUNT,
		 "Objects that it gained, by the kernel's count; none: slabinfo has no such cache.",
		 .drop = 20),
	  .fill = cell_kernel },
	LEDGER_CHANGE_COLUMNS(UNIT_COUNT, .offset = offsetof(struct cells_of, change)),
	{ COLUMN("slack", "Slack", UNIT_COUNT,
		 "Free objects that the kernel may have counted.", .hidden = true),
	  MEMBER_OF(struct cells_of, row, slack) },
	{ COLUMN("waiting", "Waiting", UNIT_COUNT,
		 "Objects that wait for RCU, which are in use: a part of the trace.",
		 .hidden = true),
	  .none_if_0 = true, MEMBER_OF(struct cells_of, row, waiting) },
	{ COLUMN("source", "Source", UNIT_NONE,
		 "Where the kernel's number comes from: a count of the cache, or slabinfo.",
		 .hidden = true),
	  .fill = cell_source },
	{ COLUMN("aliases", "Also", UNIT_NONE, "Caches that were merged into this one.",
		 .hidden = true),
	  .fill = cell_aliases },
	{ COLUMN("caches", "Caches", UNIT_NONE,
		 "The kmalloc caches that the events do not tell apart.", .hidden = true),
	  MEMBER_OF(struct cells_of, row, members) },
	{ COLUMN("kernel_at", "Kernel's curve", UNIT_COUNT,
		 "Its objects at the moments of the kernel's curve, by slabinfo.",
		 .hidden = true, .series = true),
	  .fill = cell_kernel_at },
	{ COLUMN("trace_at", "Events' curve", UNIT_COUNT,
		 "The same by the events, from the first of these on.", .hidden = true,
		 .series = true),
	  .fill = cell_trace_at },
	{ COLUMN("burst", "Burst", UNIT_COUNT,
		 "The part of the difference that came in a quarter of the time or less.",
		 .hidden = true),
	  .none_if_0 = true, MEMBER(struct cells_of, burst.net) },
	{ COLUMN("burst_from", "Burst_begin", UNIT_MOMENT, "When this time began.",
		 .hidden = true),
	  .none_if_0 = true, MEMBER(struct cells_of, from) },
	{ COLUMN("burst_to", "Burst_end", UNIT_MOMENT, "When it ended.", .hidden = true),
	  .none_if_0 = true, MEMBER(struct cells_of, to) },
	{ COLUMN("cache", "Cache", UNIT_NONE, "The cache; +N: and N others of its size."),
	  .fill = cell_cache },
	{ COLUMN("why", "Why they differ", UNIT_NONE, "What may be the difference.",
		 .last = true, .words = true, .drop = 50),
	  .fill = cell_why },
	COLUMNS_END,
};

const struct table_type ledger_slab_type = {
	.name = "ledger",
	.help = "slab objects compared with slabinfo (--ledger)",
	.title = "Slab objects compared with slabinfo",
	.by = "cache",
	.columns = columns,
};

/* Sums over all rows, in objects. */
struct sums {
	uint64_t changed; /* the larger of the changes by events and by slabinfo */
	uint64_t missing; /* the difference between the two */
	uint64_t hidden;  /* the part of @missing that active_objs may hide */
};

static void add_summary(const struct ledger_caches *lc, struct table *t,
			const struct sums *sum)
{
	uint64_t agreed = less(sum->changed, sum->missing);
	uint64_t most = less(sum->changed, sum->missing - sum->hidden);
	const bool lossy = lc->ledger->losses != 0;
	const struct summary_item items[] = {
		{ "objects_changed", "Change of the caches, in objects", UNIT_COUNT,
		  cell_uint(sum->changed), lossy, false, SUMMARY_DETAIL },
		{ "objects_unexplained", "  not explained by events", UNIT_COUNT,
		  cell_uint(sum->missing), lossy, false, SUMMARY_DETAIL },
		{ "objects_hidden", "    may be hidden in slabs held by CPUs", UNIT_COUNT,
		  cell_uint(sum->hidden), lossy, false, SUMMARY_DETAIL },
		{ "explained", "  explained", UNIT_PERCENT,
		  ledger_explained((int64_t)agreed, (int64_t)sum->changed), lossy, false,
		  SUMMARY_DETAIL },
		{ "explained_most", "    at most, as CPUs may hide the rest",
		  UNIT_PERCENT, ledger_explained((int64_t)most, (int64_t)sum->changed),
		  lossy, false, SUMMARY_DETAIL },
		{ "frees_unknown", "Frees of objects of an unknown cache", UNIT_COUNT,
		  cell_uint(lc->nr_unknown), lossy, false, SUMMARY_DETAIL },
		{ "large_net", "Large kmallocs minus their frees (pages, in no cache)",
		  UNIT_COUNT, cell_int((int64_t)lc->large_net), lossy, false,
		  SUMMARY_DETAIL },
		{ "allocs_nameless", "Allocations of an unknown cache", UNIT_COUNT,
		  cell_uint(lc->nameless), lossy, false,
		  lc->nameless ? SUMMARY_DOUBT : SUMMARY_DETAIL },
		{ "nameless_net", "  minus their frees", UNIT_COUNT,
		  cell_int((int64_t)lc->nameless_net), lossy, false,
		  lc->nameless ? SUMMARY_DOUBT : SUMMARY_DETAIL },
	};

	table_set_summary_title(t, "SUMMARY (ledger of slab caches)");
	table_add_summary_items(t, items, ARRAY_SIZE(items));
}

/* --- tasks without events ---------------------------------------------------------------- */

/* May at least a tenth of the row's change be objects that were allocated without an event? */
static bool is_open(const struct cache_row *row)
{
	struct ledger_change c = row_change(row);
	uint64_t missing = row_missing(row);

	return row->nr_caches && missing >= OPEN_LEAST && missing > row->slack &&
	       missing > row->unsure && missing >= row_largest(row) / 10 &&
	       (row->events.again || (c.kernel > c.trace && !row->events.implicit));
}

/* How many caches are named. */
#define OPEN_NAMED 5

/* Names those of the @nr rows that tasks without events may explain, as well as these tasks. Sorts
 * the rows.
 */
static int note_tasks(const struct ledger_caches *lc, const struct cache_row **rows,
		      size_t nr, struct table *t)
{
	const struct ledger *l = lc->ledger;
	struct strbuf __auto_free tasks = { 0 }, caches = { 0 };
	struct ledger_task_sum sum;
	size_t i, nr_open = 0;
	int ret = ledger_tasks_note(&l->tasks, l->env->rec->cmdlines, &sum, &tasks);

	for (i = 0; i < nr; i++)
		if (is_open(rows[i]))
			rows[nr_open++] = rows[i];
	qsort(rows, nr_open, sizeof(const struct cache_row *), missing_compare);
	for (i = 0; i < nr_open && i < OPEN_NAMED; i++)
		strbuf_printf(&caches, "%s%s", i ? ", " : "",
			      cache_row_name(lc, rows[i]));
	if (nr_open > OPEN_NAMED)
		strbuf_printf(&caches, " and %zu more", nr_open - OPEN_NAMED);
	if (!ret && sum.nr && nr_open) {
		table_add_note(
			t, "%s. What %s allocated may be a part of the difference of %s.",
			strbuf_text(&tasks), sum.nr == 1 ? "it" : "they",
			strbuf_text(&caches));
		table_add_summary(t, "tasks_unseen", "Tasks that ran and have no event",
				  UNIT_COUNT, cell_uint(sum.nr), false);
		table_add_summary(t, "tasks_unseen_ns", "  ran together", UNIT_NS,
				  cell_uint(sum.ran_ns), false);
	}
	return caches.failed ? -ENOMEM : ret;
}

/* Adds a note if a cache grew whose objects are freed in batches. */
static void note_batches(const struct ledger_caches *lc, const struct cache_row *row,
			 struct table *t)
{
	struct ledger_change c = row_change(row);
	const char *name = cache_row_name(lc, row);

	table_note_if(
		t, (c.trace > 0 || c.kernel > 0) && reclaimable_late_cache(name),
		"Objects of %s are freed in batches, when many have gathered: until then it grows.",
		name);
}

static int add_table(const struct ledger_caches *lc, struct report *report)
{
	struct table *t = table_plain(report, &ledger_slab_type);
	const struct cache_row **order __auto_mem =
		calloc(lc->rows.nr + 1, sizeof(const struct cache_row *));
	struct sums sum = { 0 };
	size_t i, nr = 0, nr_exact = 0;
	int ret = 0;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < lc->rows.nr; i++) {
		const struct cache_row *row = &lc->rows.of[i];

		if (row->name && (row->events.allocs || row->events.freed ||
				  row->after != row->before))
			order[nr++] = row;
	}
	qsort(order, nr, sizeof(const struct cache_row *), row_compare);
	for (i = 0; i < nr; i++) {
		uint64_t missing = row_missing(order[i]);
		const struct cells_of r = cells_make(lc, order[i]);

		table_put_row(t, &r);
		note_batches(lc, order[i], t);
		nr_exact += order[i]->exact;
		sum.changed += row_largest(order[i]);
		sum.missing += missing;
		sum.hidden += SMALLER(missing, order[i]->slack);
	}
	table_note_if(
		t, nr_exact,
		"%zu of %zu rows use a count of the cache at both ends and the events in between; the others use slabinfo.",
		nr_exact, nr);
	table_note_if(
		t, recording_is_part(lc->ledger->env->rec),
		"Only a part of the system was recorded (selected by task or filter): slabinfo covers all of it, so the difference may be the others'.");
	add_summary(lc, t, &sum);
	/* Losses could be all of a task's events. */
	if (!lc->ledger->losses && !lc->ledger->env->rec->cut_short)
		ret = note_tasks(lc, order, nr, t);
	if (!ret && lc->ledger->steps.curve.nr > 1)
		ledger_step_report(lc, report);
	return ret;
}

/* Does the recording have both snapshots? */
static bool has_slabinfo(const struct recording *rec)
{
	return recording_meta(rec, "slabinfo.before") &&
	       recording_meta(rec, "slabinfo.after");
}

static bool has_vmstat(const struct recording *rec)
{
	return recording_meta(rec, "vmstat.before") &&
	       recording_meta(rec, "vmstat.after");
}

bool ledger_possible(const struct recording *rec)
{
	return has_slabinfo(rec) || has_vmstat(rec);
}

int ledger_report(const struct ledger *l, struct report *report)
{
	struct ledger_caches lc = { .ledger = l };
	int ret = 0;

	if (l->nr_slab && has_slabinfo(l->env->rec))
		ret = ledger_caches_make(&lc) ?: add_table(&lc, report);
	ledger_caches_free(&lc);
	if (!ret && l->nr_page && has_vmstat(l->env->rec))
		ledger_page_report(l, report);
	return ret;
}
