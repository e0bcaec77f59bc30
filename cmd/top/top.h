/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx top: what the tables and the screen share.
 * In: a monitor and its session. Out: reports, one per interval.
 */
#ifndef KMEMX_CMD_TOP_H
#define KMEMX_CMD_TOP_H

#include "base/log.h"
#include "capture/session/session.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "live/monitor.h"
#include "live/top_table.h"

/* The options. Their strings point into argv. @silent: no tables, only @metrics. */
struct top_options {
	const char *by, *sort, *output, *stack, *metrics;
	struct option_strings pids, skip;
	bool of[MEMORY_KINDS], follow, all_cpus, batch, json;
	bool raw_ip, raw_names, sites, quiet, silent;
	uint64_t one_in, count, interval_ns, duration_ns, buffer_bytes, lines;
	unsigned int verbose;
	struct output_options form;
};

struct top_screen;

/**
 * struct top - one run
 * @session: the tracing session, while it runs
 * @view: what to show next
 * @begin, @step_at: monotonic times of the start of the run and of the interval
 * @round_ns: how often buffers are read
 * @cpu_at: CPU time of this process at @step_at
 * @shown: number of intervals shown
 * @frozen: the last report stays on the screen
 * @paused_at: when tracing was turned off; 0 if it is on
 * @write_fd: the recording @path that is being written; -1 if none
 * @messages: kept while there is a screen
 * @screen: NULL: tables go to standard output
 * @metrics_err: why the last metrics could not be written, or 0
 * @exit_code: EXIT_OK, or the exit code to end with
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
	int metrics_err, exit_code;
};

/* If @err is not 0, says that kmemx cannot go on, and sets EXIT_FAILED. Returns whether it is an
 * error.
 */
bool top_fail(struct top *top, int err);
/* Makes the report of the last interval, which the caller frees; NULL after a message. */
struct report *top_make_report(struct top *top);
/* The only kind of memory that is shown, or -1 if all are. */
int top_shown_alone(const struct top *top);
/* Replaces the metrics file. Reports a failure only once; the next interval tries again. */
void top_write_metrics(struct top *top);
/* Changes what rows stand for. False after a message. */
bool top_set_by(struct top *top, enum subject_kind by);
/* Turns tracing off, or on again. 0 or -errno. */
int top_pause(struct top *top, bool paused);
/* Begins or ends a recording of the events from now on, @top->path. 0 or -errno. */
int top_write(struct top *top);
/* Ends the recording. 0, or -errno if the file is incomplete. */
int top_write_end(struct top *top);

/* Was kmemx built with support for a screen? */
bool top_screen_built(void);
/* Takes over the terminal. NULL if it cannot be used. */
struct top_screen *top_screen_open(struct top *top);
/* Shows the last interval, or what a key changed. */
void top_screen_draw(struct top_screen *s);
/* Handles keys; also call it without input, as the terminal's size may have changed. True if the
 * user quits or the terminal is gone.
 */
bool top_screen_keys(struct top_screen *s);
/* Gives the terminal back. */
void top_screen_close(struct top_screen *s);

#endif
