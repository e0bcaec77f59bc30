/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: what several runs say.
 * In: one number a run. Out: median and spread, and whether two sides differ.
 */
#ifndef KMEMX_REPORT_STATS_H
#define KMEMX_REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/* Runs of both sides together up to which the test's distribution is counted out. */
#define MANN_WHITNEY_EXACT_MAX 40

/**
 * struct runs_summary - one side
 * @median: the mean of the middle two of an even number
 * @spread: the largest distance of a run from the median
 */
struct runs_summary {
	double median, spread, min, max;
};

/* Sorts @values, of which there is at least one. */
struct runs_summary runs_summarise(double *values, size_t nr);

/**
 * struct mann_whitney - the test's outcome
 * @u: pairs in which the value of the first side is the larger; ties count a half
 * @p: how often, if the sides did not differ, @u would be as far from its middle (two-sided)
 * @exact: counted out over all ways to split the values, ties as they are; else from the
 *	   normal distribution, with corrections for ties and continuity
 */
struct mann_whitney {
	double u, p;
	bool exact;
};

/**
 * mann_whitney_test() - do two sides differ?
 *
 * H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", 1947; ties get their middle rank.
 *
 * Return: 0; -EINVAL if a side is empty or a value is no number; -ENOMEM.
 */
int mann_whitney_test(const double *a, size_t nr_a, const double *b, size_t nr_b,
		      struct mann_whitney *out) __must_check;
/* The smallest p that runs of these numbers can give, without ties. */
double mann_whitney_smallest(size_t nr_a, size_t nr_b);
/**
 * adjust_benjamini_hochberg() - correct for the number of tests
 * @p: in: p of each test; out: the smallest false discovery rate at which it counts as a
 *     difference. Those that are not a number were no tests and stay.
 *
 * Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", 1995.
 * Return: the number of tests, or -ENOMEM.
 */
long adjust_benjamini_hochberg(double *p, size_t nr) __must_check;

#endif
