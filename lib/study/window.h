/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: which part of a recording is meant.
 * In: a time window, an instance, and an open recording. Out: time stamps.
 */
#ifndef KMEMX_STUDY_WINDOW_H
#define KMEMX_STUDY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "event/time_window.h"
#include "recording/recording.h"

/**
 * struct window - a part of a recording; zero-initialised: all of it
 * @time: as the user wrote it; NULL: no bounds. @parsed: what time_window_parse() made of it
 * @instance: only the ring buffer of this name; NULL: all of them
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

/* Fills in the time stamps. 0; -EOPNOTSUPP bounds in seconds, of a clock that does not count
 * them; -ERANGE it ends before it begins.
 */
int window_resolve(struct window *w, const struct recording *rec) __must_check;
/* Does ring buffer @i take part? */
bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i);

#endif
