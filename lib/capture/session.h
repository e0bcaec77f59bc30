/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the parts of a recording on their way into a file, for what records itself and
 * what finds a buffer recorded.
 * In: a tracing instance's pages and facts. Out: the file.
 */
#ifndef KMEMX_CAPTURE_SESSION_H
#define KMEMX_CAPTURE_SESSION_H

#include <time.h>

#include "base/compiler.h"
#include "capture/capture.h"
#include "capture/facts.h"
#include "capture/instance.h"
#include "capture/new_recording.h"
#include "capture/pids.h"
#include "capture/ring_reader.h"
#include "capture/watch.h"
#include "recording/sample.h"

/* The part of what a disk has left that the kernel's symbols may take before the first event. */
#define SESSION_SYMBOLS_SHARE 4

/* One recording in the making; @wire instead of a file, with @opts->stream_fd. */
struct session {
	const struct capture_options *opts;
	struct capture_result *result;
	const struct log *log;
	char token[NEW_FILE_TOKEN]; /* in the names of the instance and of files */
	struct instance instance;
	struct pids pids;
	struct event_list events;
	struct new_recording output;
	struct wire wire;
	struct wire unfinished; /* what the unfinished file begins with; fd -1: nothing */
	uint64_t unfinished_symbols; /* bytes of the kernel's symbols in it */
	struct ring_reader reader;
	struct facts facts;
	char clock[32];
	struct watch watch;
	struct watch_verdict verdict;
	enum events_self self;
	struct sample sample, stack_sample; /* one_in 0: of all, of none */
	bool shrunk_before, shrunk_after;   /* all slab caches */
	uint64_t buffer_bytes;		    /* a CPU of a ring buffer */
	bool has_watermark;		    /* the kernel knows buffer_percent */
	uint64_t
		read_before; /* events that had been read from the buffers at the start */
	struct timespec wall_start;
	uint64_t start_ts, stop_ts; /* of tracing, by its clock; 0: unknown */
	bool writing;		    /* with @opts->live, pages go to @wire, too */
	bool paused;		    /* tracing is off for a while */
	bool many_files; /* each is renamed: the name is not this one's alone */
};

/* Sets the caller's @result to nothing so far. */
void session_init(struct session *s, const struct capture_options *opts,
		  struct capture_result *result);
/* Frees all but the instance; an unfinished file is removed. */
void session_close(struct session *s);

/* Is a file made of it? */
static inline bool session_has_file(const struct session *s)
{
	return s->opts->stream_fd < 0 && !s->opts->live;
}

/* Chooses the token, and opens the output unless it is a stream; -errno after an LOG_ERROR
 * message.
 */
int session_begin(struct session *s) __must_check;
/* Opens the instance's buffers, with @s->clock set; -errno after an LOG_ERROR message. */
int session_open_reader(struct session *s) __must_check;
/* The tail of every CPU. On a full disk the rest stays unread: it is counted as lost. */
void session_drain_rest(struct session *s);
/* The number behind @key in a CPU's statistics, as of now; 0 if it has none. */
uint64_t session_statistic(const struct session *s, uint32_t cpu, const char *key);
/* What was recorded and lost so far, as the kernel counts; all but @out->ns. */
void session_progress(const struct session *s, struct capture_progress *out);
/* What other processes have done to the file; after the last page was written. */
void session_check_parts(struct session *s);
/* Every CPU's statistics, and what they say was recorded and lost into the result. */
int session_read_statistics(struct session *s) __must_check;
/* The current time of the instance's clock; 0 if the kernel does not report it (before 3.5). */
uint64_t session_now(const struct session *s);
int session_add_meta(struct session *s, const char *name, const char *text) __must_check;
/* What made the recording, and how: command line, program, page size, callchains. 0 or -ENOMEM. */
int session_add_recorder(struct session *s) __must_check;
/* Which events are switched on. 0 or -ENOMEM. */
int session_add_events(struct session *s) __must_check;
/* Counts slab objects @when, "before" or "after", with tracing on. 0 or -ENOMEM. */
int session_count_slabs(struct session *s, const char *when) __must_check;
/* Notes that a failed write or read cut the recording short, if one did. */
int session_add_truncated(struct session *s) __must_check;
/* Reads what stays the same of the system; -errno after an LOG_ERROR message. It takes long,
 * and megabytes of memory: before the state of the memory is read.
 */
int session_read_system(struct session *s) __must_check;
/* Composes the facts, unless @err: collecting them failed. 0 or -errno after an LOG_ERROR
 * message, of @err too.
 */
int session_compose(struct session *s, int err) __must_check;
/* Begins the unfinished file with the composed facts, as far as there is room for them. */
void session_begin_unfinished(struct session *s);
/* Adds the metadata that came since, and ends the beginning. 0 or -ENOMEM. */
int session_add_to_unfinished(struct session *s) __must_check;
/* Warns that the recording has no symbols of the kernel, and how to supply them. */
void session_say_no_symbols(const struct session *s);
/* Keeps room on the disk for what is written after the last event. 0; -ENOSPC, -EDQUOT. */
int session_reserve(struct session *s) __must_check;
/* The same where nothing is recorded without that room: then an LOG_ERROR message. */
int session_check_room(struct session *s) __must_check;
/* Writes the composed facts and the pages; -errno after an LOG_ERROR message. */
int session_join_file(struct session *s) __must_check;
/* The file takes its name; errors as above. */
int session_commit_file(struct session *s) __must_check;

#endif
