/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the time span of a recording's events.
 * In: sub-buffers. Out: the times of the first and the last event, without impossible times.
 */
#ifndef KMEMX_RECORDING_TIME_SPAN_H
#define KMEMX_RECORDING_TIME_SPAN_H

#include "recording/recording.h"

/* No recording lasts longer (104 days in ns): a longer span is damage. */
#define TIME_SPAN_PLAUSIBLE (UINT64_C(1) << 53)

/* A clock may step back a little; a larger step (1 s in ns) is damage. */
#define TIME_STEP_PLAUSIBLE (UINT64_C(1) << 30)

/**
 * struct time_span_options - what to look at
 * @instance: only the ring buffer of this name; NULL: all of them
 * @start_ts, @stop_ts: only events from @start_ts to @stop_ts are counted
 * @min_size: smaller records are not events
 */
struct time_span_options {
	const char *instance;
	uint64_t start_ts, stop_ts;
	uint32_t min_size;
};

/* @first, @last: 0 if no event has a possible time. */
struct time_span {
	uint64_t first, last;
	uint64_t nr_possible, nr_impossible;
};

/**
 * time_span_check() - the span of a recording with damaged times
 *
 * The times of a CPU's sub-buffers should never decrease. Where they do, the smallest set of
 * sub-buffers that leaves the others in order is taken as damaged. So are those that are 13 days or
 * more away from the majority, over all CPUs. The events of damaged sub-buffers have impossible
 * times, and so have events of others that are later than the next sub-buffer's start.
 *
 * Reads everything twice, and takes 20 bytes a sub-buffer. Return: 0; -EIO, -ENOMEM.
 */
int time_span_check(const struct recording *rec, const struct time_span_options *opts,
		    struct time_span *out) __must_check;

/**
 * recording_time_span() - first and last event time over a buffer's CPUs
 *
 * Walks only the first and last sub-buffers of each CPU, unless their times are not plausible.
 * Return: 0; -ENODATA without events; -EIO, -ENOMEM.
 */
int recording_time_span(const struct recording *rec, uint32_t buffer, uint64_t *first,
			uint64_t *last) __must_check;

#endif
