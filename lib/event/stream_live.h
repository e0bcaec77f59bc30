/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: a stream whose sub-buffers come while it is read.
 * In: sub-buffers as a tracing instance gives them, CPU by CPU. Out: the stream's events, as far
 * as all CPUs have said what there was.
 */
#ifndef KMEMX_EVENT_STREAM_LIVE_H
#define KMEMX_EVENT_STREAM_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "event/stream.h"

/**
 * event_stream_go_live() - from now on the stream ends at a horizon
 *
 * Of a recording without pages, which has all CPUs that may come; opened with .parts.
 * event_stream_next() returns 0 at the horizon, not only at the end. It is at time 0 first.
 * Return: 0; -EINVAL where page frames are pointers, which only all of the events together explain.
 */
int event_stream_go_live(struct event_stream *st) __must_check;
/* All that was fed may go; what was not given out yet is copied. 0; -ENOMEM: the stream has ended.
 */
int event_stream_keep(struct event_stream *st) __must_check;
/**
 * event_stream_feed() - more sub-buffers of a CPU
 * @cpu: the number of the CPU in the recording, from RECORDING_FREES_CPU on in the second buffer
 * @pages: stay the caller's, and what they are until event_stream_keep()
 *
 * After the stream was read up to its horizon, and event_stream_keep(). Each CPU is fed once, or
 * not at all, before the next event_stream_advance().
 *
 * Return: 0; -ENOENT no such CPU; -EIO, -ENOMEM: the stream has ended.
 */
int event_stream_feed(struct event_stream *st, uint32_t cpu, const void *pages,
		      size_t size) __must_check;
/* What was fed is in order with what is there; the horizon moves on to @ts: everything before it
 * was fed.
 */
int event_stream_advance(struct event_stream *st, uint64_t ts) __must_check;
/**
 * event_stream_forget_stacks() - drop callchains that nothing refers to any more
 * @to: has an entry for each number of a callchain, and one for 0: not 0 where the caller still
 *	knows it; receives its new number, 0 for those that are gone
 *
 * Those of events that wait are kept. Between event_stream_keep() and event_stream_feed(). Return:
 * 0; -ENOMEM: the numbers are what they were, and @to is of no use.
 */
int event_stream_forget_stacks(struct event_stream *st, uint32_t *to) __must_check;

#endif
