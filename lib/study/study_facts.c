// SPDX-License-Identifier: GPL-2.0-or-later
#include "study/study_facts.h"

#include "analysis/bounds/bounds.h"
#include "base/keyed.h"
#include "report/text_cell.h"

/* Bytes of a command line in a banner. */
#define COMMAND_SHOWN 120

/* Where, when and how it was recorded, and the first of an import's notes. */
static void init_recorder(struct study_facts *f, const struct recording *rec)
{
	const char *start = recording_meta_text(rec, RECORDING_META_WALL_CLOCK);
	const char *notes = recording_meta_text(rec, RECORDING_META_IMPORT);

	f->command = recording_meta_text(rec, RECORDING_META_CMDLINE);
	if (strlen(start) == sizeof("2026-11-22T21:45:00Z") - 1)
		snprintf(f->started, sizeof(f->started), "%s", start);
	f->host = recording_host(rec);
	snprintf(f->imported, sizeof(f->imported), "%.*s", (int)strcspn(notes, "\n"),
		 notes);
}

/* The time for computing rates. */
static void init_duration(struct study_facts *f, const struct recording *rec,
			  uint32_t buffer, const struct window *w)
{
	uint64_t first = f->first_ts, last = f->last_ts, start, stop;
	bool known = f->nr_events > f->nr_impossible;

	f->span = "events";
	if (w->time) {
		f->span = "window";
		first = w->first_ts;
		last = w->last_ts;
	}
	if (!recording_span(rec, &start, &stop)) {
		if (!w->time)
			f->span = "recorded";
		/* CPUs' clocks differ, and the kernel rounds to microseconds. */
		first = known && first < start ? first : start;
		last = known && last > stop ? last : stop;
		known = true;
	}
	/* The callchain of a part's last event may be slightly later than the part's end. */
	if (recording_part(rec, &start, &stop)) {
		first = LARGER(first, start);
		last = SMALLER(last, stop);
	}
	if (w->time) {
		first = LARGER(first, w->start_ts);
		last = SMALLER(last, w->stop_ts);
	}
	f->has_duration =
		known && last >= first &&
		!recording_ticks_to_ns(rec, buffer, last - first, &f->duration_ns);
}

static void init_truncated(struct study_facts *f, const struct recording *rec)
{
	if (!rec->cut_short)
		return;
	snprintf(f->truncated, sizeof(f->truncated), "%.*s",
		 (int)strcspn(rec->cut_short, "\n"), rec->cut_short);
	for (size_t i = 0; i < rec->nr_cpustats && recording_truncated(rec); i++)
		f->nr_missing += rec->cpustats[i].entries;
}

void study_facts_init(struct study_facts *f, const struct study *study, uint32_t buffer)
{
	const struct event_stream_stats *s = event_stream_stats(study->stream);
	const struct recording *rec = study->rec;

	*f = (struct study_facts){
		.path = rec->path,
		.kernel = recording_release(rec),
		.machine = recording_machine(rec),
		.big_endian = rec->big_endian,
		.long_size = rec->layout.long_size,
		.page_size = rec->page_size,
		.kernel_page_size = recording_kernel_page_size(rec),
		.nr_cpus = rec->nr_cpus,
		.clock = recording_clock(rec, buffer),
		.first_ts = s->first_ts,
		.last_ts = s->last_ts,
		.nr_events = s->nr_events,
		.nr_undecodable = s->nr_undecodable,
		.nr_pages = s->nr_pages,
		.nr_bad_pages = s->nr_bad_pages,
		.nr_stacks_unclaimed = s->nr_stacks_unclaimed,
		.nr_backwards = s->nr_backwards,
		.nr_impossible = s->nr_impossible,
		.nr_damaged = rec->nr_damaged,
		.part = recording_is_part(rec),
		.lacks_frees = recording_lacks_frees(rec),
	};
	f->sample_unknown = sample_of(&f->sample, rec) == -EINVAL;
	f->sample_rule = recording_meta_text(rec, RECORDING_META_SAMPLE);
	f->stack_sample = recording_meta_text(rec, RECORDING_META_STACK_SAMPLE);
	if (study->guess && stack_guess_any(study->guess))
		f->guess = study->guess;
	init_recorder(f, rec);
	init_duration(f, rec, buffer, &study->window);
	f->flight_what = recording_meta_text(rec, RECORDING_META_FLIGHT_WHAT);
	if (recording_flight(rec))
		snprintf(f->flight, sizeof(f->flight), "%s", recording_flight(rec));
	init_truncated(f, rec);
	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		f->nr_gaps += s->cpus[i].nr_gaps;
		f->nr_lost += s->cpus[i].nr_lost;
		f->nr_unknown_gaps += s->cpus[i].nr_unknown;
	}
	f->nr_dropped = bounds_dropped(rec, s);
}

