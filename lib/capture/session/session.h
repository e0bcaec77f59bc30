/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: moves a recording's parts into a file, for a recorder and for a buffer that was already
 * filled.
 * In: a tracing instance's pages and facts. Out: the file.
 */
#ifndef KMEMX_CAPTURE_SESSION_H
#define KMEMX_CAPTURE_SESSION_H

#include <time.h>

#include "capture/events/instance.h"
#include "capture/events/pids.h"
#include "capture/events/probes.h"
#include "capture/events/ring_reader.h"
#include "capture/events/watch.h"
#include "capture/facts/facts.h"
#include "capture/facts/mappings.h"
#include "capture/file/new_recording.h"
#include "capture/session/capture.h"
#include "recording/sample.h"

/* Share of the free disk space that the kernel's symbols may take before the first event. */
#define SESSION_SYMBOLS_SHARE 4

/* One recording in progress. With @opts->stream_fd, it goes to @wire instead of a file. */
struct session {
	const struct capture_options *opts;
	struct capture_result *result;
	const struct log *log;
	char token[NEW_FILE_TOKEN]; /* in the names of the instance and its files */
	struct instance instance;
	struct pids pids;
	struct event_list events;
	struct probes probes;
	struct new_recording output;
	struct wire wire;
	struct wire unfinished; /* the beginning of the unfinished file; fd -1: none */
	uint64_t unfinished_symbols; /* bytes of the kernel's symbols in it */
	uint64_t metadata_bytes;     /* most bytes of its other metadata so far */
	struct ring_reader reader;
	struct facts facts;
	struct mappings *mappings; /* NULL: user-space frames are not recorded */
	char clock[32];
	struct watch watch;
	struct watch_verdict verdict;
	enum events_self self;
	struct sample sample, stack_sample; /* one_in 0: everything, or no stacks */
	bool shrunk_before, shrunk_after;   /* all slab caches */
	uint64_t buffer_bytes;		    /* size of a CPU's ring buffer */
	bool has_watermark;		    /* the kernel knows buffer_percent */
	uint64_t read_before; /* events read from the buffers before the start */
	struct timespec wall_start;
	uint64_t start_ts, stop_ts; /* tracing on, off, by the trace clock; 0: unknown */
	uint64_t begin_ns; /* tracing on, by CLOCK_MONOTONIC; capture_run() only */
	bool writing;	   /* with @opts->live, pages also go to @wire */
	bool many_files;   /* each file is renamed: the name is shared with others */
};

/* Resets the caller's @result. */
void session_init(struct session *s, const struct capture_options *opts,
		  struct capture_result *result);
/* Frees everything except the instance; removes an unfinished file. */
void session_close(struct session *s);

/* Is a file being written? */
static inline bool session_has_file(const struct session *s)
{
	return s->opts->stream_fd < 0 && !s->opts->live;
}

/* Chooses the token, and opens the output unless it is a stream; -errno after a LOG_ERROR
 * message.
 */
int session_begin(struct session *s) __must_check;
/* Opens the instance's buffers; @s->clock is set. -errno after a LOG_ERROR message. */
int session_open_reader(struct session *s) __must_check;
/* Reads the tail of every CPU. On a full disk the rest stays unread and is counted as lost. */
void session_drain_rest(struct session *s);
/* The current number after @key in a CPU's statistics; 0 if there is none. */
uint64_t session_statistic(const struct session *s, uint32_t cpu, const char *key);
/* Starts watching for other users of the instance, or resumes it after a pause: @s->watch. */
void session_watch(struct session *s);
/* What was recorded and lost so far, as the kernel counts it; sets all but @out->ns. */
void session_progress(const struct session *s, struct capture_progress *out);
/* Finds out what other processes have done to the file; call it after the last page was written. */
void session_check_parts(struct session *s);
/* Reads every CPU's statistics, and adds what was recorded and lost to the result. */
int session_read_statistics(struct session *s) __must_check;
/* The current time of the instance's clock; 0 if the kernel does not report it (before 3.5). */
uint64_t session_now(const struct session *s);
/* The same, without asking the kernel if user space has that clock, too. */
uint64_t session_time(const struct session *s);
/* Reads the kernel's counts now, if a curve of them was opened. If memory runs out, there is no
 * curve.
 */
void session_take_counts(struct session *s);
void session_add_meta(struct session *s, const char *name, const char *text);
/* Adds how the recording was made: command line, program, page size, callchains. */
void session_add_recorder(struct session *s);
/* Adds the recording's span, complete from @from to @s->stop_ts, and its duration. */
void session_add_span(struct session *s, uint64_t from);
/* Counts slab objects, @when "before" or "after", with tracing on. */
void session_count_slabs(struct session *s, const char *when);
/* Notes that a failed write or read cut the recording short, if one did. */
void session_add_truncated(struct session *s);
/* Reads what does not change about the system; -errno after a LOG_ERROR message. It is slow and
 * takes megabytes, so call it before the state of the memory is read.
 */
