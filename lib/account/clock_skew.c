// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: how far apart the clocks of two CPUs may be.
 * In: a recording's clocks. Out: a bound, in their units.
 */
#include "account/clock_skew.h"

#include <string.h>

#include "base/compiler.h"

#define SKEW_NS	    10000
#define SKEW_CYCLES 32768 /* assumes 3 GHz where the file gives no TSC frequency */

/* Cycles in SKEW_NS: ns = cycles * mult >> shift. */
static uint64_t skew_cycles(const struct recording *rec)
{
	if (!rec->tsc_mult || rec->tsc_shift > 40)
		return SKEW_CYCLES;
	return ((uint64_t)SKEW_NS << rec->tsc_shift) / rec->tsc_mult;
}

uint64_t clock_skew(const struct recording *rec)
{
	static const char *const of_each_cpu[] = { "local", "perf", "x86-tsc", "ppc-tb" };
	uint64_t largest = 0;
	uint32_t b;
	size_t i;

	for (b = 0; b < rec->nr_buffers; b++) {
		const char *clock = recording_clock(rec, b);

		for (i = 0; i < ARRAY_SIZE(of_each_cpu); i++) {
			uint64_t skew =
				recording_clock_is_ns(clock) ? SKEW_NS : skew_cycles(rec);

			if (!strcmp(clock, of_each_cpu[i]) && skew > largest)
				largest = skew;
		}
	}
	return largest;
}
