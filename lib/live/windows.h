/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: sums over intervals of time.
 * In: what was allocated in each interval, by number of a group. Out: rates of the last one, a
 * series of those before, and totals.
 */
#ifndef KMEMX_LIVE_WINDOWS_H
#define KMEMX_LIVE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

/* Number of intervals that are kept. */
#define WINDOWS_KEPT 60

/* The number of a group that is gone. */
#define WINDOWS_GONE UINT32_MAX

/* Allocations, their bytes, and what is live. */
struct window_sums {
	uint64_t bytes, hit;
	uint64_t live_bytes, live_hit;
};

/**
 * struct window_group - zero: nothing yet
 * @step: of the last interval, or of the one that is being added up; what is live is as of its end
 * @total: .bytes and .hit since the group is known
 * @bytes: of each interval, a ring
 * @last: the number of the last interval in which something was allocated
 */
struct window_group {
	struct window_sums step, total;
	uint64_t bytes[WINDOWS_KEPT];
	uint64_t last;
};

/**
 * struct windows - zero-initialise it
 * @nr_steps: intervals so far
 * @lengths: of the intervals, in ns, a ring as struct window_group.bytes
 * @step, @total: of all groups, also of those that were forgotten; what is live is that of the
 *	groups there are
 */
struct windows {
	struct window_group *groups;
	size_t nr, capacity;
	uint64_t nr_steps;
	uint64_t lengths[WINDOWS_KEPT];
	struct window_sums step, total;
};

/* An interval begins. */
void windows_begin(struct windows *w);
/* @group, a small number, has allocated @more.bytes in @more.hit allocations, and @more.live_* of
 * it is live; added up where it is called several times. 0 or -ENOMEM.
 */
int windows_add(struct windows *w, uint32_t group,
		const struct window_sums *more) __must_check;
/* The interval ends; it has taken @ns. */
void windows_end(struct windows *w, uint64_t ns);

/* @count of the last interval as a rate per second. */
uint64_t windows_rate(const struct windows *w, uint64_t count);
/* Appends the bytes per second that @group allocated in each of the last @nr intervals, or of all
 * if there were fewer, the oldest first: "0|4096|0".
 */
void windows_series(const struct windows *w, uint32_t group, unsigned int nr,
		    struct strbuf *out);
/* Has @group allocated in one of the intervals that are kept? */
bool windows_active(const struct windows *w, uint32_t group);
/* Group @i gets the number @to[i], which is below @nr and unique; or WINDOWS_GONE: it is forgotten
 * except for its share of the totals. 0; -ENOMEM: nothing changed.
 */
int windows_renumber(struct windows *w, const uint32_t *to, size_t nr) __must_check;
/* All groups and totals are forgotten. */
void windows_free(struct windows *w);

#endif
