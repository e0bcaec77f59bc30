/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: how much memory is used for what, at a moment.
 * In: /proc/meminfo and zoneinfo. Out: their texts.
 */
#ifndef KMEMX_CAPTURE_MEMORY_H
#define KMEMX_CAPTURE_MEMORY_H

#include "base/strbuf.h"

/**
 * memory_read() - read both files so that they tell of the same moment
 * @meminfo, @zoneinfo: empty; what cannot be read stays empty
 *
 * What CPUs have counted for themselves is added to the counters first (stat_refresh), which may be
 * 125 pages in each counter for each CPU. Free pages are in both files: both are read again, a few
 * times, while pages are allocated, or CPUs fill their lists, between them.
 */
void memory_read(struct strbuf *meminfo, struct strbuf *zoneinfo);

/* The sum of the numbers after @name, at the beginning of lines of @zoneinfo. */
uint64_t memory_zones(const char *zoneinfo, const char *name);
/* Of pages on the allocator's lists of CPUs. */
#define MEMORY_ON_CPUS "count:"
#endif
