// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: median, spread, the tests and the correction, report/stats.c.
 *
 * Compares the test with the published table of critical values and with a second implementation
 * that tries every way to split the values.
 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "report/stats.h"

START_TEST(median_and_spread)
{
	double odd[] = { 5, 1, 9 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };
	double large[] = { 1.7e308, 1.7e308 };
	struct runs_summary s = runs_summarise(odd, 3);

	ck_assert(s.median == 5 && s.spread == 4 && s.min == 1 && s.max == 9);
	s = runs_summarise(even, 4);
	ck_assert(s.median == 2.5 && s.spread == 1.5);
	s = runs_summarise(one, 1);
	ck_assert(s.median == 7 && s.spread == 0);
	s = runs_summarise(large, 2);
	ck_assert(s.median == 1.7e308);
}
END_TEST

/* Two-sided critical values of U at 0.05 from textbooks: the largest significant U, for n1 down and
 * n2 = 4, 5, ... 20 across; -1: no U is significant.
 */
static const struct {
	size_t n1, n2;
	int critical;
} published[] = {
	{ 3, 4, -1 },	 { 4, 4, 0 },	 { 4, 5, 1 },	 { 4, 10, 5 },	 { 5, 5, 2 },
	{ 5, 6, 3 },	 { 5, 10, 8 },	 { 6, 6, 5 },	 { 6, 9, 10 },	 { 7, 7, 8 },
	{ 7, 12, 18 },	 { 8, 8, 13 },	 { 8, 15, 29 },	 { 9, 9, 17 },	 { 10, 10, 23 },
	{ 10, 20, 55 },	 { 11, 11, 30 }, { 12, 12, 37 }, { 13, 13, 45 }, { 14, 14, 55 },
	{ 15, 15, 64 },	 { 16, 16, 75 }, { 17, 17, 87 }, { 18, 18, 99 }, { 19, 19, 113 },
	{ 20, 20, 127 },
};

/* Fills @a and @b with 1..n1+n2 so that U of @a is @u. */
static void make_u(double *a, size_t n1, double *b, size_t n2, size_t u)
{
	size_t i, j, value = 1, next_a = 0;

	/* Element i of @a comes after place[i] elements of @b; their sum is U. */
	size_t place[20];

	for (i = n1; i-- > 0;) {
		place[i] = u < n2 ? u : n2;
		u -= place[i];
	}
	for (j = 0; j <= n2; j++) {
		for (; next_a < n1 && place[next_a] == j; next_a++)
			a[next_a] = (double)value++;
		if (j < n2)
			b[j] = (double)value++;
	}
}

/* U by comparing every pair. */
static double pairs_u(const double *a, size_t n1, const double *b, size_t n2)
{
	double u = 0;
	size_t i, j;

	for (i = 0; i < n1; i++) {
		for (j = 0; j < n2; j++)
			u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	}
	return u;
}

START_TEST(critical_values)
{
	size_t n1 = published[_i].n1, n2 = published[_i].n2;
	int critical = published[_i].critical;
	double a[20], b[20], p;

	if (critical >= 0) {
		make_u(a, n1, b, n2, (size_t)critical);
		ck_assert_int_eq(mann_whitney_test(a, n1, b, n2, &p), 0);
		ck_assert(pairs_u(a, n1, b, n2) == critical);
		ck_assert_msg(p <= 0.05, "%zu, %zu: p(%d) = %g", n1, n2, critical, p);
	}
	make_u(a, n1, b, n2, (size_t)(critical + 1));
	ck_assert_int_eq(mann_whitney_test(a, n1, b, n2, &p), 0);
	ck_assert(pairs_u(a, n1, b, n2) == critical + 1);
	ck_assert_msg(p > 0.05, "%zu, %zu: p(%d) = %g", n1, n2, critical + 1, p);
}
END_TEST

