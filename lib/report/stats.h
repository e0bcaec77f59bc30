/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: statistics of several runs, or of several hosts.
 * In: one number each. Out: median and spread, and whether two sides differ.
 */
#ifndef KMEMX_REPORT_STATS_H
#define KMEMX_REPORT_STATS_H

#include "base/compiler.h"

/* Up to this many runs on both sides together, the distribution is exact. */
#define MANN_WHITNEY_EXACT_MAX 40

/**
 * struct runs_summary - one side
 * @median: for an even number of runs, the mean of the middle two
 * @spread: the largest distance of a run from the median
 */
struct runs_summary {
	double median, spread, min, max;
};

/* Sorts @values by size; none may be NAN. */
void values_sort(double *values, size_t nr);
/* The quantile @part (0 to 1) of @nr sorted values, at least one. Interpolates between two values,
 * as most programs do (type 7 of Hyndman and Fan, 1996).
 */
double values_quantile(const double *sorted, size_t nr, double part);

/* Sorts @values. @nr is at least 1. */
struct runs_summary runs_summarise(double *values, size_t nr);

/**
 * mann_whitney_test() - do two sides differ?
 * @p: how often U, the pairs in which the first side's value is larger, where ties count one half,
 *	would be at least this far from its middle if the sides did not differ (two-sided). Exact
 *	for up to MANN_WHITNEY_EXACT_MAX runs, over all ways to split the values with their ties;
 *	else from the normal distribution, corrected for ties and continuity
 *
 * H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", 1947; ties get their middle rank.
 *
 * Return: 0; -EINVAL if a side is empty or a value is NAN; -ENOMEM. On errors, @p is unchanged.
 */
int mann_whitney_test(const double *a, size_t nr_a, const double *b, size_t nr_b,
		      double *p) __must_check;
/* The smallest p possible with these numbers of runs, without ties. */
double mann_whitney_smallest(size_t nr_a, size_t nr_b);
/**
 * adjust_benjamini_hochberg() - correct for the number of tests
 * @p: in: p of each test; out: the smallest false discovery rate at which it counts as a
 *	difference. NANs are not tests and are kept.
 *
 * Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", 1995.
 * Return: the number of tests, or -ENOMEM.
 */
long adjust_benjamini_hochberg(double *p, size_t nr) __must_check;

/* The sign test: the probability that of @up + @down coins, at least one, so many or more show the
 * same side (two-sided).
 */
double sign_test_p(uint64_t up, uint64_t down);

/* The probability that Student's t with @freedom degrees of freedom (above 0) exceeds @t. */
double student_tail(double t, double freedom);

#endif
