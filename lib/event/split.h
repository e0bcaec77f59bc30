/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: a part of a recording as a recording of its own.
 * In: a recording, a time, CPUs. Out: a trace.dat file with those events and all that the
 * recording has in addition to them.
 */
#ifndef KMEMX_EVENT_SPLIT_H
#define KMEMX_EVENT_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "event/formats.h"
#include "recording/recording.h"
#include "recording/sample.h"

/**
 * struct split_options - what belongs to the part
 * @instance: only the ring buffer of this name; NULL: all of them
 * @start_ts, @stop_ts: events with start <= ts <= stop
 * @cpus: by CPU number, rec->nr_cpus of them; NULL: all
 * @sample: only what a recording of this sample would have; one_in 0: all. Check before whether
 *	there can be one: split_sample_check()
 * @stack_sample: slab objects that are not of this sample lose their callchains; one_in 0: none
 * @fd: an empty, seekable file open for writing; stays the caller's
 * @pages_fd: an empty file for the pages until their number is known; stays the caller's
 * @progress: called with @ctx for each sub-buffer: bytes of the recording that were gone
 *	through, all of them, and the events chosen so far; NULL: not
 * @writing: called with @ctx once all are chosen, while they are written: bytes of pages that
 *	are, and all of them; NULL: not
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

/* What was written. @nr_events with the callchains, as every report counts them. */
struct split_result {
	uint64_t nr_events, nr_gaps, written_bytes;
	uint32_t nr_cpus;
};

/**
 * split_write() - write the part
 *
 * The part has the recording's byte order and word size, and its version (a stream becomes
 * version 7), uncompressed. A sub-buffer of which all events belong to it is copied; others
 * are made anew of those that do, the first of them giving the page its time stamp. A
 * callchain goes with the event that it followed, whatever its own time. Losses between the
 * events of the part, and at its borders, stay in it.
 *
 * What slabinfo, vmstat and the like were before and after the recording says nothing of
 * the part and is left out, but for the rows of pagetypeinfo, which name the migratetypes.
 *
 * Return: 0; -ENODATA no event belongs to it (nothing was written to @fd); -ENOMEM; -errno
 * of reading or writing.
 */
int split_write(const struct recording *rec, const struct event_formats *fmts,
		const struct split_options *opts, struct split_result *result,
		const struct log *log) __must_check;

#endif
