// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx diff.
 * In: old and new recordings. Out: what changed between them, and whether rules were kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "command.h"
#include "diff_load.h"
#include "diff_options.h"
#include "message.h"
#include "report/diff.h"
#include "report/gate.h"
#include "report/json.h"
#include "report/stats.h"
#include "report/text_cell.h"

/* What run_diff() gathers. */
struct diff {
	struct diff_args args;
	struct diff_recording *runs;
	struct diff_run *sides; /* of the table being compared */
	struct report *report;
	struct gate_result gate;
};

static const char command_name[] = "diff";

static int no_memory(void)
{
	message_error(command_name, "%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

static bool several(const struct diff *d)
{
	return d->args.paths.nr > 2;
}

/* Are there runs enough on both sides? */
static bool can_tell(const struct diff *d)
{
	const struct diff_paths *p = &d->args.paths;

	return p->nr_old >= DIFF_RUNS_TO_TELL && p->nr - p->nr_old >= DIFF_RUNS_TO_TELL;
}

static int load_all(struct diff *d)
{
	const struct diff_paths *paths = &d->args.paths;
	size_t i;
	int ret = -1;

	d->runs = calloc(paths->nr, sizeof(*d->runs));
	d->sides = calloc(paths->nr, sizeof(*d->sides));
	d->report = report_new();
	if (!d->runs || !d->sides || !d->report)
		return no_memory();
	for (i = 0; i < paths->nr && ret < 0; i++)
		ret = diff_load(&d->runs[i], paths->items[i], &d->args.choice);
	return ret;
}

/* --- what the comparison stands on ------------------------------------------------------- */

static const char *side_of(const struct diff *d, size_t run)
{
	return run < d->args.paths.nr_old ? "old" : "new";
}

/* "old: 20 runs, old/001.dat to old/020.dat: Linux 6.18.4 x86_64, 1.52 s to 1.80 s" */
static void banner_side(struct diff *d, size_t first, size_t end)
{
	const struct facts *f = &d->runs[first].facts;
	uint64_t shortest = UINT64_MAX, longest = 0;
	struct strbuf sb = { 0 };
	bool same = true;
	size_t i;

	for (i = first; i < end; i++) {
		const struct facts *other = &d->runs[i].facts;

		same &= !strcmp(f->kernel, other->kernel);
		if (other->has_duration && other->duration_ns < shortest)
			shortest = other->duration_ns;
		if (other->has_duration && other->duration_ns > longest)
			longest = other->duration_ns;
	}
	strbuf_printf(&sb, "%s: %zu runs, %s to %s: ", side_of(d, first), end - first,
		      d->runs[first].path, d->runs[end - 1].path);
	if (same)
		strbuf_printf(&sb, "Linux %s %s", f->kernel, f->machine);
	else
		strbuf_puts(&sb, "several kernels");
	if (longest) {
		strbuf_puts(&sb, ", ");
		text_duration(&sb, shortest, " ");
		strbuf_puts(&sb, " to ");
		text_duration(&sb, longest, " ");
	}
	report_add_banner(d->report, false, "%s", strbuf_text(&sb));
	strbuf_free(&sb);
}

/* With one recording a side each has its line, with several each side; and every line of
 * losses and damage.
 */
static void banner_runs(struct diff *d)
{
	size_t i, k;

	for (i = 0; i < d->args.paths.nr; i++) {
		const struct report *from = d->runs[i].report;

		if (several(d) && !i)
			banner_side(d, 0, d->args.paths.nr_old);
		if (several(d) && i == d->args.paths.nr_old)
			banner_side(d, i, d->args.paths.nr);
		for (k = 0; k < from->nr_banner; k++) {
			const char *line = from->banner[k];

			if (*line == '!')
				report_add_banner(d->report, true, "%s: %s%s%s",
						  side_of(d, i),
						  several(d) ? d->runs[i].path : "",
						  several(d) ? ": " : "", line + 1);
			else if (!several(d))
				report_add_banner(d->report, false, "%s: %s",
						  side_of(d, i), line);
		}
	}
}

/* " 3.21", or " 3.21 to 3.5" over several runs. */
static void divisors(const struct diff *d, size_t first, size_t end, struct strbuf *sb)
{
	double least = d->runs[first].divisor, most = least;
	size_t i;

	for (i = first; i < end; i++) {
		least = fmin(least, d->runs[i].divisor);
		most = fmax(most, d->runs[i].divisor);
	}
	strbuf_puts(sb, " ");
	real_format(sb, least);
	if (end - first > 1) {
		strbuf_puts(sb, " to ");
		real_format(sb, most);
	}
}

static void banner_per(struct diff *d)
{
	const struct diff_choice *c = &d->args.choice;
	struct strbuf sb = { 0 };

	switch (c->per) {
	case DIFF_PER_NONE:
		strbuf_puts(&sb, "per: none, the numbers are as recorded");
		break;
	case DIFF_PER_SECOND:
		strbuf_puts(&sb, "per: second, the numbers (not peak) are divided by");
		break;
	case DIFF_PER_EVENT:
		strbuf_printf(&sb, "per: event %s, the numbers (not peak) are divided by",
			      c->event);
		break;
	case DIFF_PER_NUMBER:
		strbuf_printf(&sb, "per: the numbers (not peak) are divided by %.0f",
			      c->number);
		break;
	}
	if (c->per == DIFF_PER_SECOND || c->per == DIFF_PER_EVENT) {
		divisors(d, 0, d->args.paths.nr_old, &sb);
		strbuf_puts(&sb, " |");
		divisors(d, d->args.paths.nr_old, d->args.paths.nr, &sb);
	}
	report_add_banner(d->report, false, "%s", strbuf_text(&sb));
	strbuf_free(&sb);
}

static void banner_runs_tell(struct diff *d)
{
	size_t nr_old = d->args.paths.nr_old, nr_new = d->args.paths.nr - nr_old;

	if (!several(d))
		return;
	if (!can_tell(d)) {
		report_add_banner(
			d->report, false,
			"runs: %zu and %zu: medians; fewer than %d a side cannot tell a difference from chance (?)",
			nr_old, nr_new, DIFF_RUNS_TO_TELL);
		return;
	}
	report_add_banner(
		d->report, false,
		"runs: %zu and %zu: medians, +/- the run farthest from it; ~ not significant: q of a Mann-Whitney U test over %.2g",
		nr_old, nr_new, d->args.diff.alpha);
	report_add_banner(
		d->report, false,
		"q is p corrected for the number of rows in its table (Benjamini-Hochberg); these runs give p = %.2g at the least",
		mann_whitney_smallest(nr_old, nr_new));
}

static void add_facts(struct diff *d)
{
	const struct diff_choice *c = &d->args.choice;
	static const char *const pers[] = { "none", "second", "event", "number" };
	struct report *r = d->report;
	const struct cell none = { .type = CELL_NONE };

	r->subject = "comparison";
	report_add_fact(r, "runs_old", NULL, cell_uint(d->args.paths.nr_old));
	report_add_fact(r, "runs_new", NULL,
			cell_uint(d->args.paths.nr - d->args.paths.nr_old));
	report_add_fact(r, "per", NULL,
			(struct cell){ .type = CELL_TEXT, .s = pers[c->per] });
	report_add_fact(r, "per_event", NULL,
			c->event ? (struct cell){ .type = CELL_TEXT, .s = c->event }
				 : none);
	report_add_fact(r, "main", NULL,
			(struct cell){ .type = CELL_TEXT,
				       .s = diff_metrics[d->args.diff.shown[0]].name });
	report_add_fact(
		r, "test", NULL,
		can_tell(d) ? (struct cell){ .type = CELL_TEXT, .s = "mann-whitney-u" }
			    : none);
	report_add_fact(r, "correction", NULL,
			can_tell(d) ? (struct cell){ .type = CELL_TEXT,
						     .s = "benjamini-hochberg" }
				    : none);
	report_add_fact(r, "alpha", NULL,
			can_tell(d) ? cell_real(d->args.diff.alpha) : none);
}

static struct cell text_or_none(struct table *t, const char *s)
{
	return s && *s ? cell_text(t, s) : (struct cell){ .type = CELL_NONE };
}

/* The recordings as a table, for machines: the banner says it to people. */
static struct table *recordings_table(const struct diff *d)
{
	const struct column columns[] = {
		{ .name = "side" },
		{ .name = "file" },
		{ .name = "kernel" },
		{ .name = "machine" },
		{ .name = "nr_cpus", .unit = UNIT_COUNT },
		{ .name = "duration_ns", .unit = UNIT_NS },
		{ .name = "nr_events", .unit = UNIT_COUNT },
		{ .name = "lost", .unit = UNIT_COUNT },
		{ .name = "gaps", .unit = UNIT_COUNT },
		{ .name = "unknown_gaps", .unit = UNIT_COUNT },
		{ .name = "dropped", .unit = UNIT_COUNT },
		{ .name = "divisor" },
	};
	struct table *t = table_new("recordings", NULL);
	size_t i;

	for (i = 0; t && i < ARRAY_SIZE(columns); i++)
		table_add_column(t, &columns[i]);
	for (i = 0; t && i < d->args.paths.nr; i++) {
		const struct diff_recording *run = &d->runs[i];
		const struct facts *f = &run->facts;
		struct cell *row = table_add_row(t);

		if (!row)
			break;
		row[0] = cell_text(t, i < d->args.paths.nr_old ? "old" : "new");
		row[1] = cell_text(t, run->path);
		row[2] = text_or_none(t, f->kernel);
		row[3] = text_or_none(t, f->machine);
		row[4] = cell_uint(f->nr_cpus);
		if (f->has_duration)
			row[5] = cell_uint(f->duration_ns);
		row[6] = cell_uint(f->nr_events);
		row[7] = cell_uint(f->nr_lost);
		row[8] = cell_uint(f->nr_gaps);
		row[9] = cell_uint(f->nr_unknown_gaps);
		row[10] = cell_uint(f->nr_dropped);
		row[11] = cell_real(run->divisor);
	}
	if (t)
		t->hidden = true;
	return t;
}

/* --- the tables -------------------------------------------------------------------------- */

static const struct table *find_table(const struct report *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->nr_tables; i++) {
		if (!strcmp(r->tables[i]->name, name))
			return r->tables[i];
	}
	return NULL;
}

/* All runs' tables of that name; false if one has none. */
static bool gather(struct diff *d, const char *name, struct diff_sides *sides)
{
	size_t i;

	for (i = 0; i < d->args.paths.nr; i++) {
		d->sides[i] = (struct diff_run){ find_table(d->runs[i].report, name),
						 d->runs[i].divisor,
						 diff_recording_lost(&d->runs[i]) };
		if (!d->sides[i].table)
			return false;
	}
	*sides = (struct diff_sides){ d->sides, d->args.paths.nr_old, d->args.paths.nr };
	return true;
}

static int failed(int err)
{
	message_error(command_name, "cannot compare: %s", strerror(-err));
	return EXIT_FAILED;
}

static int add_matrix(struct diff *d)
{
	struct diff_sides sides;
	struct table *t;
	int err;

	if (!gather(d, "page_matrix", &sides))
		return -1;
	err = diff_matrices(&sides, &t);
	if (err)
		return failed(err);
	table_add_note(t, "Changes of the number of allocations (medians).");
	report_add_table(d->report, t);
	return -1;
}

static void headline(struct diff *d, const struct table *t)
{
	struct strbuf sb = { 0 };

	diff_headline(t, &sb);
	report_add_banner(d->report, false, "%s, %s: %s", t->name,
			  diff_metrics[d->args.diff.shown[0]].name, strbuf_text(&sb));
	strbuf_free(&sb);
}

static int add_table(struct diff *d, const char *name)
{
	struct diff_sides sides;
	struct strbuf title = { 0 };
	struct table *t;
	int err;

	if (!gather(d, name, &sides))
		return -1;
	err = diff_tables(&sides, &d->args.diff, &t);
	if (err)
		return failed(err);
	headline(d, t);
	strbuf_printf(&title, "%s by %s", t->title, t->by);
	free(t->title);
	t->title = strbuf_detach(&title);
	t->failed |= !t->title;
	report_add_table(d->report, t);
	err = table_sort(t, d->args.keys.keys, d->args.keys.nr);
	if (err)
		return failed(err);
	table_limit(t, d->args.lines);
	return -1;
}

/* Never a table of zeros: what a recording does not hold is not compared. */
static int check_kinds(struct diff *d)
{
	struct diff_args *a = &d->args;
	bool slab = a->slab, page = a->page;
	size_t i;

	for (i = 0; i < a->paths.nr; i++) {
		if (a->slab && slab && !d->runs[i].has_slab) {
			report_add_banner(d->report, true,
					  "%s holds no slab events: slab is not compared",
					  d->runs[i].path);
			slab = false;
		}
		if (a->page && page && !d->runs[i].has_page) {
			report_add_banner(d->report, true,
					  "%s holds no page events: page is not compared",
					  d->runs[i].path);
			page = false;
		}
	}
	a->slab = slab;
	a->page = page;
	if (slab || page)
		return -1;
	message_error(
		command_name,
		"there are no events that all recordings hold and that were asked for.\n  What a recording holds: kmemx info FILE");
	return EXIT_FAILED;
}

static int add_tables(struct diff *d)
{
	const struct diff_args *a = &d->args;
	int ret = -1;

	if (a->slab && a->caller)
		ret = add_table(d, "slab");
	if (ret < 0 && a->slab && a->cache)
		ret = add_table(d, "slab_cache");
	if (ret < 0 && a->page && a->caller)
		ret = add_table(d, "page");
	if (ret < 0 && a->page && a->order)
		ret = add_matrix(d);
	return ret;
}

/* --- the gate ---------------------------------------------------------------------------- */

static const char *const row_tables[] = { "slab", "slab_cache", "page" };

/* The rules look at all rows, whatever is shown. */
static int check_gate(struct diff *d)
{
	struct table *tables[ARRAY_SIZE(row_tables)];
	struct diff_options all = d->args.diff;
	size_t nr = 0, i;
	int err = 0;

	if (!d->args.rules.nr)
		return -1;
	all.all = true;
	for (i = 0; i < ARRAY_SIZE(row_tables) && !err; i++) {
		struct diff_sides sides;

		if (!(i < 2 ? d->args.slab : d->args.page) ||
		    !gather(d, row_tables[i], &sides))
			continue;
		err = diff_tables(&sides, &all, &tables[nr]);
		nr += !err;
	}
	if (!err)
		err = gate_check(&d->args.rules, tables, nr, all.alpha, &d->gate);
	while (nr)
		table_free(tables[--nr]);
	if (err)
		return failed(err);
	report_add_banner(d->report, d->gate.nr_broken != 0,
			  "gate: %s: rules broken: %zu of %zu",
			  d->gate.nr_broken ? "BROKEN" : "holds", d->gate.nr_broken,
			  d->args.rules.nr);
	if (d->gate.nr_noise)
		report_add_banner(
			d->report, false,
			"gate: %" PRIu64
			" rows are past a limit, but not significantly: they break nothing",
			d->gate.nr_noise);
	report_add_fact(d->report, "rules", NULL, cell_uint(d->args.rules.nr));
	report_add_fact(d->report, "rules_broken", NULL, cell_uint(d->gate.nr_broken));
	d->gate.broken->hidden = !d->gate.broken->nr_rows && !d->gate.broken->nr_notes;
	report_add_table(d->report, d->gate.broken);
	d->gate.broken = NULL;
	return -1;
}

/* What the result is worth. Losses come first: with too many of them neither a broken rule
 * nor one that holds says anything. The rest is said once more where a script's log has it.
 */
static int verdict(const struct diff *d)
{
	size_t i;

	for (i = 0; i < d->args.paths.nr; i++) {
		if (lost_limit_check(&d->args.max_lost, &d->runs[i].facts, command_name,
				     EXIT_OK) != EXIT_OK)
			return EXIT_UNTRUSTED;
	}
	if (d->gate.nr_unchecked) {
		message_error(
			command_name,
			"%zu of %zu rules could not be checked: the report says which.",
			d->gate.nr_unchecked, d->args.rules.nr);
		return EXIT_USAGE;
	}
	if (d->gate.nr_broken) {
		message_error(command_name, "rules broken: %zu of %zu.",
			      d->gate.nr_broken, d->args.rules.nr);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int show(struct diff *d)
{
	int ret;

	add_facts(d);
	banner_runs(d);
	banner_per(d);
	banner_runs_tell(d);
	ret = check_kinds(d);
	if (ret < 0)
		ret = add_tables(d);
	if (ret < 0)
		ret = check_gate(d);
	if (ret >= 0)
		return ret;
	report_add_table(d->report, recordings_table(d));
	if (!report_ok(d->report))
		return no_memory();
	ret = output_report(&d->args.output, command_name, d->report, render_text);
	return ret == EXIT_OK ? verdict(d) : ret;
}

static int run_diff(int argc, char **argv)
{
	struct diff d = { 0 };
	int ret = diff_args_parse(&d.args, argc, argv);
	size_t i;

	if (ret < 0)
		ret = load_all(&d);
	if (ret < 0)
		ret = show(&d);
	for (i = 0; d.runs && i < d.args.paths.nr; i++)
		diff_recording_free(&d.runs[i]);
	free(d.runs);
	free(d.sides);
	table_free(d.gate.broken);
	report_free(d.report);
	diff_args_free(&d.args);
	return ret;
}

const struct command command_diff = {
	.name = "diff",
	.purpose = "compare recordings, and fail on what must not grow",
	.run = run_diff,
};
