// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/stats.h"

#include <math.h>

#include "base/array.h"

ORDER_NUMBERS(compare_doubles, double)

void values_sort(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare_doubles);
}

double values_quantile(const double *sorted, size_t nr, double part)
{
	double at = part * (double)(nr - 1), low;
	size_t i = (size_t)at;

	low = sorted[i];
	if (i + 1 < nr)
		low += (at - (double)i) * (sorted[i + 1] - low);
	return low;
}

struct runs_summary runs_summarise(double *values, size_t nr)
{
	struct runs_summary sum;

	values_sort(values, nr);
	sum.min = values[0];
	sum.max = values[nr - 1];
	sum.median =
		nr % 2 ? values[nr / 2] : values[nr / 2 - 1] / 2 + values[nr / 2] / 2;
	sum.spread = fmax(sum.max - sum.median, sum.median - sum.min);
	return sum;
}

/* The values of both sides in order. @rank is twice the middle rank of ties, so that all sums are
 * whole numbers.
 */
struct ranked {
	double value;
	size_t rank;
	bool first; /* belongs to the first side */
};

ORDER(compare_ranked, struct ranked, UP(value))

/* Ranks @all; returns the sum of t^3 - t over its ties. */
static double rank_all(struct ranked *all, size_t nr)
{
	double ties = 0;
	size_t end;

	qsort(all, nr, sizeof(*all), compare_ranked);
	for (size_t i = 0; i < nr; i = end) {
		double t;

		for (end = i + 1; end < nr && all[end].value == all[i].value; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].rank = i + 1 + end;
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

/* The fraction of all ways to choose @nr_a of the ranks whose sum is at least as far from the
 * middle as @sum. Adds rank by rank: ways[k * width + s] choices of k ranks have the sum s. The
 * counts stay below 2^53, as there are at most MANN_WHITNEY_EXACT_MAX ranks.
 */
static int exact_p(const struct ranked *all, size_t nr, size_t nr_a, size_t sum,
		   double *out)
{
	size_t width = nr * (nr + 1) + 1, middle = nr_a * (nr + 1), i, k, s;
	size_t far = sum > middle ? sum - middle : middle - sum;
	double *ways __auto_mem = calloc((nr_a + 1) * width, sizeof(*ways));
	double extreme = 0, total = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (i = 0; i < nr; i++) {
		size_t most = SMALLER(i + 1, nr_a);

		for (k = most; k > 0; k--) {
			const double *from = ways + (k - 1) * width;
			double *to = ways + k * width;

			for (s = all[i].rank; s < width; s++)
				to[s] += from[s - all[i].rank];
		}
	}
	for (s = 0; s < width; s++) {
		double n = ways[nr_a * width + s];

		total += n;
		if ((s > middle ? s - middle : middle - s) >= far)
			extreme += n;
	}
	*out = extreme / total;
	return 0;
}

static double normal_p(double u, double nr_a, double nr_b, double ties)
{
	double nr = nr_a + nr_b;
	double variance =
		nr_a * nr_b / 12 * (nr + 1 - ties / (nr > 1 ? nr * (nr - 1) : 1));
	double distance = fabs(u - nr_a * nr_b / 2) - 0.5;

	if (variance <= 0 || distance <= 0)
		return 1;
	return erfc(distance / sqrt(variance) / sqrt(2));
}

int mann_whitney_test(const double *a, size_t nr_a, const double *b, size_t nr_b,
		      double *p)
{
	size_t nr = nr_a + nr_b, sum = 0;
	struct ranked *all __auto_mem = NULL;
	double ties, u;

	if (!nr_a || !nr_b)
		return -EINVAL;
	all = calloc(nr, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		all[i].value = i < nr_a ? a[i] : b[i - nr_a];
		all[i].first = i < nr_a;
		if (isnan(all[i].value))
			return -EINVAL;
	}
	ties = rank_all(all, nr);
	for (size_t i = 0; i < nr; i++)
		sum += all[i].first ? all[i].rank : 0;
	if (nr <= MANN_WHITNEY_EXACT_MAX)
		return exact_p(all, nr, nr_a, sum, p);
	u = (double)sum / 2 - (double)nr_a * (double)(nr_a + 1) / 2;
	*p = normal_p(u, (double)nr_a, (double)nr_b, ties);
	return 0;
}

double mann_whitney_smallest(size_t nr_a, size_t nr_b)
{
	double choices = 1;

	for (size_t i = 1; i <= nr_a; i++)
		choices *= (double)(nr_b + i) / (double)i;
	return choices > 2 ? 2 / choices : 1;
}

struct test_p {
	double p;
	size_t index;
};

ORDER(compare_tests, struct test_p, UP(p))

long adjust_benjamini_hochberg(double *p, size_t nr)
{
	struct test_p *tests __auto_mem = calloc(nr ? nr : 1, sizeof(*tests));
	size_t nr_tests = 0;
	double least = 1;

	if (!tests)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!isnan(p[i]))
			tests[nr_tests++] = (struct test_p){ p[i], i };
	}
	qsort(tests, nr_tests, sizeof(*tests), compare_tests);
	/* Goes from the largest p down, so that no smaller p gets a larger value. */
	for (size_t i = nr_tests; i > 0; i--) {
		least = fmin(least, tests[i - 1].p * (double)nr_tests / (double)i);
		p[tests[i - 1].index] = least;
	}
	return (long)nr_tests;
}

/* Maximum number of steps in a continued fraction, and its precision. */
#define FRACTION_MAX	 300
#define FRACTION_EPSILON 1e-14

double sign_test_p(uint64_t up, uint64_t down)
{
	uint64_t nr = up + down, most = LARGER(up, down);
	double log_ways = -(double)nr * M_LN2, sum = 0;

	for (uint64_t i = nr; i && i >= most; i--) {
		sum += exp(log_ways);
		/* From the ways to choose i of nr to those of i - 1. */
		log_ways += log((double)i) - log((double)(nr - i + 1));
	}
	return fmin(1, 2 * sum);
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), sum = d, step = 0;

	for (double m = 1; m <= FRACTION_MAX && fabs(step - 1) > FRACTION_EPSILON; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		sum *= d * c;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		step = d * c;
		sum *= step;
	}
	return sum;
}

/* The regularised incomplete beta function; the fraction converges fast on one side. */
static double beta_part(double a, double b, double x)
{
	double front = lgamma(a + b) - lgamma(a) - lgamma(b);

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(front + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_tail(double t, double freedom)
{
	double tail = beta_part(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;

	return t > 0 ? tail : 1 - tail;
}
