/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: facts about the recording behind a report.
 * In: a recording and the counts of its stream. Out: plain facts, a banner, JSON items.
 */
#ifndef KMEMX_STUDY_STUDY_FACTS_H
#define KMEMX_STUDY_STUDY_FACTS_H

#include "base/strbuf.h"
#include "recording/recording.h"
#include "recording/sample.h"
#include "report/table.h"
#include "study/study.h"

/**
 * struct study_facts - facts about a recording that was read
 * @span: the meaning of @duration_ns: "recorded", from the start to the stop of tracing; "window",
 *	  as given by --time; "events", from the first to the last event, if the file has nothing
 *	  better
 * @duration_ns: only with @has_duration, as some clocks do not count time
 * @host, @command, @started: the machine, the recorder's command line, and its start, as
 *	"2026-11-22T21:45:00Z"; empty: unknown
 * @imported: the source if it was imported; else empty
 * @nr_lost: lost events in gaps of known size; @nr_unknown_gaps of the @nr_gaps have an unknown
 *	     size
 * @truncated: why it is truncated; empty: it is not. @nr_missing: events that were still in the
 *	ring buffers then, as far as known
 * @nr_dropped: further lost events according to the ring buffer's statistics (a full buffer that
 *		does not overwrite leaves no mark among the events)
 */
struct study_facts {
	const char *path;
	struct recording_word kernel, machine, host;
	char started[24];
	const char *command;
	char imported[128];
	char truncated[128];
	uint64_t nr_missing;
	bool big_endian;
	unsigned int long_size;
	uint32_t page_size; /* of a sub-buffer, from the file's header */
	uint32_t kernel_page_size;
	uint32_t nr_cpus;
	const char *clock;
	const char *span;
	bool has_duration;
	uint64_t duration_ns;
	uint64_t first_ts, last_ts; /* in the clock's units; 0 without events */
	uint64_t nr_events;
	uint64_t nr_lost, nr_gaps, nr_unknown_gaps, nr_dropped;
	uint64_t nr_undecodable, nr_bad_pages, nr_stacks_unclaimed, nr_backwards;
	uint64_t nr_impossible; /* events with impossible times, left out of the span */
	uint64_t nr_pages;
	uint64_t nr_damaged; /* damaged parts of the file's description */
	char flight[64];     /* recording_flight(); empty: not a flight recording */
	const char
		*flight_what; /* more about that: "killed python3, pid 11935"; or empty */
	struct sample sample; /* one_in 0: not a sample */
	bool sample_unknown;  /* it is a sample, but of unknown objects */
	bool estimated;	      /* set by the caller: figures are estimates from it */
	const struct stack_guess *guess; /* slab objects got callchains; else NULL */
	const char *sample_rule,
		*stack_sample;	/* as found in the recording, else empty */
	bool part, lacks_frees; /* recording_is_part(), recording_lacks_frees() */
};

/* Call it after @s was read to the stream's end. @buffer: the ring buffer whose clock counts.
 * Borrows from @s.
 */
void study_facts_init(struct study_facts *f, const struct study *s, uint32_t buffer);
/* Is more of the recording damaged than readable? */
bool study_facts_unreadable(const struct study_facts *f);
/* Adds the comment lines at the top, loud if numbers are not exact. With directories, also the
 * number of functions without one, so look up all of them first.
 */
void study_facts_banner(const struct study_facts *f, const struct study *s,
			struct report *report);
/* A table, by CPU, of what is missing at the end, for machine formats; NULL: nothing is missing
 * (not recording_truncated()), or no memory. Check with table_ok().
 */
struct table *study_facts_missing_table(const struct recording *rec);
/* Adds the items of the "recording" object. */
void study_facts_add(const struct study_facts *f, struct report *report);
/* Text after the duration: nothing, or that it only covers the events. */
const char *study_facts_span_text(const struct study_facts *f);
/* Appends "1809 events in 4 gaps", or "none". */
void study_facts_lost_text(const struct study_facts *f, struct strbuf *sb);

#endif
