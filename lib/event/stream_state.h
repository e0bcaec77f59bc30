/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event (internal): what a stream of events consists of.
 * In: nothing. Out: for those who read a stream's CPUs, in one order or in parts.
 */
#ifndef KMEMX_EVENT_STREAM_STATE_H
#define KMEMX_EVENT_STREAM_STATE_H

#include "event/cpu_events.h"
#include "event/decode.h"
#include "event/stream.h"
#include "recording/merge.h"

/* What is at hand of a CPU: all that choosing the next item looks at, in few lines of memory. */
struct cpu_head {
	const struct raw_item *next, *end;
	uint32_t cpu;
	uint16_t buffer;
};

/**
 * struct event_stream - the merge of all CPUs' events
 * @heads: of @cpus, one each
 * @primed: the CPUs' first events have been read
 * @run: the CPU with the earliest head, which is given out; NULL at the end
 * @limit: the last time stamp of @run that comes before the head of the next CPU; 0: unknown,
 *	   only its head is known to
 * @unchecked: the recording's times are to be checked at the end
 * @horizon: of a live stream, a head behind those of the CPUs: nothing from there on is given out;
 *	     else NULL. @pause: its item
 * @keep_stacks, @page_pointers: of its options, and of its formats
 */
struct event_stream {
	struct decoder dec;
	struct cpu_shared shared;
	struct cpu_events *cpus;
	uint32_t nr_cpus;
	struct merge merge;
	struct cpu_head *heads, *run, *horizon;
	struct raw_item pause;
	uint64_t limit;
	struct event_stream_stats stats;
	struct event_stream_cpu *cpu_stats;
	int error; /* that ended the stream */
	const struct recording *rec;
	bool primed, unchecked, page_pointers;
};

/* At the end: where damage may have touched times, what the span is without those. 0 or an
 * error.
 */
int event_stream_check_times(struct event_stream *st) __must_check;
/* After all heads have been set: the merge begins with them. */
void event_stream_merge_heads(struct event_stream *st);
/* Begins again, after its CPUs have been read in some other way. 0, -ENOMEM. */
int event_stream_rewind(struct event_stream *st) __must_check;

#endif
