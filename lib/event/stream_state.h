/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event (internal): the state of a stream of events.
 * In: nothing. Out: types for reading a stream's CPUs, in one order.
 */
#ifndef KMEMX_EVENT_STREAM_STATE_H
#define KMEMX_EVENT_STREAM_STATE_H

#include "event/cpu_events.h"
#include "event/decode.h"
#include "event/stream.h"
#include "recording/merge.h"

/* The next items of a CPU: all that choosing the next item needs, in few cache lines. */
struct cpu_head {
	const struct raw_item *next, *end;
	uint32_t cpu;
	uint16_t buffer;
};

/**
 * struct event_stream - the merge of all CPUs' events
 * @heads: one for each of @cpus
 * @primed: the CPUs' first events have been read
 * @run: the CPU with the earliest head, whose events are handed out; NULL at the end
 * @limit: the last time stamp of @run that comes before the head of the next CPU; 0: unknown, only
 *	its head is known to come first
 * @unchecked: check the recording's times at the end
 * @page_pointers: a format has page pointers instead of frame numbers
 * @calls: the calls of tasks; NULL: not wanted
 * @horizon: in a live stream, a head after those of the CPUs, where handing out events stops; else
 *	NULL. @pause: its item
 */
struct event_stream {
	struct decoder dec;
	pthread_mutex_t lock; /* the decoder's */
	struct cpu_shared shared;
	struct cpu_events *cpus;
	uint32_t nr_cpus;
	struct merge merge;
	struct cpu_head *heads, *run, *horizon;
	struct raw_item pause;
	uint64_t limit;
	struct event_stream_stats stats;
	struct event_stream_cpu *cpu_stats;
	int error; /* the error that ended the stream */
	const struct recording *rec;
	const char *instance; /* the only ring buffer; NULL: all */
	struct stream_calls *calls;
	bool primed, unchecked, page_pointers;
};

/* (calls.c) Adds calls to the callchains of @nr events. 0 or -ENOMEM. */
int stream_calls_take(struct event_stream *st, struct kmem_event *evs,
		      int nr) __must_check;
/* Forgets the calls of tasks: the events start again. */
void stream_calls_again(struct event_stream *st);
void stream_calls_free(struct event_stream *st);

/* Reads on in CPU @i, whose items have all been handed out. 1; 0 at its end; <0 error. */
int event_stream_refill(struct event_stream *st, uint32_t i) __must_check;
/* Starts the merge, after all heads have been set. */
void event_stream_merge_heads(struct event_stream *st);

#endif
