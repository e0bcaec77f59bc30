/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the progress of a recording.
 * In: counts, from time to time. Out: one line on stderr, if that is a terminal.
 */
#ifndef KMEMX_CMD_LIVE_LINE_H
#define KMEMX_CMD_LIVE_LINE_H

#include "base/log.h"
#include "capture/session/capture.h"

/**
 * struct live_line - zero-initialise it; live_line_start() before each recording
 * @off: never show the line
 * @shown: the line is on the terminal
 * @events, @ns: the last values shown, for the rate since then
 * @inner: where live_line_log() passes messages
 */
struct live_line {
	bool off, shown;
	uint64_t events, ns;
	struct log inner;
};

/* @wanted: show the line, if stderr is a terminal. */
void live_line_start(struct live_line *l, bool wanted);
/* Replaces the line by @so_far. */
void live_line_show(struct live_line *l, const struct capture_progress *so_far);
/* Removes the line. */
void live_line_end(struct live_line *l);
/* A log that removes the line before each message of @inner. @l must outlive it. */
struct log live_line_log(struct live_line *l, struct log inner);

#endif
