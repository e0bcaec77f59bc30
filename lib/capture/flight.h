/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a recorder that remembers the last while, and saves it when something happens.
 * In: what to record, what to wait for. Out: a trace.dat file each time.
 *
 * The kernel's buffers overwrite what is oldest, and nothing is read until something happens.
 */
#ifndef KMEMX_CAPTURE_FLIGHT_H
#define KMEMX_CAPTURE_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "capture/capture.h"
#include "capture/flight_causes.h"

/**
 * struct flight_options - all of it stays the caller's
 * @capture: what to record; @capture->output is what the file is called in @directory while it
 *	is none yet, @capture->buffer_bytes is not used
 * @directory: where files are saved
 * @bytes: of all ring buffers together; 0: chosen by memory
 * @time_ns: the buffers grow until they hold so much, as far as memory allows; 0: they do not
 * @on: what is waited for
 * @again_ns: the same cause saves again after this time only; signals and the command's end
 *	always do
 * @keep: at most so many files that have names of this recorder, in @directory; 0: all
 * @once: ends with the first file
 * @armed: called when it begins to remember, and again after each file; may be NULL
 * @saved: called for each file; may be NULL
 */
struct flight_options {
	const struct capture_options *capture;
	const char *directory;
	uint64_t bytes, time_ns;
	struct flight_causes on;
	uint64_t again_ns;
	size_t keep;
	bool once;
	void (*armed)(void *ctx, uint64_t bytes);
	void (*saved)(void *ctx, const char *path, const char *cause,
		      const struct capture_result *result);
	void *ctx;
};

/**
 * flight_run() - record until the command ends, a signal comes, or the time is over
 *
 * SIGUSR1 saves what there is. Whatever happens, the tracing instance is gone afterwards.
 * @nr_saved: receives the number of files
 *
 * Return: 0; -errno after an LOG_ERROR message. capture_wait() in any case, with @result.
 */
int flight_run(const struct flight_options *opts, struct capture_result *result,
	       size_t *nr_saved) __must_check;

/* Does a file of the name look like one that flight_run() saved? */
bool flight_is_file(const char *name);
/* Removes the oldest such files in @directory until at most @keep are left. 0 or -errno. */
int flight_prune(const char *directory, size_t keep, const struct log *log) __must_check;

#endif
