/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: a stream that is fed with sub-buffers while it is read.
 * In: sub-buffers as a tracing instance gives them, CPU by CPU. Out: the stream's events, as far as
 * all CPUs have been fed.
 */
#ifndef KMEMX_EVENT_STREAM_LIVE_H
#define KMEMX_EVENT_STREAM_LIVE_H

#include "event/stream.h"

/**
 * event_stream_go_live() - make the stream end at a horizon
 *
 * For a recording without pages that has all CPUs which may be fed, opened with .live.
 * event_stream_next() then returns 0 at the horizon, too, which is at time 0 at first. Return: 0;
 * -EINVAL if page frames are pointers, which need all events to be resolved.
 */
int event_stream_go_live(struct event_stream *st) __must_check;
/* Copies what was not handed out yet, so that all fed memory may go. 0; -ENOMEM: the stream has
 * ended.
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
/* Sorts in what was fed and moves the horizon on to @ts: everything before it was fed. */
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
