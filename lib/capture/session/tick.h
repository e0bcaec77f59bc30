/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what is done periodically while recording.
 * In: a running session. Out: names of tasks, the kernel's counts, progress, whether anything is
 * left to record.
 */
#ifndef KMEMX_CAPTURE_TICK_H
#define KMEMX_CAPTURE_TICK_H

#include "capture/session/session.h"

/**
 * struct tick - initialised by tick_start()
 * @begin_ns: when recording began, in CLOCK_MONOTONIC
 * @comms_ms, @comms_at_ns: how often task names are read, and when next
 * @progress_at_ns: when progress is reported next
 */
struct tick {
	struct session *session;
	uint64_t begin_ns;
	unsigned int comms_ms;
	uint64_t comms_at_ns, progress_at_ns;
};

/* Recording begins now. Returns how often tick_on() wants to be called, in ms. */
unsigned int tick_start(struct tick *t, struct session *s);
/* For struct pump_options, with a struct tick as @ctx. True: nothing is left to record. */
bool tick_on(void *ctx);

#endif
