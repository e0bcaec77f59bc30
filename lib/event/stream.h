/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: all events of a recording in time order, decoded, stacks attached.
 * In: a recording and its formats. Out: struct kmem_event, one at a time; losses are items.
 */
#ifndef KMEMX_EVENT_STREAM_H
#define KMEMX_EVENT_STREAM_H

#include "base/hash.h"
#include "event/calls.h"
#include "event/event.h"
#include "event/formats.h"
#include "recording/recording.h"

/**
 * struct event_stream_options - what to read
 * @instance: only the ring buffer of this name, which outlives the stream; NULL: all of them
 * @start_ts, @stop_ts: only events with start <= ts <= stop; UINT64_MAX stop: to the end
 * @keep_stacks: also hand out kernel_stack events, instead of only attaching them (for script and
 *		 for counting tests)
 * @read_ahead: read and decompress on a thread of its own
 * @live: read nothing before the first events are asked for: for event_stream_go_live()
 */
struct event_stream_options {
	const char *instance;
	uint64_t start_ts, stop_ts;
	bool keep_stacks;
	bool read_ahead;
	bool live;
};

/* Losses of one CPU of one buffer. */
struct event_stream_cpu {
	uint32_t buffer, cpu;
	uint64_t nr_events; /* kernel_stack included */
	uint64_t nr_gaps;
	uint64_t nr_lost;    /* sum of the known numbers */
	uint64_t nr_unknown; /* gaps of unknown size */
};

/**
 * struct event_stream_stats - what was read so far
 * @nr_events: everything in the time window, kernel_stack included
 * @by_id: events by format id (index 0..65535 is the id); owned by the stream
 * @nr_undecodable: records too short for their format, or of no known format; they are
 *		    handed out as KMEM_OTHER if they have the common fields
 * @nr_pages: sub-buffers, and parts that could not be read as such
 * @nr_bad_pages: pages or chunks with a part that could not be read; what followed it is
 *		  announced by a KMEM_LOSS of unknown size, counted as a gap too
 * @nr_stacks_unclaimed: kernel_stack events that fitted no event
 * @first_ts, @last_ts: of the events seen; at the end without those whose time is impossible
 * @nr_backwards: times a CPU's own time stamps ran backwards; @largest_step_back: by how much
 * @nr_impossible: at the end: events with a time that damage made; see recording/time_span.h
 */
struct event_stream_stats {
	uint64_t nr_events;
	const uint64_t *by_id;
	uint64_t nr_undecodable;
	uint64_t nr_pages, nr_bad_pages;
	uint64_t nr_stacks_unclaimed;
	uint64_t nr_backwards, largest_step_back, nr_impossible;
	uint64_t first_ts, last_ts;
	const struct event_stream_cpu *cpus;
	uint32_t nr_cpus;
};

struct event_stream;

/* Opens a stream; @rec and @fmts must outlive it. 0; -ENOENT no such instance; -ENOMEM. */
int event_stream_open(struct event_stream **out, const struct recording *rec,
		      const struct event_formats *fmts,
		      const struct event_stream_options *opts,
		      const struct log *log) __must_check;
/**
 * event_stream_set_brief() - let the following events leave out fields, or not
 *
 * With @brief, gfp_flags, node and accounted of slab allocations are not decoded and undefined. Off
 * at first.
 */
void event_stream_set_brief(struct event_stream *st, bool brief);
/**
 * event_stream_set_calls() - add system calls to the callchains of the following allocations
 *
 * event_stream_call() returns the call. Allocations without a callchain then get one without
 * frames. 0 or -ENOMEM.
 */
int event_stream_set_calls(struct event_stream *st) __must_check;
/**
 * event_stream_again() - back to the start of the events
 *
 * Forgets everything about them except the numbers of callchains and caches: these stay valid, and
 * those seen so far are known from the start. Not for a live stream.
 *
 * Return: 0; -EIO, -ENOMEM: the stream can only be closed.
 */
int event_stream_again(struct event_stream *st) __must_check;
/* 1 and @ev; 0 at the end; -EIO, -ENOMEM. Damage is skipped and counted in the stats. */
int event_stream_next(struct event_stream *st, struct kmem_event *ev) __must_check;
/**
 * event_stream_next_batch() - the next events, at most @max
 * @evs: room for @max, at least 1; their data is valid until the next call
 *
 * Return: their number; 0 at the end; -EIO, -ENOMEM.
 */
int event_stream_next_batch(struct event_stream *st, struct kmem_event *evs,
			    int max) __must_check;
const struct event_stream_stats *event_stream_stats(const struct event_stream *st);
/* Content of stack @id: uint64_t frames, innermost first; @nr receives their number.
 * Valid until event_stream_close(). NULL for 0. Any thread may call it while another one reads the
 * stream.
 */
const uint64_t *event_stream_stack(const struct event_stream *st, uint32_t id,
				   uint32_t *nr);
/* The system call of stack @id: a number, or CALL_* of event/calls.h. CALL_UNKNOWN: the stack has
 * none. Any thread may call it, as event_stream_stack().
 */
uint32_t event_stream_call(const struct event_stream *st, uint32_t id);
uint32_t event_stream_nr_stacks(const struct event_stream *st);
/* Cache name of @id; NULL for 0. Valid as event_stream_stack(), and for any thread. */
const char *event_stream_cache(const struct event_stream *st, uint32_t id);
void event_stream_close(struct event_stream *st);

/* A stream that is fed with sub-buffers while it is read. */

/**
 * event_stream_go_live() - make the stream end at a horizon
 *
 * For a recording without pages that has all CPUs which may be fed; the stream was opened with
 * .live. event_stream_next() then also returns 0 at the horizon, which is at time 0 at first.
 * Return: 0; -EINVAL if page frames are pointers, which need all events to be resolved.
 */
int event_stream_go_live(struct event_stream *st) __must_check;
/* Copies what was not handed out yet, so that all fed memory may be freed. 0; -ENOMEM: the stream
 * has ended.
 */
int event_stream_keep(struct event_stream *st) __must_check;
/**
 * event_stream_feed() - add sub-buffers of a CPU
 * @cpu: the number of the CPU in the recording, from RECORDING_FREES_CPU on in the second buffer
 * @pages: the caller's; they must stay unchanged until event_stream_keep()
 *
 * Call it after the stream was read up to its horizon and after event_stream_keep(). Feed each CPU
 * at most once before the next event_stream_advance().
 *
 * Return: 0; -ENOENT no such CPU; -EIO, -ENOMEM: the stream has ended.
 */
int event_stream_feed(struct event_stream *st, uint32_t cpu, const void *pages,
		      size_t size) __must_check;
/* Merges what was fed and moves the horizon to @ts, before which everything was fed. */
int event_stream_advance(struct event_stream *st, uint64_t ts) __must_check;
/**
 * event_stream_forget_stacks() - drop unused callchains
 * @to: one entry for each callchain number, and one for 0. Set it to non-zero if the caller still
 *	uses the callchain; it receives the new number, or 0 if dropped
 *
 * Keeps callchains of waiting events. Call it between event_stream_keep() and event_stream_feed().
 * Return: 0; -ENOMEM: the numbers are unchanged and @to is void.
 */
int event_stream_forget_stacks(struct event_stream *st, uint32_t *to) __must_check;

#endif