const char *study_facts_span_text(const struct study_facts *f)
{
	return strcmp(f->span, "events") ? "" : " from first to last event";
}

bool study_facts_unreadable(const struct study_facts *f)
{
	uint64_t bad_events = f->nr_undecodable + f->nr_impossible;

	if (!f->nr_events)
		return f->nr_bad_pages || f->nr_damaged;
	/* Events of new kernels' formats are undecodable too, but only damage counts here. */
	return f->nr_bad_pages > f->nr_pages / 2 ||
	       ((f->nr_bad_pages || f->nr_impossible) && bad_events > f->nr_events / 2);
}

void study_facts_lost_text(const struct study_facts *f, struct strbuf *sb)
{
	const char *gaps = f->nr_gaps == 1 ? "gap" : "gaps";

	if (!f->nr_gaps)
		strbuf_puts(sb, *f->truncated ? "an unknown number of events at the end"
					      : "none");
	else if (f->nr_unknown_gaps == f->nr_gaps)
		strbuf_printf(sb, "an unknown number of events in %" PRIu64 " %s",
			      f->nr_gaps, gaps);
	else
		strbuf_printf(sb, "%s%" PRIu64 " event%s in %" PRIu64 " %s",
			      f->nr_unknown_gaps ? "at least " : "", f->nr_lost,
			      plural(f->nr_lost), f->nr_gaps, gaps);
}

/* "CPU 1", "CPUs 0, 3", or their number if there are many. */
static void lossy_cpus(const struct event_stream_stats *s, struct strbuf *sb)
{
	struct strbuf __auto_free list = { 0 };
	uint32_t i, nr = 0;

	for (i = 0; i < s->nr_cpus; i++) {
		if (!s->cpus[i].nr_gaps)
			continue;
		if (nr++ < 8)
			strbuf_printf(&list, "%s%u", nr > 1 ? ", " : "", s->cpus[i].cpu);
	}
	if (nr > 8)
		strbuf_printf(sb, "%u CPUs", nr);
	else
		strbuf_printf(sb, "CPU%s %s", nr > 1 ? "s" : "", strbuf_text(&list));
}

static void banner_first_line(const struct study_facts *f, struct report *report)
{
	struct strbuf __auto_free sb = { 0 };

	strbuf_printf(&sb, "%s: ", f->path);
	if (*f->kernel.text)
		strbuf_printf(&sb, "Linux %s%s%s, ", f->kernel.text,
			      *f->machine.text ? " " : "", f->machine.text);
	else
		strbuf_puts(&sb, "unknown kernel, ");
	strbuf_printf(&sb, "%u CPU%s, ", f->nr_cpus, plural(f->nr_cpus));
	if (f->has_duration) {
		text_duration(&sb, f->duration_ns, " ");
		strbuf_puts(&sb, study_facts_span_text(f));
		strbuf_puts(&sb, ", ");
	}
	strbuf_printf(&sb, "%" PRIu64 " event%s, ", f->nr_events, plural(f->nr_events));
	strbuf_puts(&sb, f->nr_gaps || f->nr_dropped || *f->truncated ? "events lost"
								      : "none lost");
	report_add_banner(report, false, "%s", strbuf_text(&sb));
}

