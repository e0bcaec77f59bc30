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
#include "capture/output.h"
#include "capture/reader.h"

/* One recording in the making; @wire instead of a file, with @opts->stream_fd. */
struct session {
	const struct capture_options *opts;
	struct capture_result *result;
	const struct log *log;
	struct instance instance;
	struct event_list events;
	struct output output;
	struct wire wire;
	struct wire head; /* what the unfinished file begins with; fd -1: nothing */
	struct reader reader;
	struct facts facts;
	char clock[32];
	bool has_watermark; /* the kernel knows buffer_percent */
	uint64_t
		read_before; /* events that had been read from the buffers at the start */
	struct timespec wall_start;
};

/* Sets the caller's @result to nothing so far. */
void session_init(struct session *s, const struct capture_options *opts,
		  struct capture_result *result);
/* Frees all but the instance; an unfinished file is removed. */
void session_close(struct session *s);

/* Opens the instance's buffers, with @s->clock set; -errno after an LOG_ERROR message. */
int session_open_reader(struct session *s) __must_check;
/* The tail of every CPU. On a full disk the rest stays unread: it is counted as lost. */
int session_drain_rest(struct session *s) __must_check;
/* The number behind @key in a CPU's statistics, as of now; 0 if it has none. */
uint64_t session_statistic(const struct session *s, uint32_t cpu, const char *key);
/* Every CPU's statistics, and what they say was recorded and lost into the result. */
int session_read_statistics(struct session *s) __must_check;
int session_add_meta(struct session *s, const char *name, const char *text) __must_check;
/* Notes that a full disk cut the recording short, if it did. */
int session_add_truncated(struct session *s) __must_check;
/* Writes the composed facts and the pages; -errno after an LOG_ERROR message. */
int session_finish_file(struct session *s) __must_check;

#endif
