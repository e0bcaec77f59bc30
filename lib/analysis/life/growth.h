/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how live memory grew.
 * In: changes of live bytes, by row, in time order. Out: live bytes at the ends of equal windows;
 * their slope, and the verdict.
 *
 * There are always 17 to 32 windows, however long the recording: when there would be more, they are
 * merged in pairs. Memory depends on the rows only.
 */
#ifndef KMEMX_ANALYSIS_GROWTH_H
#define KMEMX_ANALYSIS_GROWTH_H

#include "base/compiler.h"

#define GROWTH_WINDOWS 32

/* Live bytes of a row. @at: at the ends of the @nr windows passed so far; those that follow, up to
 * now, have @live. @settled is subtracted at the end.
 */
struct growth_row {
	uint64_t live, settled;
	uint32_t nr;
	uint64_t at[GROWTH_WINDOWS];
};

/**
 * struct growth - zero-initialise it
 * @first: start of the first window: the first change, if @begun
 * @shift: a window takes 2^shift of the clock's units
 * @failed: memory ran out; the numbers are void
 */
struct growth {
	uint64_t first;
	bool begun;
	unsigned int shift;
	struct growth_row *rows;
	size_t nr, capacity;
	bool failed;
};

/* At @ts, @row gains and loses these live bytes. Without memory, @g->failed is set. */
void growth_change(struct growth *g, uint32_t row, uint64_t ts, uint64_t gained,
		   uint64_t lost);
/* Subtracts @lost from @row's live bytes at the end. */
void growth_settle(struct growth *g, uint32_t row, uint64_t lost);
void growth_free(struct growth *g);

/**
 * struct growth_series - live bytes of several rows together
 * @at: at the end of each window, [@nr - 1] at the very end
 */
struct growth_series {
	uint64_t at[GROWTH_WINDOWS];
};

/* When live bytes were counted: @time since the first window began, at the end of each. */
struct growth_times {
	unsigned int nr;
	uint64_t time[GROWTH_WINDOWS];
};

/* The windows up to @end, the end of the recording. */
struct growth_times growth_times(const struct growth *g, uint64_t end);
/* Adds @row's live bytes in the windows up to @end to @to. */
void growth_add(const struct growth *g, uint32_t row, uint64_t end,
		struct growth_series *to);

enum growth_verdict {
	GROWTH_TOO_SHORT,
	GROWTH_STEADY,
	GROWTH_CACHE, /* set by the caller: the kernel gives it back when it needs memory */
	GROWTH_FILLED,
	GROWTH_GROWS,
};

/**
 * struct growth_fit - a line through a series
 * @known: there are enough windows for the interval
 * @slope: bytes for one unit of time: the median of the slopes of all pairs of windows (Theil
 *	   1950, Sen 1968)
 * @low, @high: its interval, at 95 %
 * @late: the slope of the last half of the windows alone
 * @fell: between two windows it fell by half or more, as what is freed in batches does
 */
struct growth_fit {
	bool known, fell;
	double slope, low, high, late;
	enum growth_verdict verdict;
};

struct growth_fit growth_fit(const struct growth_times *times,
			     const struct growth_series *series);
/* Scales @fit, made from bytes that seem to live, to the @part of them that probably do. Below one
 * half, the line is mostly that of bytes that are gone, so it proves no growth.
 */
void growth_scale(struct growth_fit *fit, double part);
/* "grows", "filled", "steady", "too short to tell". */
const char *growth_verdict_word(enum growth_verdict verdict);
/* The same for people: "steady" only says that no growth is proven. */
const char *growth_verdict_spell(const char *word);

#endif
