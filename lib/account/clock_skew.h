/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: how far apart the clocks of two CPUs may be.
 * In: a recording's clocks. Out: a bound, in their units.
 */
#ifndef KMEMX_ACCOUNT_CLOCK_SKEW_H
#define KMEMX_ACCOUNT_CLOCK_SKEW_H

#include <stdint.h>

#include "recording/recording.h"

/**
 * clock_skew() - the time within which events of two CPUs may have changed places
 *
 * 0 for clocks that all CPUs share: only events with the same time stamp have no order there. 10 us
 * for local, perf and x86-tsc, each CPU's own (Documentation/clocks.md). With several buffers, the
 * largest bound.
 */
uint64_t clock_skew(const struct recording *rec);

#endif
