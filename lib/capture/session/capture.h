/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: one recording from beginning to end.
 * In: what to record and where to. Out: a trace.dat file; the machine as it was before.
 */
#ifndef KMEMX_CAPTURE_CAPTURE_H
#define KMEMX_CAPTURE_CAPTURE_H

#include <signal.h>
#include <sys/types.h>

#include "base/log.h"
#include "capture/events/events.h"
#include "capture/events/probes.h"
#include "capture/session/child.h"

/**
 * struct capture_progress - a recording that is being made
 * @events: recorded so far, stacks included; @lost: lost so far, as counted by the kernel
 * @bytes: bytes of events in the file and the ring buffers
 * @ns: since tracing was switched on
 */
struct capture_progress {
	uint64_t events, lost;
	uint64_t bytes;
	uint64_t ns;
};

struct session;

/**
 * struct capture_live - callbacks that take a recording's pages as they arrive, instead of a file
 * @begin: called before tracing is on, with a descriptor of the recording without pages, which the
 *	callee owns. @s is for live_pause() and the like
 * @pages: whole sub-buffers of a CPU, valid only during the call
 * @round: everything before @until, a time of the trace clock, was passed on. True: stop recording
 * @input: @input_fd is readable. True: stop recording
 * @mute: the command gets no standard input and output, as a screen uses them
 *
 * The first two return 0, or -errno, which ends the recording.
 */
struct capture_live {
	int (*begin)(void *ctx, struct session *s, int fd);
	int (*pages)(void *ctx, uint32_t cpu, const void *pages, size_t size);
	bool (*round)(void *ctx, uint64_t until);
	bool (*input)(void *ctx);
	int input_fd;
	unsigned int round_ms;
	bool mute;
	void *ctx;
};

/**
 * struct capture_options - what to record; borrowed from the caller
 * @output: path of the recording, also for messages
 * @stream_fd: where to send the recording as a stream (recording/wire.h) instead, with the
 *	command's standard output going to its standard error; -1: to the file @output
 * @live: takes the pages instead of either, with standard output redirected as above; NULL: none
 * @argv: the command, NULL terminated; NULL: none, record until stopped
 * @command_line: this recording's command line, for the metadata and messages
 * @labels: the user's labels of the recording, "key=value" lines; NULL: none
 * @events: which events, their filter and stacks
 * @probes: are dynamic probes wanted, for slab objects without an event
 * @pids: record only these processes and what they fork; none: the whole system
 * @cgroup: the directory of a control group: record the processes in it and below it, and what
 *	they fork; NULL: none
 * @follow: record only the command and its descendants
 * @buffer_bytes: ring buffer of each CPU; 0: chosen by memory
 * @clock: trace clock; NULL: CAPTURE_DEFAULT_CLOCK
 * @duration_ns: stop after this time; 0: no limit
 * @file_version: 6 or 7
 * @compress: compress the file with zstd when recording has ended; only version 7, see
 *	writer_can_compress()
 * @opening: read the kernel's lists of owners however long it takes
 * @exact_ledger: shrink all slab caches before slabinfo is read, at both ends
 * @stop_fd: a signalfd whose signals end the recording; -1: none
 * @child_sigmask: signal mask of the command
 * @started: called once tracing is on, before the command starts; may be NULL. @nr_tasks: the
 *	number of tasks recorded now; 0: all. @stacks_how: as in the result
 * @progress: called every CAPTURE_PROGRESS_MS while recording; may be NULL
 */
struct capture_options {
	const char *output;
	int stream_fd;
	const struct capture_live *live;
	char *const *argv;
	const char *command_line, *labels;
	struct event_choice events;
	enum probes_wish probes;
	const pid_t *pids;
	size_t nr_pids;
	const char *cgroup;
	bool follow;
	uint64_t buffer_bytes;
	const char *clock;
	uint64_t duration_ns;
	unsigned int file_version;
	bool compress, exact_ledger, opening;
	int stop_fd;
	const sigset_t *child_sigmask;
	void (*started)(void *ctx, size_t nr_tasks, const char *stacks_how);
	void (*progress)(void *ctx, const struct capture_progress *so_far);
	void *ctx;
	const struct log *log;
};