/* Where, when and how it was recorded, as far as the file says. */
static void banner_recorder(const struct study_facts *f, struct report *report)
{
	size_t size = strcspn(f->command, "\n");
	struct strbuf __auto_free sb = { 0 };

	if (!size)
		return;
	strbuf_puts(&sb, f->part ? "Part of the system" : "The whole system");
	if (*f->host.text)
		strbuf_printf(&sb, ", on %s", f->host.text);
	if (*f->started)
		strbuf_printf(&sb, ", %.10s %.8s UTC", f->started, f->started + 11);
	strbuf_printf(&sb, ": %.*s%s", (int)(size < COMMAND_SHOWN ? size : COMMAND_SHOWN),
		      f->command, size < COMMAND_SHOWN ? "" : " ... (kmemx info)");
	report_add_banner(report, false, "%s", strbuf_text(&sb));
}

static void banner_truncated(const struct study_facts *f, struct report *report)
{
	struct strbuf __auto_free missing = { 0 };

	if (f->nr_missing)
		strbuf_printf(&missing, " (%" PRIu64 " were still in the ring buffers)",
			      f->nr_missing);
	report_add_banner(
		report, true,
		"CUT SHORT: %s: the last events%s and everything after them are missing",
		f->truncated, strbuf_text(&missing));
}

static void banner_sample(const struct study_facts *f, struct report *report)
{
	if (f->sample_unknown)
		report_add_banner(
			report, true,
			"SAMPLE of an unknown part of all objects and pages: figures are those of the sample");
	else if (f->sample.one_in && f->estimated)
		report_add_banner(
			report, true,
			"SAMPLE of one in %u objects and pages, and all large ones: figures are estimates for all, with 95 %% confidence intervals; callsites that are not in the sample have no row (--unscaled: figures of the sample)",
			f->sample.one_in);
	else if (f->sample.one_in)
		report_add_banner(
			report, true,
			"SAMPLE of one in %u objects and pages, and all large ones: figures are those of the sample",
			f->sample.one_in);
}

/* Reports the shares in bytes, as reports are about bytes. */
static void banner_stacks(const struct study_facts *f, struct report *report)
{
	const struct stack_guess *g = f->guess;
	double all;

	if (!g)
		return;
	all = (double)g->known.bytes + (double)g->guessed.bytes + (double)g->none.bytes;
	if (all > 0)
		report_add_banner(
			report, true,
			"CALLCHAINS of one slab object in %u were recorded: %.1f %% of slab bytes have their own, %.1f %% got that of a similar object, %.1f %% have none",
			g->rule.one_in, 100 * (double)g->known.bytes / all,
			100 * (double)g->guessed.bytes / all,
			100 * (double)g->none.bytes / all);
}

static void banner_dirs(const struct directories *dirs, struct report *report)
{
	const struct directory_counts c = directories_counts(dirs);

	if (!c.all)
		return;
	if (c.unknown || c.ambiguous)
		report_add_banner(
			report, false,
			"directories: of %zu function%s, %zu without one: %s; %zu may be of several: %s",
			c.all, plural(c.all), c.unknown, DIRECTORY_UNKNOWN, c.ambiguous,
			DIRECTORY_AMBIGUOUS);
	else
		report_add_banner(report, false,
				  "directories: of %zu function%s, all are known", c.all,
				  plural(c.all));
}

static void banner_losses(const struct study_facts *f, const struct study *s,
			  struct report *report)
{
	struct strbuf __auto_free lost = { 0 }, cpus = { 0 };

	if (*f->truncated)
		banner_truncated(f, report);
	if (f->nr_gaps) {
		study_facts_lost_text(f, &lost);
		lossy_cpus(event_stream_stats(s->stream), &cpus);
		report_add_banner(
			report, true,
			"LOST %s (%s): totals are at least what is shown; net figures are ranges",
			strbuf_text(&lost), strbuf_text(&cpus));
	}
	report_banner_if(
		report, f->nr_dropped, true,
		"LOST %" PRIu64
		" %sevents according to the ring buffer's statistics: totals are at least what is shown",
		f->nr_dropped, f->nr_gaps ? "more " : "");
}

