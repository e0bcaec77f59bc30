// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: all analyses.
 * In: nothing. Out: an array of analyses, each from its own file.
 */
#include "analysis/pass/analyze.h"

/* One line each, in the order of reports and -h; each names an analysis_NAME of some file. */
/* clang-format off */
#define ANALYSES(line) \
	line(slab) \
	line(page) \
	line(vmalloc) \
	line(percpu_memory) \
	line(calls) \
	line(account) \
	line(ledger) \
	line(allocinfo) \
	line(sizes) \
	line(flags) \
	line(opening) \
	line(lifetime) \
	line(leaks) \
	line(peak) \
	line(export) \
	line(owners) \
	line(everything) \
	line(summary) \
	line(balance) \
	line(advise) \
	line(frag) \
	line(percpu) \
	line(percpu_cross) \
	line(footprint) \
	line(report) \
	line(comparison_slab) \
	line(comparison_slab_cache) \
	line(comparison_page) \
	line(comparison_vmalloc) \
	line(comparison_percpu_memory) \
	line(comparison_slab_dir) \
	line(comparison_page_dir) \
	line(comparison_slab_stack) \
	line(comparison_page_stack) \
	line(live_over_time)
/* clang-format on */

#define DECLARATION(name) extern const struct analysis analysis_##name;
#define ENTRY(name)	  &analysis_##name,

ANALYSES(DECLARATION)

static const struct analysis *const analyses[] = { ANALYSES(ENTRY) };

_Static_assert(ARRAY_SIZE(analyses) < ANALYSES_MAX, "arrays of flags have room for them");

const struct analysis *analysis_at(size_t i)
{
	return i < ARRAY_SIZE(analyses) ? analyses[i] : NULL;
}

const struct analysis *analysis_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(analyses); i++) {
		if (!strcmp(analyses[i]->name, name))
			return analyses[i];
	}
	return NULL;
}
