// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/life/growth.h"

#include <math.h>

#include "base/array.h"
#include "report/stats.h"

#define FIRST_SHIFT 10
#define PAIRS	    (GROWTH_WINDOWS * (GROWTH_WINDOWS - 1) / 2)

/* Minimum number of windows with live bytes for a verdict. */
#define WINDOWS_MIN	8
/* 95 % of a standard normal distribution lie within this. */
#define NORMAL_95	1.96
/* Upper limit of the correlation: above it, the interval of 17 windows becomes useless. */
#define CORRELATION_MAX 0.7
/* A smaller part of the bytes is rounding error. */
#define ROUNDING	1e-9
/* Growth must continue in the last half of the time, with at least this part of the slope. */
#define LATE_PART	0.25
/* If a smaller part of what seems to live does, the line says nothing about growth. */
#define LIVING_PART	0.5
/* A row that rose by more than this factor has filled, though it may not have grown evenly. */
#define RISE		2
/* Windows are compared in this many blocks. The mean of the 7 rises from block to block must exceed
 * so many standard errors: 99.95 % of Student's t with 6 degrees of freedom are less.
 */
#define BLOCKS		8
#define EVENLY		5.96

/* The row with that number; NULL: no memory. */
static struct growth_row *growth_row(struct growth *g, uint32_t row)
{
	if (likely(row < g->nr))
		return &g->rows[row];
	if (array_reach(&g->rows, &g->nr, &g->capacity, row + 1UL)) {
		g->failed = true;
		return NULL;
	}
	return &g->rows[row];
}

static void pass_windows(struct growth_row *row, uint64_t nr)
{
	while (row->nr < nr)
		row->at[row->nr++] = row->live;
}

/* Merges windows in pairs. */
static void growth_fold(struct growth *g)
{
	for (struct growth_row *row = g->rows; row < g->rows + g->nr; row++) {
		pass_windows(row, row->nr + row->nr % 2);
		row->nr /= 2;
		for (uint32_t i = 0; i < row->nr; i++)
			row->at[i] = row->at[2 * i + 1];
	}
	g->shift++;
}

void growth_change(struct growth *g, uint32_t number, uint64_t ts, uint64_t gained,
		   uint64_t lost)
{
	struct growth_row *row = growth_row(g, number);
	uint64_t since;

	if (unlikely(!g->begun)) {
		g->begun = true;
		g->first = ts;
		g->shift = FIRST_SHIFT;
	}
	/* If the clock steps back, stay in the current window. */
	since = less(ts, g->first);
	while (unlikely(since >> g->shift >= GROWTH_WINDOWS))
		growth_fold(g);
	if (unlikely(!row))
		return;
	pass_windows(row, since >> g->shift);
	row->live += gained - lost;
}

void growth_settle(struct growth *g, uint32_t number, uint64_t lost)
{
	struct growth_row *row = growth_row(g, number);

	if (row)
		row->settled += lost;
}

void growth_free(struct growth *g)
{
	free(g->rows);
	*g = (struct growth){ 0 };
}

/* How many times windows must be merged in pairs to cover the time @since the first one began. */
static unsigned int folds(const struct growth *g, uint64_t since)
{
	unsigned int n = 0;

	while (since >> (g->shift + n) >= GROWTH_WINDOWS)
		n++;
	return n;
}

struct growth_times growth_times(const struct growth *g, uint64_t end)
{
	uint64_t since = g->begun ? less(end, g->first) : 0;
	unsigned int shift = g->shift + folds(g, since), i;
	struct growth_times t = { 0 };

	if (!g->begun)
		return t;
	t.nr = (unsigned int)(since >> shift) + 1;
	for (i = 0; i < t.nr; i++)
		t.time[i] = (i + 1ULL) << shift;
	t.time[t.nr - 1] = since;
	return t;
}

void growth_add(const struct growth *g, uint32_t number, uint64_t end,
		struct growth_series *to)
{
	uint64_t since = less(end, g->first);
	unsigned int n = folds(g, since), nr, i;
	const struct growth_row *row;

	if (number >= g->nr)
		return;
	row = &g->rows[number];
	nr = (unsigned int)(since >> (g->shift + n)) + 1;
	for (i = 0; i < nr; i++) {
		uint64_t last = ((i + 1ULL) << n) - 1; /* of the merged windows */

		if (i + 1 == nr)
			to->at[i] += row->live - row->settled;
		else
			to->at[i] += last < row->nr ? row->at[last] : row->live;
	}
}

/* The slopes of all pairs of windows, starting at @from, sorted; returns how many. */
static unsigned int pair_slopes(const struct growth_times *t,
				const struct growth_series *s, unsigned int from,
				double slopes[PAIRS])
{
	unsigned int nr = 0, i, k;

	for (i = from; i < t->nr; i++) {
		for (k = i + 1; k < t->nr; k++) {
			double rise = (double)s->at[k] - (double)s->at[i];

			if (t->time[k] > t->time[i])
				slopes[nr++] = rise / (double)(t->time[k] - t->time[i]);
		}
	}
	values_sort(slopes, nr);
	return nr;
}

