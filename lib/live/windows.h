/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: sums over intervals of time.
 * In: allocations of each interval, by group number. Out: rates of the last interval, a series of
 * earlier ones, and totals.
 */
#ifndef KMEMX_LIVE_WINDOWS_H
#define KMEMX_LIVE_WINDOWS_H

#include "base/strbuf.h"

/* Number of intervals that are kept. */
#define WINDOWS_KEPT 60U

/* The number of a dropped group. */
#define WINDOWS_GONE UINT32_MAX

/* Allocations, their bytes, and live memory. */
struct window_sums {
	uint64_t bytes, hit;
	uint64_t live_bytes, live_hit;
};

/**
 * struct window_group - zeroed: no allocations yet
 * @step: sums of the last or current interval; live figures are as of its end
 * @total: .bytes and .hit since the group exists
 * @bytes: bytes of each interval, a ring buffer
 * @last: the number of the last interval with an allocation
 */
struct window_group {
	struct window_sums step, total;
	uint64_t bytes[WINDOWS_KEPT];
	uint64_t last;
};

/**
 * struct windows - zero-initialise it
 * @nr_steps: intervals so far
 * @lengths: lengths of the intervals in ns, a ring buffer like struct window_group.bytes
 * @step, @total: sums of all groups, including dropped ones; live figures include only existing
 *	groups
 */
struct windows {
	struct window_group *groups;
	size_t nr, capacity;
	uint64_t nr_steps;
	uint64_t lengths[WINDOWS_KEPT];
	struct window_sums step, total;
};

/* Begins an interval. */
void windows_begin(struct windows *w);
/* Adds @more.bytes in @more.hit allocations to @group, a small number, of which @more.live_* is
 * live. Several calls add up. 0 or -ENOMEM.
 */
int windows_add(struct windows *w, uint32_t group,
		const struct window_sums *more) __must_check;
/* Ends the interval, which took @ns. */
void windows_end(struct windows *w, uint64_t ns);

/* @count of the last interval as a rate per second. */
uint64_t windows_rate(const struct windows *w, uint64_t count);
/* Appends the bytes per second that @group allocated in each of the last @nr intervals, or in all
 * if there were fewer, oldest first: "0|4096|0".
 */
void windows_series(const struct windows *w, uint32_t group, unsigned int nr,
		    struct strbuf *out);
/* Has @group allocated in any of the stored intervals? */
bool windows_active(const struct windows *w, uint32_t group);
/* Renumbers group @i to @to[i], which is below @nr and unique; WINDOWS_GONE drops it, except its
 * share of the totals. 0; -ENOMEM: nothing changed.
 */
int windows_renumber(struct windows *w, const uint32_t *to, size_t nr) __must_check;
/* Drops all groups and totals. */
void windows_free(struct windows *w);

#endif
