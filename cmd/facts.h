/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what a report stands on.
 * In: a recording and what its stream has counted. Out: plain facts, a banner, JSON items.
 */
#ifndef KMEMX_CMD_FACTS_H
#define KMEMX_CMD_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "event/stream.h"
#include "recording/recording.h"
#include "report/table.h"

/**
 * struct facts - about a recording that was read
 * @duration_ns: between the first and the last event; only with @has_duration, as some
 *		 clocks do not count time
 * @imported: what from, if it was imported; else empty
 * @nr_lost: sum of the losses whose number is known; @nr_unknown_gaps of the @nr_gaps hide
 *	     an unknown number
 * @nr_dropped: what the ring buffer's own statistics say was lost beyond that (a full
 *		buffer that does not overwrite leaves no mark among the events)
 */
struct facts {
	const char *path;
	char kernel[128];
	char machine[64];
	char imported[128];
	bool big_endian;
	unsigned int long_size;
	uint32_t page_size; /* of a sub-buffer, as the file's header says */
	uint32_t kernel_page_size;
	uint32_t nr_cpus;
	const char *clock;
	bool has_duration;
	uint64_t duration_ns;
	uint64_t first_ts, last_ts; /* in the clock's units; 0 without events */
	uint64_t nr_events;
	uint64_t nr_lost, nr_gaps, nr_unknown_gaps, nr_dropped;
	uint64_t nr_undecodable, nr_bad_pages, nr_stacks_unclaimed, nr_backwards;
	uint64_t nr_damaged; /* parts of the file's description */
};

/* @stream has been read to its end. @buffer: whose clock counts. */
void facts_init(struct facts *f, const struct recording *rec, uint32_t buffer,
		const struct event_stream *stream);
/* Adds the comment lines above everything, loud where numbers cannot be taken as exact. */
void facts_banner(const struct facts *f, const struct event_stream *stream,
		  struct report *report);
/* Adds the "recording" object's items. */
void facts_add(const struct facts *f, struct report *report);
/* The clock's ticks as ns: 0, or -EOPNOTSUPP if it does not count time. */
int facts_ticks_to_ns(const struct recording *rec, uint32_t buffer, uint64_t ticks,
		      uint64_t *ns);
/* Appends "1809 events in 4 gaps", or "none". */
void facts_lost_text(const struct facts *f, struct strbuf *sb);

#endif
