/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the kernel's own counts, read while events are recorded.
 * In: /proc/slabinfo, meminfo, vmstat, buddyinfo, zoneinfo, now and then. Out: a curve of up to
 * KERNEL_CURVE_MOMENTS moments, however long the recording.
 *
 * When the curve is full, every second moment is dropped and the next ones are twice as far apart.
 * The CPU time of each moment is measured, and the next one comes at least 256 times that later:
 * all of them together take less than 0.4 % of one CPU. Reading shrinks no cache.
 */
#ifndef KMEMX_CAPTURE_CURVE_H
#define KMEMX_CAPTURE_CURVE_H

#include "base/strbuf.h"
#include "recording/kernel_curve.h"

enum curve_file {
	CURVE_SLABINFO,
	CURVE_MEMINFO,
	CURVE_VMSTAT,
	CURVE_BUDDYINFO,
	CURVE_ZONEINFO,
	CURVE_FILES
};

/**
 * struct curve - zero-initialise it; curve_free() at the end
 * @open: curve_open() was successful; without it, the other functions do nothing
 * @latest: see curve_open()
 * @fds: of the files; those that cannot be read are -1
 * @texts: their last contents, kept for their memory
 * @first_ns, @next_ns: when the first moment was and the next one is due, in CLOCK_MONOTONIC
 * @apart_ns: how far apart moments are; @spent_ns: CPU time of all of them
 */
struct curve {
	bool open, latest;
	int fds[CURVE_FILES];
	struct strbuf texts[CURVE_FILES];
	struct kernel_curve counts;
	uint64_t first_ns, next_ns, apart_ns, spent_ns;
};

/**
 * curve_open() - open the files, which stay open
 * @proc: /proc, or a directory like it
 * @latest: for a flight recorder, of which only the end is kept: the curve's moments become sparser
 *	with their age
 *
 * Return: 0; -errno if slabinfo cannot be read.
 */
int curve_open(struct curve *c, const char *proc, bool latest) __must_check;
/* Is a moment due at @now, in CLOCK_MONOTONIC? */
static inline bool curve_due(const struct curve *c, uint64_t now)
{
	return c->open && now >= c->next_ns;
}

/* Reads the counts. @time: now, by the trace clock; @ns: it counts nanoseconds. The moment's time
 * is the middle of the reading of slabinfo. 0 or -ENOMEM; nothing is added if slabinfo fails.
 */
int curve_take(struct curve *c, uint64_t time, bool ns) __must_check;
void curve_free(struct curve *c);

/**
 * memory_read() - read meminfo and zoneinfo as of the same moment
 * @meminfo, @zoneinfo: empty; what cannot be read stays empty
 *
 * First adds the counts that CPUs still keep to themselves to the counters (stat_refresh): up to
 * 125 pages per CPU and counter. Both files count free pages: if many pages were allocated or moved
 * to CPUs' lists between the two readings, it reads both again, a few times.
 */
void memory_read(struct strbuf *meminfo, struct strbuf *zoneinfo);

#endif
