/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx top: what the tables and the screen have in common.
 * In: a monitor and its session. Out: reports, one an interval.
 */
#ifndef KMEMX_CMD_TOP_H
#define KMEMX_CMD_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/log.h"
#include "capture/session.h"
#include "live/monitor.h"
#include "live/top_table.h"
#include "options.h"
#include "output.h"

/* What the options fill; the texts are argv's. */
struct top_options {
	const char *by, *sort, *output, *stack;
	struct option_strings pids, skip;
	bool slab, page, follow, all_cpus, batch, json;
	bool raw_ip, raw_names, sites, quiet;
	uint64_t count, interval_ns, duration_ns, buffer_bytes, lines;
	unsigned int verbose;
	struct output_options form;
};

struct top_screen;

/**
 * struct top - one run
 * @session: of the recording, while that runs
 * @view: what is shown next
 * @step_at, @begin: times of the monotonic clock: when the interval began, when all did
 * @round_ns: buffers are read so often
 * @cpu_at: CPU time of this process at that time
 * @shown: intervals that were shown
 * @frozen: the last report stays; @paused_at: tracing is off since then, or 0
 * @write_fd: a recording is written there, as @path; -1: none is
 * @messages: while there is a screen
 * @screen: NULL: tables go to standard output
 * @exit_code: EXIT_OK, or why it ended
 */
struct top {
	struct top_options opts;
	struct monitor monitor;
	struct session *session;
	struct top_view view;
	struct sort_keys keys;
	uint64_t begin, step_at, round_ns, cpu_at, shown;
	bool begun, frozen;
	uint64_t paused_at;
	int write_fd;
	char path[4096];
	struct top_screen *screen;
	struct strbuf messages;
	struct log log;
	int exit_code;
};

/* Unless @err is 0: says that it cannot go on, and ends with EXIT_FAILED. Is it an error? */
bool top_fail(struct top *top, int err);
/* The report of the last interval, the caller's; NULL after a message. */
struct report *top_make_report(struct top *top);
/* Other rows from now on. False: no memory. */
bool top_set_by(struct top *top, enum subject_kind by);
/* Tracing off, or on again. 0 or -errno. */
int top_pause(struct top *top, bool paused);
/* Begins or ends a recording of what comes; its name is in @top->path. 0 or -errno. */
int top_write(struct top *top);
/* Ends it. 0; -errno: the file breaks off. */
int top_write_end(struct top *top);

#endif