/* mono: an allocation on one CPU and the free on another are in order on every machine, in
 * nanoseconds comparable with CLOCK_MONOTONIC. local is ordered within a CPU only, global takes a
 * lock on each event, x86-tsc counts no nanoseconds. Measured on Linux 6.18 x86_64 with an
 * allocation storm: mono 1.65 times the bare workload, local 1.60, x86-tsc 1.91, and medians of 5
 * runs differ by more than the first two do.
 */
#define CAPTURE_DEFAULT_CLOCK "mono"

/* Each report reads the statistics of every CPU's buffer, some 20 us per CPU. */
#define CAPTURE_PROGRESS_MS 500

/**
 * struct capture_result - the outcome of a recording
 * @events: data records in the file, stacks included; for a flight recorder, those within the time
 *	that reports show
 * @wanted: @events without the frees by all tasks
 * @stacks_how: "page (trigger)", "page (option)", "all (option)", "none"
 * @file_bytes: size of the file
 * @duration_ns: from tracing on to tracing off
 * @overrun, @commit_overrun, @dropped: events lost, as the kernel counted them
 * @taken: events that another process read from the buffers
 * @meddled: what another process did that made events vanish uncounted; or NULL
 * @cut_bytes: bytes of pages that another process cut off the file
 * @write_error: errno of the write that ended the recording early; 0 if none did
 * @read_error: errno of a ring buffer that could not be read; 0 if all could
 * @missing: with @write_error: events that remained in the ring buffers
 * @exec_errno: why the command could not be executed; 0 if it was
 * @stop_signal: the signal that ended the recording; 0 if none did
 * @timed_out: @duration_ns ended it
 * @child: the command; it may still be running (capture_wait())
 */
struct capture_result {
	uint64_t events;
	uint64_t wanted;
	const char *stacks_how;
	uint64_t file_bytes;
	uint64_t duration_ns;
	uint64_t overrun, commit_overrun, dropped;
	uint64_t taken, cut_bytes;
	const char *meddled;
	int write_error;
	int read_error;
	uint64_t missing;
	int exec_errno;
	int stop_signal;
	bool timed_out;
	struct child child;
};

/**
 * capture_run() - record
 *
 * Whatever happens, the tracing instance is gone afterwards. On failure there is no file and an
 * existing one is untouched. A full disk is not a failure: the file then holds what was read until
 * then, is marked "truncated", and @result->write_error is set. So is @read_error if a CPU's buffer
 * could not be read to its end.
 *
 * Return: 0; -errno after a LOG_ERROR message. With @exec_errno set nothing was recorded. Call
 * capture_wait() in any case.
 */
int capture_run(const struct capture_options *opts,
		struct capture_result *result) __must_check;

/**
 * capture_wait() - wait for a command that outlives the recording, and release it
 *
 * Signals of @opts->stop_fd that only this process got are passed on. It never returns before the
 * command has ended. If the recording timed out, the command gets SIGTERM. Return: the command's
 * status as a shell has it (128 + signal), 0 without a command.
 */
int capture_wait(const struct capture_options *opts, struct capture_result *result);

/**
 * extract_run() - save a buffer
 * @opts: only these are used: output, command_line, file_version, compress, log
 * @name: the instance; NULL: the top-level instance
 * @stop: switch tracing off while reading, then restore it; else read no more than the buffer can
 *	hold
 * @result: events, file_bytes, what the kernel counted as lost, write_error
 *
 * Events that have been read are gone from the buffer. Nothing else changes: no event is switched
 * on or off, and the instance is not removed.
 *
 * Return: 0; -ESRCH without a message if there is no such instance; else -errno after a LOG_ERROR
 * message: -ENODATA if the buffer is empty. There is no file then, and an existing one is
 * untouched.
 */
int extract_run(const struct capture_options *opts, const char *name, bool stop,
		struct capture_result *result) __must_check;

#endif
