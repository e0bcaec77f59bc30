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
#include "capture/session/session.h"

/**
 * struct flight_buffers - the buffers of all CPUs, of both instances if there are two
 * @bytes: size of each; @limit: its largest size
 * @time_ns: the time that they must hold
 * @held_ns: the least that one held when it was found too short
 */
struct flight_buffers {
	struct session *s;
	uint64_t bytes, limit, time_ns, held_ns;
	bool told;
};

/* The initial size of a CPU's buffer, for @total bytes or @time_ns; 0: the default. */
uint64_t flight_buffers_first(uint64_t total, uint64_t time_ns, bool has_frees);
/* Call it when the session's buffers exist. */
void flight_buffers_init(struct flight_buffers *b, struct session *s, uint64_t time_ns);
/* Do they hold less than @time_ns, and may they grow? Warns once if they may not. */
bool flight_buffers_short(struct flight_buffers *b);
/* Enlarges the buffers so that they hold the time at the present rate, within the limit. Their
 * events are kept. Returns 0 even if they cannot grow.
 */
int flight_buffers_grow(struct flight_buffers *b);
/* Bytes of all buffers together, now and at most. */
uint64_t flight_buffers_bytes(const struct flight_buffers *b);
uint64_t flight_buffers_limit(const struct flight_buffers *b);

#endif
