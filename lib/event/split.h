/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: writes a part of a recording as a new recording.
 * In: a recording, a time, CPUs. Out: a trace.dat file with those events and the recording's other
 * content.
 */
#ifndef KMEMX_EVENT_SPLIT_H
#define KMEMX_EVENT_SPLIT_H

#include "base/log.h"
#include "event/formats.h"
#include "recording/recording.h"
#include "recording/sample.h"

/**
 * struct split_options - what belongs to the part
 * @instance: only the ring buffer of this name; NULL: all of them
 * @start_ts, @stop_ts: events with start <= ts <= stop
 * @cpus: by CPU number, rec->nr_cpus of them; NULL: all
 * @sample: only events that a recording of this sample would have; one_in 0: all. Call
 *	split_sample_check() before
 * @stack_sample: slab objects outside this sample lose their callchains; one_in 0: none
 * @fd: an empty, seekable file open for writing; stays the caller's
 * @pages_fd: an empty file for the pages until their number is known; stays the caller's
 * @progress: called with @ctx for each sub-buffer: bytes of the recording read so far and in all,
 *	events chosen so far; may be NULL
 * @writing: called with @ctx while the chosen events are written: bytes of pages written so far and
 *	in all; may be NULL
 */
struct split_options {
	const char *instance;
	uint64_t start_ts, stop_ts;
	const bool *cpus;
	struct sample sample, stack_sample;
	int fd, pages_fd;
	void (*progress)(void *ctx, uint64_t done, uint64_t total, uint64_t events);
	void (*writing)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* What was written. @nr_events includes callchains, as in every report; @nr_cpus: with events, in
 * whichever ring buffer.
 */
struct split_result {
	uint64_t nr_events, nr_gaps, written_bytes;
	uint32_t nr_cpus;
	bool unread; /* it failed because the recording could not be read */
};

/* Can a sample be taken? 0; -EEXIST: the recording is already a sample, of events or of callchains;
 * -ENOTSUP: its pages have no frame numbers, as with kernels before 4.1.
 */
int split_sample_check(const struct recording *rec,
		       const struct event_formats *fmts) __must_check;
/**
 * split_write() - write the part
 *
 * The part has the recording's byte order and word size, and its version (a stream becomes
 * version 7), uncompressed. A sub-buffer whose events all belong to the part is copied; others are
 * rebuilt from the events that do, with the time stamp of the first. A callchain stays with its
 * event, whatever its own time. Losses between the part's events and at its borders are kept.
 *
 * Without all CPUs, it is marked as a part of the allocations that lacks frees.
 *
 * slabinfo, vmstat and the like from before and after the recording do not describe the part and
 * are left out, except for pagetypeinfo, which names the migratetypes.
 *
 * Return: 0; -ENODATA no event belongs to it (nothing was written to @fd); -ENOMEM; -errno
 * of reading or writing.
 */
int split_write(const struct recording *rec, const struct event_formats *fmts,
		const struct split_options *opts, struct split_result *result,
		const struct log *log) __must_check;

#endif
