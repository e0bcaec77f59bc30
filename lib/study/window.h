/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: the selected part of a recording.
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
 * @time: as the user wrote it; NULL: no bounds. @parsed: the result of time_window_parse()
 * @instance: only the ring buffer of this name; NULL: all of them
 * @buffer: the first selected ring buffer with events; its clock counts
 * @first_ts, @last_ts: time span of the selected buffers; 0 without events
 * @start_ts, @stop_ts: the window's bounds, both included
 */
struct window {
	const char *time, *instance;
	struct time_window parsed;
	uint32_t buffer;
	uint64_t first_ts, last_ts;
	uint64_t start_ts, stop_ts;
};

/* Fills in the time stamps. 0; -EOPNOTSUPP for bounds in seconds if the clock does not count them;
 * -ERANGE if the window ends before it begins.
 */
int window_resolve(struct window *w, const struct recording *rec) __must_check;
/* Is ring buffer @i selected? */
bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i);

#endif
