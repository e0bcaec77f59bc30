/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a flight recorder, which keeps the latest events and saves them when something happens.
 * In: what to record, the causes to wait for. Out: a trace.dat file each time.
 *
 * The kernel's buffers overwrite the oldest events, and nothing is read until something happens.
 */
#ifndef KMEMX_CAPTURE_FLIGHT_H
#define KMEMX_CAPTURE_FLIGHT_H

#include "capture/session/capture.h"
#include "capture/session/flight_causes.h"
#include "capture/session/session.h"

#define FLIGHT_TIME_MOST 1.5

/**
 * struct flight_options - borrowed from the caller
 * @capture: what to record; @capture->output is the name of the unfinished file in @directory,
 *	@capture->buffer_bytes is not used
 * @directory: where files are saved
 * @bytes: size of all ring buffers together; 0: chosen from the machine's memory
 * @file: the name of the only file, with @once; NULL: names have the time and the cause
 * @time_ns: the buffers grow until they hold this much time, as far as memory allows; files have at
 *	most FLIGHT_TIME_MOST times as much; 0: they do not grow
 * @on: the causes to wait for
 * @again_ns: after a file, the same cause is ignored for this time; signals and the command's
 *	end always save
 * @keep: how many of the recorder's files to keep in @directory; 0: all
 * @once: end after the first file
 * @armed: called when recording begins, and again after each file, with the size of all ring
 *	buffers and the most that they may grow to; may be NULL
 * @saved: called for each file; may be NULL
 */
struct flight_options {
	const struct capture_options *capture;
	const char *directory, *file;
	uint64_t bytes, time_ns;
	struct flight_causes on;
	uint64_t again_ns, keep;
	bool once;
	void (*armed)(void *ctx, uint64_t bytes, uint64_t limit);
	void (*saved)(void *ctx, const char *path, const char *cause,
		      const struct capture_result *result);
	void *ctx;
};

/**
 * flight_run() - record until the command ends, a signal comes, or the time is over
 *
 * SIGUSR1 saves a file. In any case the tracing instance is removed before it returns.
 * @nr_saved: receives the number of files
 *
 * Return: 0; -errno after a LOG_ERROR message. Call capture_wait() in any case, with @result.
 */
int flight_run(const struct flight_options *opts, struct capture_result *result,
	       size_t *nr_saved) __must_check;

/* Is this a name that flight_run() gives to its files? */
bool flight_is_file(const char *name);
/* Removes the oldest such files in @directory until at most @keep are left. 0 or -errno. */
int flight_prune(const char *directory, uint64_t keep,
		 const struct log *log) __must_check;

/**
 * struct flight_buffers - the buffers of all CPUs, of both instances if there are two
 * @bytes: size of each; @limit: its largest size
 * @time_ns: the time that they must hold
 * @held_ns: the shortest time that a buffer held when it was found too short
 */
struct flight_buffers {
	struct session *s;
	uint64_t bytes, limit, time_ns, held_ns;
	bool warned;
};

/* The initial size of a CPU's buffer, for @total bytes or @time_ns; 0: the default. */
uint64_t flight_buffers_first(uint64_t total, uint64_t time_ns, bool has_frees);
/* Call it when the session's buffers exist. */
void flight_buffers_init(struct flight_buffers *b, struct session *s, uint64_t time_ns);
/* Do they hold less than @time_ns, and may they grow? Warns once if they may not. */
bool flight_buffers_short(struct flight_buffers *b);
/* Enlarges the buffers so that they hold the time at the present rate, within the limit. Their
 * events are kept.
 */
void flight_buffers_grow(struct flight_buffers *b);

#endif
