/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: whether the kernel's own curve of a cache grows.
 * In: the kernel's counts while events were recorded. Out: their range, their slope with its
 * interval, and the most that the cache can have gained.
 *
 * A row whose events seem to grow faster than its cache grows does not: what it lost had no event.
 * The slope and its interval are computed as those of rows (growth.h), so the two compare.
 */
#ifndef KMEMX_ANALYSIS_CURVE_GROWTH_H
#define KMEMX_ANALYSIS_CURVE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/bounds/census.h"
#include "analysis/life/growth.h"
#include "recording/kernel_curve.h"

/**
 * struct curve_growth - what the kernel's curve says of a cache, or of a class of the census
 * @known: the cache has a count at 8 moments at least; else all but @fit.verdict is 0, and anything
 *	is possible
 * @first, @last, @min, @max: objects at the first and the last moment; the fewest and the most
 * @span: time from the first moment to the last, in units of the trace clock
 * @slack: free objects that a count may include, and the next one may not
 * @fit: @fit.slope is in objects for one unit of the clock, from @fit.low to @fit.high if
 *	@fit.known; @fit.late: of the last half
 * @most_gain: the most objects that a steady growth can have gained over @span, by @fit.high and
 *	@slack; UINT64_MAX: unknown
 */
struct curve_growth {
	bool known;
	uint64_t first, last, min, max, span, slack;
	struct growth_fit fit;
	uint64_t most_gain;
};

/* Judges @series, which has a value at each moment of @c. */
struct curve_growth curve_growth(const struct kernel_curve *c,
				 const struct kernel_series *series, uint64_t slack);
/* Judges class @of of @census (census_of_name(), census_of_kmalloc()): the sum of its caches, whose
 * slack the census knows. UINT32_MAX as @of, and a class without a count, are unknown.
 */
struct curve_growth curve_growth_class(const struct kernel_curve *c,
				       const struct census *census, uint32_t of);

/* Can the cache have gained @objects steadily? @objects: by events, what rows gained and lost
 * together, not what one row gained while others lost. True if it is unknown.
 */
static inline bool curve_growth_allows(const struct curve_growth *g, uint64_t objects)
{
	return !g->known || objects <= g->most_gain;
}

#endif