static void banner_damage(const struct study_facts *f, struct report *report)
{
	report_banner_if(report, f->nr_damaged, true,
			 "DAMAGED %" PRIu64
			 " part%s of the file's description (see the warnings)",
			 f->nr_damaged, plural(f->nr_damaged));
	report_banner_if(
		report, f->nr_bad_pages, true,
		"DAMAGED %" PRIu64
		" page%s or chunk%s of the file, in part or whole: their events are missing",
		f->nr_bad_pages, plural(f->nr_bad_pages), plural(f->nr_bad_pages));
	report_banner_if(report, f->nr_undecodable, true,
			 "SKIPPED %" PRIu64 " record%s no event format",
			 f->nr_undecodable,
			 f->nr_undecodable == 1 ? " that matches" : "s that match");
	report_banner_if(report, f->nr_stacks_unclaimed, false,
			 "%" PRIu64 " callchain%s no event in the file",
			 f->nr_stacks_unclaimed,
			 f->nr_stacks_unclaimed == 1 ? " belongs to" : "s belong to");
	report_banner_if(report, f->nr_backwards, true,
			 "The clock ran backwards %" PRIu64
			 " time%s: the order of events is uncertain",
			 f->nr_backwards, plural(f->nr_backwards));
	report_banner_if(report, f->nr_impossible, true,
			 "%" PRIu64 " event%s (damage): the time span ignores %s",
			 f->nr_impossible,
			 f->nr_impossible == 1 ? " has an impossible time"
					       : "s have impossible times",
			 f->nr_impossible == 1 ? "it" : "them");
}

/* Reports debug information that was found rather than named by the user. */
static void banner_debug(const struct study *s, struct report *report)
{
	report_banner_if(report, s->found.vmlinux && (s->lines || s->dirs), false,
			 "debug information: %s", s->found.vmlinux);
	report_banner_if(
		report, s->lines && source_lines_counts(s->lines).given_up, true,
		"INLINED functions are only partly known: reading the debug information takes too long for its size");
}

/* A part chosen by time may begin before the time from which all events are there. */
static void banner_flight(const struct study_facts *f, struct report *report)
{
	struct strbuf __auto_free sb = { 0 };

	if (f->has_duration && !strcmp(f->span, "recorded"))
		text_duration(&sb, f->duration_ns, " ");
	report_add_banner(report, false, "Flight recorder, saved by: %s%s%s. %s%s%s",
			  f->flight, *f->flight_what ? ": " : "", f->flight_what,
			  sb.size ? "All events of the last "
				  : "The last events are here",
			  sb.size ? strbuf_text(&sb) : "",
			  sb.size ? " are here; older ones were overwritten"
				  : "; older ones were overwritten");
}

void study_facts_banner(const struct study_facts *f, const struct study *s,
			struct report *report)
{
	banner_first_line(f, report);
	banner_recorder(f, report);
	report_banner_if(report, f->imported[0], false, "Imported %s", f->imported);
	if (f->flight[0])
		banner_flight(f, report);
	if (f->lacks_frees)
		report_add_banner(
			report, true,
			"UNKNOWN live, net and peak figures: frees by other tasks or on other CPUs are missing");
	else if (f->part)
		report_add_banner(
			report, false,
			"Only a part of the allocations was recorded (selected by task or filter), with the frees by all tasks");
	banner_sample(f, report);
	banner_stacks(f, report);
	report_banner_if(
		report, callsite_rule_wrappers(s->rule), false,
		"Callsites: the first function beyond wrappers such as kmemdup, if the callchain is known (--skip-func wrappers)");
	banner_losses(f, s, report);
	banner_damage(f, report);
	banner_debug(s, report);
	if (s->dirs)
		banner_dirs(s->dirs, report);
}

static struct cell known_text(const char *s)
{
	return (struct cell){ .type = *s ? CELL_TEXT : CELL_NONE, .s = s };
}

static struct cell known_bytes(const struct guess_count *count)
{
	return count ? cell_uint(count->bytes) : (struct cell){ .type = CELL_NONE };
}