int session_read_system(struct session *s) __must_check;
/* Composes the facts, unless collecting them failed with @err. 0 or -errno after a LOG_ERROR
 * message, for @err too.
 */
int session_compose(struct session *s, int err) __must_check;
/* Begins the unfinished file with the composed facts, as far as there is room. */
void session_begin_unfinished(struct session *s);
/* Adds later metadata to the unfinished file, and ends its beginning. 0 or -ENOMEM. */
int session_add_to_unfinished(struct session *s) __must_check;
/* Warns that the recording lacks kernel symbols, and how to supply them. */
void session_say_no_symbols(const struct session *s);
/* Reserves disk space for what is written after the last event. 0; -ENOSPC, -EDQUOT. */
int session_reserve(struct session *s) __must_check;
/* The same, but nothing is recorded without that room: failure logs a LOG_ERROR message. */
int session_check_room(struct session *s) __must_check;
/* Writes the composed facts and the pages; -errno after a LOG_ERROR message. */
int session_join_file(struct session *s) __must_check;
/* Gives the file its name; errors as above. */
int session_commit_file(struct session *s) __must_check;

/**
 * struct tick - initialised by tick_start()
 * @begin_ns: when recording began, in CLOCK_MONOTONIC
 * @comms_ms, @comms_at_ns: how often task names are read, and when next
 * @progress_at_ns: when progress is reported next
 */
struct tick {
	struct session *session;
	uint64_t begin_ns;
	unsigned int comms_ms;
	uint64_t comms_at_ns, progress_at_ns;
};

/* Call it when recording begins. Returns how often to call tick_on(), in ms. */
unsigned int tick_start(struct tick *t, struct session *s);
/* Does what is due. True: nothing is left to record. */
bool tick_on(struct tick *t);

/* Moves pages until the command ends, a signal comes, the time is over, or the disk is full; the
 * result says which. A signal that only this process got is passed on to the command. Return: 0 for
 * any of these; -errno if it cannot wait or read.
 */
int pump_run(struct session *s) __must_check;
/* Waits for @child and passes signals on to it. */
void pump_wait_child(struct child *child, int stop_fd);

/**
 * setup_instance() - begin the output, create the instance, fork the command, which waits
 *
 * Does everything that can fail or that allocates much. Return: 0; -errno after a LOG_ERROR
 * message; the caller removes the instance in any case.
 */
int setup_instance(struct session *s) __must_check;
/* Enables the events with tracing off. From now on, events in the instance's buffers mean that
 * something was recorded (dead.h). Errors as for setup_instance().
 */
int setup_events(struct session *s) __must_check;
/* Are frees by all tasks recorded into a ring buffer of their own? */
bool setup_has_frees(const struct capture_options *opts);
/* The number of CPUs' ring buffers; the largest size of each, in bytes, if the user gives none. */
uint64_t setup_nr_buffers(bool has_frees);
uint64_t setup_share_of_memory(bool has_frees);
/* Are only some tasks recorded? */
bool setup_by_task(const struct capture_options *opts);
/* Writes to the instance, then to the second one if there is one. 0 or -errno. */
int setup_write(const struct session *s, const char *file, const char *text);
/* Adds the metadata known before the recording starts, with @s->wall_start. */
void setup_add_facts(struct session *s);
/* Switches tracing on, for the frees first: what is allocated from now on may be freed at once. */
int setup_switch_on(const struct session *s) __must_check;

/* A recording whose pages are processed as they arrive, in rounds, instead of being kept. Passes on
 * the recording without pages. 0; -errno after a LOG_ERROR message.
 */
int live_start(struct session *s) __must_check;
/* Reads everything that all CPUs have; called every round_ms, or sooner if buffers fill up. True:
 * the recording ends.
 */
bool live_round(struct session *s);
/* Runs the last round, which reads everything, and reads the statistics. 0 or -errno. */
int live_end(struct session *s) __must_check;

/* Switches tracing off or on again; allocations and frees in between are not recorded.
 * 0 or -errno.
 */
int live_pause(struct session *s, bool paused) __must_check;
/* From now on also writes pages to the empty file @fd as a stream (recording/wire.h). The caller
 * keeps @fd. 0 or -errno; -EBUSY if a stream is already being written.
 */
int live_write(struct session *s, int fd) __must_check;
/* Ends the stream. 0 or -errno: the file then breaks off. */
int live_write_end(struct session *s) __must_check;

#endif
