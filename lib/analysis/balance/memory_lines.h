/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the lines that all memory is split into.
 * In: the kernel's counters, of meminfo and zoneinfo; a recording. Out: bytes of each line, which
 * add up to MemTotal. Documentation/balance.md says what each line is.
 */
#ifndef KMEMX_ANALYSIS_MEMORY_LINES_H
#define KMEMX_ANALYSIS_MEMORY_LINES_H

#include "analysis/balance/page_use.h"

/**
 * struct memory_line - a line
 * @plus, @minus: counters of meminfo, in KiB
 * @use: of its pages; USE_NR: no event tells
 */
struct memory_line {
	const char *name;
	const char *plus[6], *minus[2];
	enum page_use use;
};

#define MEMORY_LINES	 15U
#define MEMORY_LINE_FREE 0
#define MEMORY_LINE_CPUS 1

extern const struct memory_line memory_lines[MEMORY_LINES];

/* The name of the line that pages of @use, not USE_NR, are in. */
const char *memory_line_of(enum page_use use);

/**
 * struct memory_counters - the kernel's counters at a moment
 * @value: the counter @name of meminfo, in KiB; false: the kernel does not have it
 * @moment: of a curve
 * @on_cpus: bytes on the allocator's lists of CPUs, of zoneinfo
 */
struct memory_counters {
	bool (*value)(const struct memory_counters *c, const char *name, uint64_t *kib);
	const void *from;
	unsigned int moment;
	int64_t on_cpus;
};

/* Counters by the texts of meminfo and zoneinfo, which must outlive them. */
struct memory_counters memory_counters_text(const char *meminfo, const char *zoneinfo,
					    uint64_t page_size);
/* Are stacks part of VmallocUsed? From 5.3 on, if vmalloc maps stacks (CONFIG_VMAP_STACK). */
bool memory_counters_stacks(const struct memory_counters *c);
/* Sets @figures to the bytes of each line, which add up to MemTotal, and returns that.
 * @stacks_inside: memory_counters_stacks() at all moments that are compared.
 */
int64_t memory_lines_read(const struct memory_counters *c, bool stacks_inside,
			  int64_t figures[MEMORY_LINES]);

/* Does @rec have the counters before and after it? */
bool memory_lines_known(const struct recording *rec);
/* Sets @figures to the bytes of each line before and after @rec, whose machine's pages have
 * @page_size bytes, and @total to MemTotal. Counters of missing or damaged texts are 0.
 */
void memory_lines_of(const struct recording *rec, uint64_t page_size,
		     int64_t figures[2][MEMORY_LINES], int64_t total[2]);

#endif
