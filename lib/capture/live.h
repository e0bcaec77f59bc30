/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a recording whose pages are processed as they arrive, instead of being kept.
 * In: a session. Out: its pages, in rounds; optionally a stream of them in a file.
 */
#ifndef KMEMX_CAPTURE_LIVE_H
#define KMEMX_CAPTURE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "capture/pump.h"
#include "capture/session.h"

/* Hands over what the recording is without pages. 0; -errno after an LOG_ERROR message. */
int live_start(struct session *s) __must_check;
/* What the loop is to do; only with @s->opts->live. */
struct pump_live live_pump(struct session *s);
/* The last round, of everything; and the statistics. 0 or -errno. */
int live_end(struct session *s) __must_check;

/* Switches tracing off or on again; allocations and frees in between are not seen. 0 or -errno. */
int live_pause(struct session *s, bool paused) __must_check;
/* From now on pages go to the empty file @fd, too, as a stream (recording/wire.h); it stays the
 * caller's. 0 or -errno, also if there is one already (-EBUSY).
 */
int live_write(struct session *s, int fd) __must_check;
/* Ends the stream. 0 or -errno: then the file breaks off. */
int live_write_end(struct session *s) __must_check;

#endif
