/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: clocks as one number.
 * In: a clock of clock_gettime(2). Out: its nanoseconds.
 */
#ifndef KMEMX_BASE_CLOCK_H
#define KMEMX_BASE_CLOCK_H

#include <time.h>

#include "base/compiler.h"

/* Nanoseconds of @clock, which must exist on this system. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
