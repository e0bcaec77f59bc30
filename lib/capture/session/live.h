/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a recording whose pages are processed as they arrive, instead of being kept.
 * In: a session. Out: its pages, in rounds; optionally a stream of them in a file.
 */
#ifndef KMEMX_CAPTURE_LIVE_H
#define KMEMX_CAPTURE_LIVE_H

#include "capture/session/pump.h"
#include "capture/session/session.h"

/* Passes on the recording without pages. 0; -errno after a LOG_ERROR message. */
int live_start(struct session *s) __must_check;
/* The callbacks for the loop; only with @s->opts->live. */
struct pump_live live_pump(struct session *s);
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
