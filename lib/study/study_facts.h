/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: what a report stands on.
 * In: a recording and what its stream has counted. Out: plain facts, a banner, JSON items.
 */
#ifndef KMEMX_STUDY_STUDY_FACTS_H
#define KMEMX_STUDY_STUDY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "recording/recording.h"
#include "recording/sample.h"
#include "report/table.h"
#include "study/study.h"

/**
 * struct study_facts - about a recording that was read
 * @span: what @duration_ns is: "recorded", from the start to the stop of tracing; "window",
 *	  what --time says; "events", from the first to the last event, as the file does not
 *	  say more
 * @duration_ns: only with @has_duration, as some clocks do not count time
 * @imported: what from, if it was imported; else empty
 * @nr_lost: sum of the losses whose number is known; @nr_unknown_gaps of the @nr_gaps hide
 *	     an unknown number
 * @truncated: why it has no end; empty: it has one. @nr_missing: events that were still in
 *	the ring buffers then, as far as that is known
 * @nr_dropped: what the ring buffer's own statistics say was lost beyond that (a full
 *		buffer that does not overwrite leaves no mark among the events)
 */
struct study_facts {
	const char *path;
	char kernel[128];
	char machine[64];
	char imported[128];
	char truncated[128];
	uint64_t nr_missing;
	bool big_endian;
	unsigned int long_size;
	uint32_t page_size; /* of a sub-buffer, as the file's header says */
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
	uint64_t nr_impossible; /* events of times that cannot be, left out of the span */
	uint64_t nr_pages;
	uint64_t nr_damaged;		 /* parts of the file's description */
	char flight[64];		 /* recording_flight(): empty: it is none */
	struct sample sample;		 /* one_in 0: it is none */
	bool sample_unknown;		 /* it is one, but of what is not known */
	bool estimated;			 /* figures are estimated from it: to be set */
	const struct stack_guess *guess; /* slab objects got callchains; else NULL */
	const char *sample_rule,
		*stack_sample;	/* as the recording has them, else empty */
	bool part, lacks_frees; /* recording_is_part(), recording_lacks_frees() */
};

/* @s has been read to the stream's end. @buffer: whose clock counts. Borrows from @s. */
void study_facts_init(struct study_facts *f, const struct study *s, uint32_t buffer);
/* Is more of it damaged than can be read? */
bool study_facts_unreadable(const struct study_facts *f);
/* Adds the comment lines above everything, loud where numbers cannot be taken as exact; with
 * directories also how many functions have none, once all were asked for.
 */
void study_facts_banner(const struct study_facts *f, const struct study *s,
			struct report *report);
/* What is missing at the end, by CPU, for machines; NULL: nothing is missing (not
 * recording_truncated()), or no memory. Check with table_ok().
 */
struct table *study_facts_missing_table(const struct recording *rec);
/* Adds the "recording" object's items. */
void study_facts_add(const struct study_facts *f, struct report *report);
/* The clock's ticks as ns: 0, or -EOPNOTSUPP if it does not count time. */
int study_facts_ticks_to_ns(const struct recording *rec, uint32_t buffer, uint64_t ticks,
			    uint64_t *ns);
/* What to say behind the duration: nothing, or that it is only that of the events. */
const char *study_facts_span_text(const struct study_facts *f);
/* Appends "1809 events in 4 gaps", or "none". */
void study_facts_lost_text(const struct study_facts *f, struct strbuf *sb);

#endif
