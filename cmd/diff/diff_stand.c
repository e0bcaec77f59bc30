// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: what a comparison is based on.
 * In: the recordings of kmemx diff. Out: banner, facts, and the table of recordings.
 */
#include <math.h>

#include "base/strbuf.h"
#include "cmd/diff/diff.h"
#include "report/json.h"
#include "report/stats.h"
#include "report/text_cell.h"

static bool several(const struct diff *d)
{
	return d->args.paths.nr > 2;
}

static const char *side_of(const struct diff *d, size_t run)
{
	return run < d->args.paths.nr_old ? "old" : "new";
}

/* "old: 20 runs, old/001.dat to old/020.dat: Linux 6.18.4 x86_64, 1.52 s to 1.80 s" */
static void banner_side(struct diff *d, size_t first, size_t end)
{
	const struct study_facts *f = &d->recordings[first].facts;
	uint64_t shortest = UINT64_MAX, longest = 0;
	struct strbuf __auto_free sb = { 0 };
	bool same = true;

	for (size_t i = first; i < end; i++) {
		const struct study_facts *other = &d->recordings[i].facts;

		same &= !strcmp(f->kernel.text, other->kernel.text);
		if (other->has_duration && other->duration_ns < shortest)
			shortest = other->duration_ns;
		if (other->has_duration && other->duration_ns > longest)
			longest = other->duration_ns;
	}
	strbuf_printf(&sb, "%s: %zu run%s, %s", side_of(d, first), end - first,
		      plural(end - first), d->recordings[first].path);
	if (end - first > 1)
		strbuf_printf(&sb, " to %s", d->recordings[end - 1].path);
	strbuf_puts(&sb, ": ");
	if (same)
		strbuf_printf(&sb, "Linux %s %s", f->kernel.text, f->machine.text);
	else
		strbuf_puts(&sb, "several kernels");
	if (longest) {
		strbuf_puts(&sb, ", ");
		text_duration(&sb, shortest, " ");
		if (shortest < longest) {
			strbuf_puts(&sb, " to ");
			text_duration(&sb, longest, " ");
		}
	}
	report_add_banner(d->report, false, "%s", strbuf_text(&sb));
}

/* One line for each recording, or for each side if a side has several; and every line about
 * losses and damage.
 */