/* p by enumeration of all subsets of @n1 values as the first side. */
static double enumerated_p(const double *values, size_t n1, size_t n2, double u)
{
	double far = fabs(u - (double)(n1 * n2) / 2), a[16], b[16];
	unsigned long subset, extreme = 0, total = 0;

	for (subset = 0; subset < 1UL << (n1 + n2); subset++) {
		size_t na = 0, nb = 0, i;

		if ((size_t)__builtin_popcountl(subset) != n1)
			continue;
		for (i = 0; i < n1 + n2; i++) {
			if (subset >> i & 1)
				a[na++] = values[i];
			else
				b[nb++] = values[i];
		}
		total++;
		extreme += fabs(pairs_u(a, n1, b, n2) - (double)(n1 * n2) / 2) >= far;
	}
	return (double)extreme / (double)total;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

START_TEST(random_cases)
{
	uint32_t state = 6;
	unsigned int i, k;

	for (i = 0; i < 1000; i++) {
		size_t n1 = 1 + next_random(&state) % 6, n2 = 1 + next_random(&state) % 6;
		uint32_t range = 1 + next_random(&state) % 40; /* small: many ties */
		double values[12], u, p, got;

		for (k = 0; k < n1 + n2; k++)
			values[k] = next_random(&state) % range;
		u = pairs_u(values, n1, values + n1, n2);
		p = enumerated_p(values, n1, n2, u);
		ck_assert_int_eq(mann_whitney_test(values, n1, values + n1, n2, &got), 0);
		ck_assert_msg(fabs(got - p) < 1e-12, "case %u: %.15g, not %.15g", i, got,
			      p);
	}
}
END_TEST

START_TEST(normal_is_near_exact)
{
	double a[21], b[20], exact, normal;
	size_t u;

	/* One more run exceeds the limit of the exact test: the p-value must hardly change. */
	for (u = 60; u <= 200; u += 10) {
		make_u(a, 20, b, 20, u);
		ck_assert_int_eq(mann_whitney_test(a, 20, b, 20, &exact), 0);
		a[20] = 20.5; /* in the middle */
		ck_assert_int_eq(mann_whitney_test(a, 21, b, 20, &normal), 0);
		ck_assert_msg(fabs(exact - normal) < 0.05, "U %zu: %g, %g", u, exact,
			      normal);
	}
	/* Calculated by hand, with ties: twenty pairs of equal values. */
	{
		double x[30], y[30], variance = 900.0 / 12 * (61 - 20 * 6.0 / (60 * 59));
		size_t i;

		for (i = 0; i < 30; i++) {
			x[i] = (double)i;
			y[i] = (double)(i + 10);
		}
		ck_assert_int_eq(mann_whitney_test(x, 30, y, 30, &normal), 0);
		ck_assert(fabs(normal - erfc(249.5 / sqrt(variance) / sqrt(2))) < 1e-12);
	}
}
END_TEST

START_TEST(odd_input)
{
	double same[] = { 3, 3, 3, 3 }, number[] = { 1, NAN };
	double many[50] = { 0 };
	double p;

	ck_assert_int_eq(mann_whitney_test(same, 0, same, 4, &p), -EINVAL);
	ck_assert_int_eq(mann_whitney_test(same, 4, number, 2, &p), -EINVAL);
	ck_assert_int_eq(mann_whitney_test(same, 2, same + 2, 2, &p), 0);
	ck_assert(p == 1);
	ck_assert_int_eq(mann_whitney_test(many, 25, many + 25, 25, &p), 0);
	ck_assert(p == 1);
}
END_TEST

START_TEST(smallest_p)
{
	ck_assert(fabs(mann_whitney_smallest(4, 4) - 2.0 / 70) < 1e-15);
	ck_assert(fabs(mann_whitney_smallest(10, 10) - 2.0 / 184756) < 1e-15);
	ck_assert(mann_whitney_smallest(1, 1) == 1);
	ck_assert(mann_whitney_smallest(1, 2) > 0.66);
}
END_TEST

START_TEST(benjamini_hochberg)
{
	/* The example of the 1995 paper, section 3.3: four of fifteen are significant. */
	double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
		       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double mixed[] = { 0.04, NAN, 0.01, 0.03 };
	size_t i, found = 0;

	ck_assert_int_eq(adjust_benjamini_hochberg(p, ARRAY_SIZE(p)), 15);
	for (i = 0; i < ARRAY_SIZE(p); i++)
		found += p[i] <= 0.05;
	ck_assert_uint_eq(found, 4);
	ck_assert(fabs(p[0] - 0.0015) < 1e-12 && fabs(p[3] - 0.035625) < 1e-12);
	ck_assert(p[14] == 1);
	ck_assert_int_eq(adjust_benjamini_hochberg(mixed, 4), 3);
	ck_assert(isnan(mixed[1]) && fabs(mixed[2] - 0.03) < 1e-12);
	ck_assert(fabs(mixed[3] - 0.04) < 1e-12 && fabs(mixed[0] - 0.04) < 1e-12);
	ck_assert_int_eq(adjust_benjamini_hochberg(mixed, 0), 0);
}
END_TEST

/* 2 (45 + 10 + 1) / 1024; binom.test(60, 100) of R. */
START_TEST(sign_tests)
{
	ck_assert_double_eq_tol(sign_test_p(8, 2), 0.109375, 1e-12);
	ck_assert_double_eq_tol(sign_test_p(2, 8), 0.109375, 1e-12);
	ck_assert_double_eq_tol(sign_test_p(60, 40), 0.05688793364098, 1e-12);
	ck_assert_double_eq(sign_test_p(3, 3), 1);
	ck_assert_double_eq(sign_test_p(1, 0), 1);
	ck_assert_double_eq_tol(sign_test_p(5, 0), 0.0625, 1e-12);
	ck_assert_double_eq_tol(sign_test_p(2000, 2000), 1, 1e-9);
	ck_assert(sign_test_p(3000, 1000) < 1e-200);
}
END_TEST

/* With 1, 2 and 4 degrees of freedom the tail has a closed form. */
START_TEST(student)
{
	for (double t = -30; t < 31; t += 0.75) {
		double root = sqrt(t * t + 2), x = t / sqrt(t * t + 4);

		ck_assert_double_eq_tol(student_tail(t, 1), 0.5 - atan(t) / M_PI, 1e-12);
		ck_assert_double_eq_tol(student_tail(t, 2), 0.5 - t / root / 2, 1e-12);
		ck_assert_double_eq_tol(student_tail(t, 4),
					0.5 - 0.75 * x * (1 - x * x / 3), 1e-12);
	}
	/* Far out, where 1 - x would have no digits left; and a nearly normal distribution. */
	ck_assert_double_eq_tol(student_tail(1e6, 2) * 4e12, 2, 1e-9);
	ck_assert_double_eq_tol(student_tail(6, 1e9) / 9.865876450377e-10, 1, 1e-6);
}
END_TEST

Suite *test_stats_suite(void)
{
	Suite *suite = suite_create("report/stats");
	TCase *tc = tcase_create("stats");

	tcase_add_test(tc, median_and_spread);
	tcase_add_loop_test(tc, critical_values, 0, ARRAY_SIZE(published));
	tcase_add_test(tc, random_cases);
	tcase_add_test(tc, normal_is_near_exact);
	tcase_add_test(tc, odd_input);
	tcase_add_test(tc, smallest_p);
	tcase_add_test(tc, benjamini_hochberg);
	tcase_add_test(tc, sign_tests);
	tcase_add_test(tc, student);
	suite_add_tcase(suite, tc);
	return suite;
}
