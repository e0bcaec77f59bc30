/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what a recording has so far, while it is made.
 * In: counts, now and then. Out: one line on stderr, if that is a terminal.
 */
#ifndef KMEMX_CMD_LIVE_LINE_H
#define KMEMX_CMD_LIVE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "capture/capture.h"

/**
 * struct live_line - zero-initialise it; live_line_start() before each recording
 * @off: nothing is ever shown; @shown: the line is on the terminal
 * @events, @ns: as of the last time, for the rate since
 * @inner: the log whose messages come through live_line_log()
 */
struct live_line {
	bool off, shown;
	uint64_t events, ns;
	struct log inner;
};

/* @wanted: it is to be shown where that is possible: stderr is a terminal of some width. */
void live_line_start(struct live_line *l, bool wanted);
/* Shows @so_far in place of what is shown. */
void live_line_show(struct live_line *l, const struct capture_progress *so_far);
/* Removes the line. */
void live_line_end(struct live_line *l);
/* A log that removes the line before each message of @inner. @l must outlive it. */
struct log live_line_log(struct live_line *l, struct log inner);

#endif
