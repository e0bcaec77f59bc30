// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: whether the kernel's own curve of a cache grows.
 * In: the kernel's counts while events were recorded. Out: their range, their slope with its
 * interval, and the most that the cache can have gained.
 */
#include "analysis/life/curve_growth.h"

/* growth_fit() needs as many windows for a verdict. */
#define MOMENTS_MIN 8

_Static_assert(KERNEL_CURVE_MOMENTS <= 2 * GROWTH_WINDOWS, "every second moment fits");

/* Every moment, or every second one, from the last one back. */
static struct growth_times choose(const struct kernel_curve *c,
				  const struct kernel_series *series,
				  struct growth_series *chosen)
{
	unsigned int step = c->nr > GROWTH_WINDOWS ? 2 : 1, i, k;
	struct growth_times times = { .nr = (c->nr + step - 1) / step };

	for (i = 0; i < times.nr; i++) {
		k = c->nr - 1 - (times.nr - 1 - i) * step;
		times.time[i] = c->times[k] - c->times[0];
		chosen->at[i] = series->at[k];
	}
	return times;
}

static void find_range(struct curve_growth *g, const struct kernel_curve *c,
		       const struct kernel_series *series)
{
	unsigned int i;

	g->first = g->min = g->max = series->at[0];
	g->last = series->at[c->nr - 1];
	g->span = c->times[c->nr - 1] - c->times[0];
	for (i = 1; i < c->nr; i++) {
		g->min = series->at[i] < g->min ? series->at[i] : g->min;
		g->max = series->at[i] > g->max ? series->at[i] : g->max;
	}
}

struct curve_growth curve_growth(const struct kernel_curve *c,
				 const struct kernel_series *series, uint64_t slack)
{
	struct curve_growth g = { .most_gain = UINT64_MAX };
	struct growth_series chosen = { { 0 } };
	struct growth_times times;
	uint64_t gain, rise;

	if (c->nr < MOMENTS_MIN)
		return g;
	g.known = true;
	g.slack = slack;
	find_range(&g, c, series);
	times = choose(c, series, &chosen);
	g.fit = growth_fit(&times, &chosen);
	/* A curve may also rise at once, or too unevenly for an interval. */
	rise = g.fit.known ? g.last : g.max;
	rise = rise > g.first ? rise - g.first : 0;
	gain = g.fit.high > 0 ? (uint64_t)(g.fit.high * (double)g.span) + 1 : 0;
	g.most_gain = slack + (gain > rise ? gain : rise);
	return g;
}

struct curve_growth curve_growth_class(const struct kernel_curve *c,
				       const struct census *census, uint32_t of)
{
	const struct curve_growth unknown = { .most_gain = UINT64_MAX };
	struct kernel_series sum = { { 0 } };
	bool any = false;
	uint32_t i;

	if (of >= census->nr_classes)
		return unknown;
	for (i = census->classes[of].caches; i != UINT32_MAX; i = census->caches[i].next)
		any |= kernel_curve_sum(c, KERNEL_SLAB,
					intern_get(&census->names, i + 1, NULL), &sum);
	return any ? curve_growth(c, &sum, census->classes[of].slack) : unknown;
}