void study_facts_add(const struct study_facts *f, struct report *report)
{
	const struct {
		const char *name;
		struct cell value;
	} items[] = {
		{ "file", known_text(f->path) },
		{ "kernel", known_text(f->kernel.text) },
		{ "machine", known_text(f->machine.text) },
		{ "host", known_text(f->host.text) },
		{ "started", known_text(f->started) },
		{ "command", known_text(f->command) },
		{ "endian", known_text(f->big_endian ? "big" : "little") },
		{ "long_size", cell_uint(f->long_size) },
		{ "page_size", cell_uint(f->page_size) },
		{ "kernel_page_size", cell_uint(f->kernel_page_size) },
		{ "nr_cpus", cell_uint(f->nr_cpus) },
		{ "clock", known_text(f->clock) },
		{ "duration_ns", f->has_duration ? cell_uint(f->duration_ns)
						 : (struct cell){ .type = CELL_NONE } },
		{ "span", known_text(f->span) },
		{ "first_ts", cell_uint(f->first_ts) },
		{ "last_ts", cell_uint(f->last_ts) },
		{ "nr_events", cell_uint(f->nr_events) },
		{ "lost", cell_uint(f->nr_lost) },
		{ "gaps", cell_uint(f->nr_gaps) },
		{ "unknown_gaps", cell_uint(f->nr_unknown_gaps) },
		{ "dropped", cell_uint(f->nr_dropped) },
		{ "truncated", known_text(f->truncated) },
		{ "missing", cell_uint(f->nr_missing) },
		{ "undecodable", cell_uint(f->nr_undecodable) },
		{ "damaged_parts", cell_uint(f->nr_damaged) },
		{ "bad_pages", cell_uint(f->nr_bad_pages) },
		{ "stacks_unclaimed", cell_uint(f->nr_stacks_unclaimed) },
		{ "clock_backwards", cell_uint(f->nr_backwards) },
		{ "impossible_times", cell_uint(f->nr_impossible) },
		{ "scope", known_text(f->part ? "part" : "") },
		{ "frees", known_text(!f->part	       ? ""
				      : f->lacks_frees ? "part"
						       : "all") },
		{ "imported", known_text(f->imported) },
		{ "flight", known_text(f->flight) },
		{ "sample", known_text(f->sample_rule) },
		{ "stack_sample", known_text(f->stack_sample) },
		{ "stacks_known", known_bytes(f->guess ? &f->guess->known : NULL) },
		{ "stacks_attributed",
		  known_bytes(f->guess ? &f->guess->guessed : NULL) },
		{ "stacks_unknown", known_bytes(f->guess ? &f->guess->none : NULL) },
		{ "scale", f->estimated ? cell_uint(f->sample.one_in)
					: (struct cell){ .type = CELL_NONE } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		report_add_fact(report, items[i].name, items[i].value);
}

struct table *study_facts_missing_table(const struct recording *rec)
{
	KEYED(uint64_t) left = { 0 };
	struct table *t;

	if (!recording_truncated(rec))
		return NULL;
	t = table_new("missing", "Events left in the ring buffers");
	if (!t)
		return NULL;
	table_set_by(t, "cpu");
	TABLE_COLUMNS(t, { .name = "cpu", .title = "CPU" },
		      { .name = "missing", .title = "Missing", .unit = UNIT_COUNT });
	/* Each instance has a ring buffer per CPU. */
	for (size_t i = 0; i < rec->nr_cpustats; i++) {
		uint64_t *sum = KEYED_ITEM(&left, &rec->cpustats[i].cpu);

		if (sum)
			*sum += rec->cpustats[i].entries;
		t->failed |= !sum;
	}
	for (size_t i = 0; i < left.nr; i++) {
		struct cell *cells = table_add_row(t);

		if (!cells)
			break;
		cells[0] = cell_uint(*(const uint32_t *)KEYED_KEY(&left, i));
		cells[1] = cell_uint(left.of[i]);
	}
	KEYED_FREE(&left);
	t->hidden = true;
	return t;
}