static void banner_runs(struct diff *d)
{
	for (size_t i = 0; i < d->args.paths.nr; i++) {
		const struct report *from = d->recordings[i].report;

		if (several(d) && !i)
			banner_side(d, 0, d->args.paths.nr_old);
		if (several(d) && i == d->args.paths.nr_old)
			banner_side(d, i, d->args.paths.nr);
		for (size_t k = 0; k < from->nr_banner; k++) {
			const char *line = from->banner[k];

			if (*line == '!')
				report_add_banner(d->report, true, "%s: %s%s%s",
						  side_of(d, i),
						  several(d) ? d->recordings[i].path : "",
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
	double least = d->recordings[first].divisor, most = least;

	for (size_t i = first; i < end; i++) {
		least = fmin(least, d->recordings[i].divisor);
		most = fmax(most, d->recordings[i].divisor);
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
	struct strbuf __auto_free sb = { 0 };

	switch (c->per) {
	case DIFF_PER_NONE:
		strbuf_puts(&sb, "per: none; the numbers are as recorded");
		break;
	case DIFF_PER_SECOND:
		strbuf_puts(&sb, "per: second; all numbers but peak are divided by");
		break;
	case DIFF_PER_EVENT:
		strbuf_printf(&sb, "per: event %s; all numbers but peak are divided by",
			      c->event);
		break;
	case DIFF_PER_NUMBER:
		strbuf_printf(&sb, "per: all numbers but peak are divided by %.0f",
			      c->number);
		break;
	}
	if (c->per == DIFF_PER_SECOND || c->per == DIFF_PER_EVENT) {
		divisors(d, 0, d->args.paths.nr_old, &sb);
		strbuf_puts(&sb, " |");
		divisors(d, d->args.paths.nr_old, d->args.paths.nr, &sb);
	}
	report_add_banner(d->report, false, "%s", strbuf_text(&sb));
}

static void banner_runs_tell(struct diff *d)
{
	size_t nr_old = d->args.paths.nr_old, nr_new = d->args.paths.nr - nr_old;

	if (!several(d))
		return;
	if (!diff_can_tell(&d->sides)) {
		report_add_banner(
			d->report, false,
			"runs: %zu and %zu: medians; with fewer than %d per side a difference may be chance (?)",
			nr_old, nr_new, DIFF_RUNS_TO_TELL);
		return;
	}
	report_add_banner(
		d->report, false,
		"runs: %zu and %zu: medians, +/- the largest deviation of a run; ~ not significant: q > %.2g (Mann-Whitney U test)",
		nr_old, nr_new, d->args.diff.alpha);
	report_add_banner(
		d->report, false,
		"q is p corrected for the number of rows in its table (Benjamini-Hochberg); smallest attainable p: %.2g",
		mann_whitney_smallest(nr_old, nr_new));
}

/* Appends the sum "total_METRIC_PART" of the main metric. */
static void put_total(const struct diff *d, const struct table *t, const char *part,
		      struct strbuf *sb)
{
	const struct diff_options *o = &d->args.diff;
	char name[64];

	snprintf(name, sizeof(name), "total_%s_%s", diff_args_main(&d->args), part);
	text_cell(sb, table_sum(t, name), o->metrics[o->shown[0]].unit, true, " ");
}

/* Says which runs are compared, and whether the difference can be chance. */
static void put_certainty(const struct diff *d, const struct table *t, struct strbuf *sb)
{
	const struct study_facts *old = &d->recordings[0].facts;
	const struct study_facts *new = &d->recordings[d->args.paths.nr_old].facts;

	if (diff_can_tell(&d->sides)) {
		strbuf_puts(sb, ", medians; of ");
		text_cell(sb, table_sum(t, "rows_tested"), UNIT_COUNT, false, "");
		strbuf_puts(sb, " rows tested, ");
		text_cell(sb, table_sum(t, "rows_significant"), UNIT_COUNT, false, "");
		strbuf_puts(sb, " differ by more than chance");
	} else if (several(d)) {
		strbuf_printf(sb, ", medians, not tested: fewer than %d runs per side",
			      DIFF_RUNS_TO_TELL);
	} else {
		strbuf_puts(sb, ", not tested: one run each");
		if (old->has_duration && new->has_duration) {
			strbuf_puts(sb, "; recorded ");
			text_duration(sb, old->duration_ns, " ");
			strbuf_puts(sb, " and ");
			text_duration(sb, new->duration_ns, " ");
		}
	}
}

void diff_verdict(const struct diff *d, struct table *t)
{
	const char *metric = diff_args_main(&d->args);
	struct strbuf __auto_free sb = { 0 };
	char pct[64];

	strbuf_printf(&sb, "%s, %s: ", t->name, metric);
	put_total(d, t, "old", &sb);
	strbuf_puts(&sb, " -> ");
	put_total(d, t, "new", &sb);
	snprintf(pct, sizeof(pct), "total_%s_pct", metric);
	if (table_sum(t, pct)->type != CELL_NONE)
		strbuf_printf(&sb, " (%+.1f %%)", cell_as_real(table_sum(t, pct)));
	put_certainty(d, t, &sb);
	table_add_note(t, "%s", strbuf_text(&sb));
	t->failed |= sb.failed;
}

static void add_facts(struct diff *d)
{
	const struct diff_choice *c = &d->args.choice;
	static const char *const pers[] = { "none", "second", "event", "number" };
	struct report *r = d->report;

	r->subject = "comparison";
	report_add_fact(r, "runs_old", cell_uint(d->args.paths.nr_old));
	report_add_fact(r, "runs_new",
			cell_uint(d->args.paths.nr - d->args.paths.nr_old));
	report_add_text_fact(r, "per", pers[c->per]);
	report_add_text_fact(r, "per_event", c->event);
	report_add_text_fact(r, "main", diff_args_main(&d->args));
	report_add_text_fact(r, "test",
			     diff_can_tell(&d->sides) ? "mann-whitney-u" : NULL);
	report_add_text_fact(r, "correction",
			     diff_can_tell(&d->sides) ? "benjamini-hochberg" : NULL);
	report_add_fact(r, "alpha",
			diff_can_tell(&d->sides) ? cell_real(d->args.diff.alpha)
						 : (struct cell){ 0 });
}

void diff_stand(struct diff *d)
{
	add_facts(d);
	banner_runs(d);
	filter_words_banner(&d->args.choice.words, false, d->report);
	if (!d->args.kernels)
		banner_per(d);
	banner_runs_tell(d);
}

static struct cell text_or_none(struct table *t, const char *s)
{
	return cell_text(t, *s ? s : NULL);
}

struct table *diff_recordings_table(const struct diff *d)
{
	struct table *t = table_new("recordings", NULL);

	if (!t)
		return NULL;
	t->hidden = true;
	TABLE_COLUMNS(t, { .name = "side" }, { .name = "file" }, { .name = "kernel" },
		      { .name = "machine" }, { .name = "nr_cpus", .unit = UNIT_COUNT },
		      { .name = "duration_ns", .unit = UNIT_NS },
		      { .name = "nr_events", .unit = UNIT_COUNT },
		      { .name = "lost", .unit = UNIT_COUNT },
		      { .name = "gaps", .unit = UNIT_COUNT },
		      { .name = "unknown_gaps", .unit = UNIT_COUNT },
		      { .name = "dropped", .unit = UNIT_COUNT }, { .name = "truncated" },
		      { .name = "missing", .unit = UNIT_COUNT }, { .name = "divisor" },
		      { .name = "scale", .unit = UNIT_COUNT });
	for (size_t i = 0; i < d->args.paths.nr; i++) {
		const struct diff_recording *run = &d->recordings[i];
		const struct study_facts *f = &run->facts;

		TABLE_ROW(t, cell_text(t, side_of(d, i)), cell_text(t, run->path),
			  text_or_none(t, f->kernel.text),
			  text_or_none(t, f->machine.text), cell_uint(f->nr_cpus),
			  f->has_duration ? cell_uint(f->duration_ns)
					  : (struct cell){ .type = CELL_NONE },
			  cell_uint(f->nr_events), cell_uint(f->nr_lost),
			  cell_uint(f->nr_gaps), cell_uint(f->nr_unknown_gaps),
			  cell_uint(f->nr_dropped), text_or_none(t, f->truncated),
			  cell_uint(f->nr_missing), cell_real(run->divisor),
			  f->estimated ? cell_uint(f->sample.one_in)
				       : (struct cell){ .type = CELL_NONE });
	}
	return t;
}
