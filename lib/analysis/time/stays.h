/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: in which part of the time memory was allocated and in which it ended, both at once.
 * In: lives of slab objects and of pages. Out: sums by row of the accounts, begin and end.
 *
 * Sums over time say how much was allocated in a range and how much ended in it, but not whether
 * that was the same memory.
 */
#ifndef KMEMX_ANALYSIS_STAYS_H
#define KMEMX_ANALYSIS_STAYS_H

#include "analysis/time/over_time.h"
#include "base/hash.h"

/* Limit of sums; after that, bins are merged in pairs. */
#define STAYS_MAX (1U << 19)

/* @bytes that row @row of the @memory allocated in bin @begin and that ended in bin @end. */
struct stay {
	uint32_t row;
	uint8_t memory;
	uint16_t begin, end;
	uint64_t bytes;
};

/**
 * struct stays - stays_init() it
 * @first, @width, @nr_bins: as those of struct over_time; @width can become twice as long, again
 *	and again
 * @places: row, begin and end -> number in @stays
 * @failed: memory ran out; the numbers are void
 */
struct stays {
	uint64_t first, width;
	uint32_t nr_bins;
	size_t limit;
	struct u64_map places;
	struct stay *stays;
	size_t nr, capacity;
	bool failed;
};

/* The same bins as @t has now. */
void stays_init(struct stays *s, const struct over_time *t, size_t limit);
/* Observes all accounts, which keep times for that; @s must not be moved. 0 or -ENOMEM. */
int stays_observe(struct stays *s, struct lives *const of[MEMORY_KINDS]) __must_check;
/* Adds memory that lived from @begin to @end. */
void stays_add(struct stays *s, enum memory memory, uint32_t row, const uint64_t times[2],
	       uint64_t bytes);
void stays_free(struct stays *s);

#endif