static double median(const double *sorted, unsigned int nr)
{
	return nr ? (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2 : 0;
}

/* Correlation of the residuals of neighbouring windows. */
static double correlation(const struct growth_times *t, const struct growth_series *s,
			  double slope)
{
	double rest[GROWTH_WINDOWS], mean = 0, all = 0, next = 0, least = 0;

	for (unsigned int i = 0; i < t->nr; i++) {
		rest[i] = (double)s->at[i] - slope * (double)t->time[i];
		mean += rest[i];
		if ((double)s->at[i] > least)
			least = (double)s->at[i];
	}
	mean /= t->nr;
	least *= ROUNDING;
	for (unsigned int i = 0; i < t->nr; i++) {
		all += (rest[i] - mean) * (rest[i] - mean);
		if (i)
			next += (rest[i] - mean) * (rest[i - 1] - mean);
	}
	if (all <= least * least * t->nr || next <= 0)
		return 0;
	return next / all < CORRELATION_MAX ? next / all : CORRELATION_MAX;
}

/* The interval: ranks of the slopes by Kendall's variance (Sen 1968), widened by the correlation of
 * neighbouring windows (Yue and Wang 2004).
 */
static void find_interval(struct growth_fit *fit, const double *slopes, unsigned int nr,
			  unsigned int nr_windows, double r)
{
	double n = nr_windows;
	double variance = n * (n - 1) * (2 * n + 5) / 18 * (1 + r) / (1 - r);
	double half = NORMAL_95 * sqrt(variance) / 2, low = nr / 2.0 - half;
	unsigned int rank = (unsigned int)(low > 0 ? low : 0); /* from 1 on */

	fit->known = rank >= 1;
	if (!fit->known)
		return;
	fit->low = slopes[rank - 1];
	fit->high = slopes[nr - rank];
}

/* The median of live bytes in the windows from @from up to, but not including, @to. */
static double level(const struct growth_series *series, unsigned int from,
		    unsigned int to)
{
	double at[GROWTH_WINDOWS] = { 0 };

	for (unsigned int i = from; i < to; i++)
		at[i - from] = (double)series->at[i];
	values_sort(at, to - from);
	return median(at, to - from);
}

/* Is the level of the last half more than RISE times that of the first quarter? */
static bool rose(const struct growth_times *times, const struct growth_series *series)
{
	unsigned int nr = times->nr;

	return level(series, nr / 2, nr) > RISE * level(series, 0, nr / 4);
}

/* Does it rise from block to block, by more than the rises differ? Memory that comes and goes with
 * tasks also rises for some time, but by jumps up and down, like a random walk.
 */
static bool rises_evenly(const struct growth_series *series, unsigned int from,
			 unsigned int to)
{
	double at[BLOCKS], mean, square = 0;
	unsigned int i, nr = to - from;

	if (nr < BLOCKS)
		return false;
	for (i = 0; i < BLOCKS; i++)
		at[i] = level(series, from + i * nr / BLOCKS,
			      from + (i + 1) * nr / BLOCKS);
	mean = (at[BLOCKS - 1] - at[0]) / (BLOCKS - 1);
	for (i = 1; i < BLOCKS; i++)
		square += (at[i] - at[i - 1] - mean) * (at[i] - at[i - 1] - mean);
	return mean > EVENLY * sqrt(square / (BLOCKS - 1) / (BLOCKS - 2));
}

/* The same for all of the time, or for the last half: a leak may begin late. */
static bool grew_evenly(const struct growth_times *times,
			const struct growth_series *series)
{
	return rises_evenly(series, 0, times->nr) ||
	       rises_evenly(series, times->nr / 2, times->nr);
}

/* Is it still no higher than before it last fell by half or more? Then it is freed in batches, and
 * has not reached their threshold again.
 */
static bool below_threshold(const struct growth_times *times,
			    const struct growth_series *series, bool *fell)
{
	uint64_t threshold = 0;

	for (unsigned int i = 1; i < times->nr; i++)
		if (series->at[i] <= series->at[i - 1] / 2 && series->at[i - 1])
			threshold = series->at[i - 1];
	*fell = threshold != 0;
	return times->nr && series->at[times->nr - 1] <= threshold;
}

struct growth_fit growth_fit(const struct growth_times *times,
			     const struct growth_series *series)
{
	struct growth_fit fit = { .verdict = GROWTH_TOO_SHORT };
	double slopes[PAIRS] = { 0 };
	unsigned int nr = pair_slopes(times, series, 0, slopes), used = 0, i;
	bool below = below_threshold(times, series, &fit.fell);

	for (i = 0; i < times->nr; i++)
		used += series->at[i] != 0;
	fit.slope = median(slopes, nr);
	if (used < WINDOWS_MIN)
		return fit;
	find_interval(&fit, slopes, nr, times->nr, correlation(times, series, fit.slope));
	nr = pair_slopes(times, series, times->nr / 2, slopes);
	fit.late = median(slopes, nr);
	if (!fit.known)
		return fit;
	if (fit.low > 0 && below)
		fit.verdict = GROWTH_STEADY;
	else if (fit.low > 0 && fit.late < LATE_PART * fit.slope)
		fit.verdict = GROWTH_FILLED;
	else if (fit.low > 0 && grew_evenly(times, series))
		fit.verdict = GROWTH_GROWS;
	else
		fit.verdict = rose(times, series) ? GROWTH_FILLED : GROWTH_STEADY;
	return fit;
}

void growth_scale(struct growth_fit *fit, double part)
{
	fit->slope *= part;
	fit->low *= part;
	fit->high *= part;
	fit->late *= part;
	if (part < LIVING_PART &&
	    (fit->verdict == GROWTH_GROWS || fit->verdict == GROWTH_FILLED))
		fit->verdict = GROWTH_STEADY;
}

const char *growth_verdict_word(enum growth_verdict verdict)
{
	static const char *const words[] = {
		[GROWTH_TOO_SHORT] = "too short to tell",
		[GROWTH_STEADY] = "steady",
		[GROWTH_CACHE] = "cache",
		[GROWTH_FILLED] = "filled",
		[GROWTH_GROWS] = "grows",
	};

	return words[verdict];
}

const char *growth_verdict_spell(const char *word)
{
	return !strcmp(word, growth_verdict_word(GROWTH_STEADY)) ? "no proven growth"
								 : word;
}
