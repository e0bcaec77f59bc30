// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: notes what a perf.data file lacks.
 * In: counts made while reading it. Out: notes, one per line.
 */
#include "import/perf_import.h"

static void note_origin(struct strbuf *out, const struct perf_system *s)
{
	strbuf_puts(out, "from perf.data\n");
	if (*s->perf_version || *s->cmdline)
		strbuf_printf(out, "recorded by perf%s%s%s%s\n",
			      *s->perf_version ? " " : "", s->perf_version,
			      *s->cmdline ? ": " : "", s->cmdline);
}

static void note_scope(struct strbuf *out, const struct perf_system *s,
		       const struct perf_import *r)
{
	const struct import_note notes[] = {
		{ s->some_tasks,
		  "events of some tasks only: what others freed is unknown (perf record -a records all)" },
		{ s->filtered, "perf had a filter: other events are missing" },
	};

	if (r->period == 0)
		strbuf_puts(
			out,
			"perf sampled at a frequency: most events are missing (perf record -c 1 records all)\n");
	else if (r->period > 1)
		strbuf_printf(out,
			      "perf took one event in %" PRIu64
			      ": the others are missing (perf record -c 1 records all)\n",
			      r->period);
	if (r->counted)
		strbuf_printf(
			out,
			"perf only counted %u of the events, as it does in a group with :S: these are missing\n",
			r->counted);
	import_add_notes(out, notes, ARRAY_SIZE(notes));
}

static void note_counts(struct strbuf *out, const struct perf_import *r)
{
	const struct import_note notes[] = {
		{ r->nr_others, " samples that are not tracepoints are left out",
		  " sample that is not a tracepoint is left out" },
		{ r->nr_unreadable, " samples could not be read",
		  " sample could not be read" },
		{ r->nr_untimed, " samples without a time are left out",
		  " sample without a time is left out" },
		{ r->nr_too_long,
		  " events are larger than a sub-buffer: they count as lost" },
		{ r->nr_late, " events came too late to be sorted by time",
		  " event came too late to be sorted by time" },
		{ r->nr_lost_anywhere,
		  " losses do not name their CPU: they count for all CPUs" },
	};
	char name[32] = "the file";

	if (r->nr_lost)
		strbuf_printf(out, "perf lost %" PRIu64 " event%s\n", r->nr_lost,
			      plural(r->nr_lost));
	import_add_notes(out, notes, ARRAY_SIZE(notes));
	if (r->cut_file)
		snprintf(name, sizeof(name), "data.%u", r->cut_file - 1);
	if (r->cut_at)
		strbuf_printf(out, "%s %s at offset %" PRIu64 ": the rest is missing\n",
			      name,
			      r->cut_error == -ENODATA ? "ends in the middle of a record"
						       : "is damaged",
			      r->cut_at);
}

static void note_symbols(struct strbuf *out, const struct perf_system *s,
			 const struct perf_import *r)
{
	const bool found = r->symbols == PERF_SYMBOLS_FOUND, known = *s->build_id;
	const struct import_note notes[] = {
		{ r->symbols == PERF_SYMBOLS_NONE,
		  "perf.data has no kernel symbols: callsites are addresses (--kallsyms FILE)" },
		{ found && known,
		  "symbols are from /proc/kallsyms: the recorded kernel is still running here" },
		{ found && !known,
		  "symbols are from /proc/kallsyms: perf.data has no build ID, but its host name, release and addresses of the kernel's code are this machine's" },
	};

	import_add_notes(out, notes, ARRAY_SIZE(notes));
	if (r->moved)
		strbuf_printf(
			out,
			"symbols relocated by %s0x%" PRIx64
			": the kernel was at a different address; modules have no symbols\n",
			r->moved >> 63 ? "-" : "", r->moved >> 63 ? -r->moved : r->moved);
}

void perf_notes(struct strbuf *out, const struct perf_system *s,
		const struct perf_import *r)
{
	note_origin(out, s);
	note_scope(out, s, r);
	note_symbols(out, s, r);
	if (!strcmp(r->clock, "realtime"))
		strbuf_puts(
			out,
			"times are the time of day, which may have been changed meanwhile\n");
	note_counts(out, r);
}
