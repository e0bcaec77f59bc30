/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --time and --instance: which part of a recording is meant.
 * In: the options' values and an open recording. Out: time stamps, or a message.
 */
#ifndef KMEMX_CMD_WINDOW_H
#define KMEMX_CMD_WINDOW_H

#include "event/time_window.h"
#include "input.h"

/**
 * struct window - a part of a recording; zero-initialised: all of it
 * @time, @instance: the options' values; NULL: not given
 * @buffer: the first ring buffer with events that takes part: whose clock counts
 * @first_ts, @last_ts: what the buffers that take part span; 0 without events
 * @start_ts, @stop_ts: the window's bounds, both included
 */
struct window {
	const char *time, *instance;
	struct time_window parsed;
	uint32_t buffer;
	uint64_t first_ts, last_ts;
	uint64_t start_ts, stop_ts;
};

/* Reads @time before a file is opened: GO_ON, or EXIT_USAGE after a message. */
int window_check(struct window *w, const char *command) __must_check;
/* Fills in the time stamps: GO_ON, or EXIT_USAGE after a message. */
int window_resolve(struct window *w, const struct input *in) __must_check;
/* Does ring buffer @i take part? */
bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i);
/* Opens the events of the window, in other respects as @opts say: GO_ON, or the exit
 * code after a message.
 */
int window_open_stream(struct window *w, const struct input *in,
		       const struct event_stream_options *opts,
		       struct event_stream **out) __must_check;

#endif
