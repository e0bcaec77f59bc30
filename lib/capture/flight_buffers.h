/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: how much a flight recorder remembers.
 * In: a size, or a time. Out: ring buffers that are large enough, within bounds.
 */
#ifndef KMEMX_CAPTURE_FLIGHT_BUFFERS_H
#define KMEMX_CAPTURE_FLIGHT_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "capture/session.h"

/**
 * struct flight_buffers - of all CPUs, and of both instances where there are two
 * @bytes: of each; @limit: the most that it may become
 * @time_ns: what they are to hold
 */
struct flight_buffers {
	struct session *s;
	uint64_t bytes, limit, time_ns;
	bool told;
};

/* The size of a CPU's buffer to begin with, for @total bytes or @time_ns; 0: the default. */
uint64_t flight_buffers_first(uint64_t total, uint64_t time_ns, bool has_frees);
/* The session's buffers are there. */
void flight_buffers_init(struct flight_buffers *b, struct session *s, uint64_t time_ns);
/* Do they hold less than @time_ns, and may they grow? Warns once if they may not. */
bool flight_buffers_short(struct flight_buffers *b);
/* Doubles them, within the limit; their events are kept. Returns 0 even if they cannot grow. */
int flight_buffers_grow(struct flight_buffers *b);
/* Of all of them together. */
uint64_t flight_buffers_bytes(const struct flight_buffers *b);

#endif
