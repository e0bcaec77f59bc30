// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_notes.h"

static void note_origin(struct strbuf *out, const struct perf_system *s)
{
	/* The first note is shown at the top of every report. */
	strbuf_puts(out, "from perf.data\n");
	if (*s->perf_version || *s->cmdline)
		strbuf_printf(out, "recorded by perf%s%s%s%s\n",
			      *s->perf_version ? " " : "", s->perf_version,
			      *s->cmdline ? ": " : "", s->cmdline);
}

static void note_scope(struct strbuf *out, const struct perf_facts *f)
{
	if (f->period == 0)
		strbuf_puts(
			out,
			"perf sampled at a frequency: most events are missing (perf record -c 1 records all)\n");
	else if (f->period > 1)
		strbuf_printf(out,
			      "perf took one event in %" PRIu64
			      ": the others are missing (perf record -c 1 records all)\n",
			      f->period);
	if (f->counted)
		strbuf_printf(
			out,
			"perf only counted %u of the events, as it does in a group with :S: these are missing\n",
			f->counted);
	if (f->system->some_tasks)
		strbuf_puts(
			out,
			"events of some tasks only: what others freed is unknown (perf record -a records all)\n");
	if (f->system->filtered)
		strbuf_puts(out, "perf had a filter: other events are missing\n");
}

static void note_counts(struct strbuf *out, const struct perf_import_result *r)
{
	char name[32] = "the file";

	if (r->nr_lost)
		strbuf_printf(out, "perf lost %" PRIu64 " event%s\n", r->nr_lost,
			      plural(r->nr_lost));
	if (r->nr_others)
		strbuf_printf(out, "%" PRIu64 " sample%s left out\n", r->nr_others,
			      r->nr_others == 1 ? " that is not a tracepoint is"
						: "s that are not tracepoints are");
	if (r->nr_unreadable)
		strbuf_printf(out, "%" PRIu64 " sample%s could not be read\n",
			      r->nr_unreadable, plural(r->nr_unreadable));
	if (r->nr_untimed)
		strbuf_printf(out, "%" PRIu64 " sample%s left out\n", r->nr_untimed,
			      r->nr_untimed == 1 ? " without a time is"
						 : "s without a time are");
	if (r->nr_too_long)
		strbuf_printf(
			out,
			"%" PRIu64
			" events are larger than a sub-buffer: they count as lost\n",
			r->nr_too_long);
	if (r->nr_late)
		strbuf_printf(out,
			      "%" PRIu64 " event%s came too late to be sorted by time\n",
			      r->nr_late, plural(r->nr_late));
	if (r->nr_lost_anywhere)
		strbuf_printf(out,
			      "%" PRIu64
			      " losses do not name their CPU: they count for all CPUs\n",
			      r->nr_lost_anywhere);
	if (r->cut_file)
		snprintf(name, sizeof(name), "data.%u", r->cut_file - 1);
	if (r->cut_at)
		strbuf_printf(out, "%s %s at offset %" PRIu64 ": the rest is missing\n",
			      name,
			      r->cut_error == -ENODATA ? "ends in the middle of a record"
						       : "is damaged",
			      r->cut_at);
}

static void note_symbols(struct strbuf *out, const struct perf_facts *f)
{
	if (f->symbols == PERF_SYMBOLS_NONE)
		strbuf_puts(
			out,
			"perf.data has no kernel symbols: callsites are addresses (--kallsyms FILE)\n");
	else if (f->symbols == PERF_SYMBOLS_FOUND)
		strbuf_puts(
			out,
			*f->system->build_id
				? "symbols are from /proc/kallsyms: the recorded kernel is still running here\n"
				: "symbols are from /proc/kallsyms: perf.data has no build ID, but its host name, release and addresses of the kernel's code are this machine's\n");
	if (f->moved)
		strbuf_printf(
			out,
			"symbols relocated by %s0x%" PRIx64
			": the kernel was at a different address; modules have no symbols\n",
			f->moved >> 63 ? "-" : "", f->moved >> 63 ? -f->moved : f->moved);
}

void perf_notes(struct strbuf *out, const struct perf_facts *facts)
{
	note_origin(out, facts->system);
	note_scope(out, facts);
	note_symbols(out, facts);
	if (!strcmp(facts->clock, "realtime"))
		strbuf_puts(
			out,
			"times are the time of day, which may have been changed meanwhile\n");
	note_counts(out, facts->result);
}
