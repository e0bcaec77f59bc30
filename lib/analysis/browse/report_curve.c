// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the kernel's own curve of each cache, and of all memory, on a page.
 * In: the kernel's counts while events were recorded, rows of the page. Out: counts by cache; bytes
 * by line of the balance.
 */
#include "analysis/browse/report_rows.h"

#include "analysis/balance/memory_lines.h"
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
	if (array_grow(&w->curves, w->nr_curves) ||
	    array_reserve(&w->counts, &w->counts_capacity, at + curve->nr))
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

	for (size_t i = 0; i < w->nr_rows && !ret; i++) {
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

/* KiB beyond which a counter is damage: 4 PiB, so that sums do not overflow. */
#define KIB_MAX (1ULL << 42)

static bool value_of_curve(const struct memory_counters *c, const char *name,
			   uint64_t *kib)
{
	const struct kernel_series *series =
		kernel_curve_find(c->from, KERNEL_MEMINFO, name);

	if (!series || series->at[c->moment] > KIB_MAX)
		return false;
	*kib = series->at[c->moment];
	return true;
}

static struct memory_counters counters_at(const struct kernel_curve *curve,
					  unsigned int moment, uint32_t page_size)
{
	const struct kernel_series *on_cpus =
		kernel_curve_find(curve, KERNEL_ZONEINFO, "count");
	uint64_t pages = on_cpus ? on_cpus->at[moment] : 0;

	return (struct memory_counters){
		.value = value_of_curve,
		.from = curve,
		.moment = moment,
		.on_cpus = pages < KIB_MAX ? (int64_t)pages * page_size : 0,
	};
}

/* Adds the lines of all memory, if the recorder has read enough counters for that. */
static int add_lines(struct web_report *w, const struct kernel_curve *curve,
		     uint32_t page_size)
{
	int64_t figures[MEMORY_LINES];
	bool inside = true;

	if (!kernel_curve_find(curve, KERNEL_MEMINFO, "MemTotal"))
		return 0;
	w->lines = calloc(MEMORY_LINES, sizeof(*w->lines));
	for (size_t i = 0; i < MEMORY_LINES && w->lines; i++) {
		w->lines[i].name =
			web_report_name(w, page_use_title(memory_lines[i].name));
		w->lines[i].bytes = calloc(curve->nr, sizeof(*w->lines[i].bytes));
		if (!w->lines[w->nr_lines++].bytes)
			return -ENOMEM;
	}
	for (unsigned int m = 0; m < curve->nr; m++) {
		struct memory_counters counters = counters_at(curve, m, page_size);

		inside &= memory_counters_stacks(&counters);
	}
	for (unsigned int m = 0; m < curve->nr && w->lines; m++) {
		struct memory_counters counters = counters_at(curve, m, page_size);

		(void)memory_lines_read(&counters, inside, figures);
		for (size_t i = 0; i < MEMORY_LINES; i++)
			w->lines[i].bytes[m] = figures[i];
	}
	return w->lines ? 0 : -ENOMEM;
}

int report_curve_fill(struct web_report *w, const struct analysis_env *env)
{
	/* The curve can be used for a part of the time, too. */
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
	ret = ret ?: add_lines(w, &curve, env->page_size);
	census_free(&census);
	kernel_curve_free(&curve);
	return ret == -ENOMEM ? ret : 0;
}
