// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the kernel's own curve of each cache on a page.
 * In: the kernel's counts while events were recorded, rows of the page. Out: counts by cache.
 */
#include "analysis/browse/report_curve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds/census.h"
#include "base/array.h"
#include "recording/kernel_curve.h"

/* Adds up the counts of a class's caches; returns the bytes of an object, 0: it has no counts. */
static uint64_t sum_class(const struct kernel_curve *curve, const struct census *census,
			  uint32_t of, struct kernel_series *sum)
{
	uint64_t size = 0;
	uint32_t i = of < census->nr_classes ? census->classes[of].caches : UINT32_MAX;

	for (; i != UINT32_MAX; i = census->caches[i].next) {
		const char *name = intern_get(&census->names, i + 1, NULL);

		if (kernel_curve_sum(curve, KERNEL_SLAB, name, sum))
			size = census->caches[i].size;
	}
	return size;
}

static int add_cache(struct web_report *w, const struct kernel_curve *curve,
		     const struct census *census, uint32_t name)
{
	const char *cache = intern_get(&w->names, name, NULL);
	struct kernel_series sum = { { 0 } };
	uint64_t size = sum_class(curve, census, census_of_name(census, cache), &sum);
	size_t at = w->nr_curves * curve->nr;

	if (!size)
		return 0;
	if (array_reserve(&w->curves, &w->curves_capacity, w->nr_curves + 1,
			  sizeof(*w->curves)) ||
	    array_reserve(&w->counts, &w->counts_capacity, at + curve->nr,
			  sizeof(*w->counts)))
		return -ENOMEM;
	w->curves[w->nr_curves++] = (struct web_curve){ name, size };
	memcpy(&w->counts[at], sum.at, curve->nr * sizeof(*w->counts));
	return 0;
}

static int add_caches(struct web_report *w, const struct kernel_curve *curve,
		      const struct census *census)
{
	struct u64_map known = { 0 };
	int ret = 0;
	size_t i;

	for (i = 0; i < w->nr_rows && !ret; i++) {
		uint32_t cache = w->rows[i].kind == WEB_SLAB ? w->rows[i].cache : 0;

		if (!cache || u64_map_find(&known, cache))
			continue;
		ret = u64_map_insert(&known, cache, 0)
			      ? add_cache(w, curve, census, cache)
			      : -ENOMEM;
	}
	u64_map_free(&known);
	return ret;
}

int report_curve_fill(struct web_report *w, const struct analysis_env *env)
{
	/* The curve also covers a part of the time. */
	struct analysis_env whole = *env;
	struct kernel_curve curve = { 0 };
	struct census census = { 0 };
	int ret = kernel_curve_of(&curve, env->rec);

	whole.window = false;
	if (!ret) {
		ret = census_init(&census, &whole);
		w->moments = calloc(curve.nr, sizeof(*w->moments));
		if (!ret && !w->moments)
			ret = -ENOMEM;
	}
	if (!ret) {
		memcpy(w->moments, curve.times, curve.nr * sizeof(*w->moments));
		w->nr_moments = curve.nr;
		ret = add_caches(w, &curve, &census);
	}
	census_free(&census);
	kernel_curve_free(&curve);
	return ret == -ENOMEM ? ret : 0;
}
