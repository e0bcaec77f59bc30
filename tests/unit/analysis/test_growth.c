// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/life/growth.h: windows compared with a list of all changes, and verdicts on known
 * series.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/life/growth.h"

enum { CHANGES = 5000, ROWS_NR = 3 };

struct change {
	uint64_t ts, bytes; /* bytes allocated */
	uint32_t row;
};

/* The live bytes of @row at @ts, inclusive. */
static uint64_t lived(const struct change *changes, uint32_t row, uint64_t ts)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CHANGES; i++)
		sum += changes[i].row == row && changes[i].ts <= ts ? changes[i].bytes
								    : 0;
	return sum;
}

START_TEST(windows)
{
	struct change *changes = calloc(CHANGES, sizeof(*changes));
	uint64_t first = 1ULL << _i, ts = first, end;
	struct growth g = { 0 };
	struct growth_times t;
	uint32_t seed = 3 + (uint32_t)_i, i, k;

	for (i = 0; i < CHANGES; i++) {
		seed = seed * 1103515245 + 12345;
		changes[i] = (struct change){ ts, seed >> 20, (seed >> 8) % ROWS_NR };
		growth_change(&g, changes[i].row, ts, changes[i].bytes, 0);
		ts += (uint64_t)(seed >> 12) % 977 << (seed >> 5 & _i & 15);
	}
	end = ts + (uint64_t)_i * 1000000; /* more windows, some without any change */
	t = growth_times(&g, end);
	ck_assert_uint_ge(t.nr, _i ? 2 : 1);
	ck_assert_uint_le(t.nr, GROWTH_WINDOWS);
	ck_assert_uint_eq(t.time[t.nr - 1], end - first);
	for (i = 0; i < ROWS_NR; i++) {
		struct growth_series s = { 0 };

		growth_add(&g, i, end, &s);
		for (k = 0; k < t.nr; k++) {
			/* A window includes all changes before its end; the last one also those at
			 * its end.
			 */
			uint64_t last = k + 1 < t.nr ? t.time[k] - 1 : t.time[k];

			ck_assert_uint_eq(s.at[k], lived(changes, i, first + last));
		}
	}
	ck_assert(!g.failed);
	growth_free(&g);
	free(changes);
}
END_TEST

/* The end corrects the windows: bytes that counted as live were not. */
START_TEST(settled)
{
	struct growth g = { 0 };
	struct growth_series s = { 0 };

	growth_change(&g, 0, 100, 64, 0);
	growth_settle(&g, 0, 64);
	growth_add(&g, 0, 100, &s);
	ck_assert_uint_eq(s.at[0], 0);
	growth_free(&g);
}
END_TEST

/* Windows of equal length, with the value @at(i) in window i. */
static struct growth_fit fit_of(unsigned int nr, uint64_t (*at)(unsigned int))
{
	struct growth_times t = { .nr = nr };
	struct growth_series s;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		t.time[i] = (i + 1) * 1000ULL;
		s.at[i] = at(i);
	}
	return growth_fit(&t, &s);
}

static uint64_t leak(unsigned int i)
{
	return 5000 + 2000 * i;
}

/* Requests come and go; now and then one stays. */
static uint64_t noisy_leak(unsigned int i)
{
	return 100000 + 400 * i + (i * 7919 + 13) % 31 * 40;
}

/* A leak that begins almost halfway; before it there are objects of others. */
static uint64_t leak_that_begins(unsigned int i)
{
	return 5000 + (i < 14 ? 0 : 2000 * (i - 13));
}

/* Areas of tasks that start and end, as seen on an idle system: more and more of them, by chance.
 */
static uint64_t tasks(unsigned int i)
{
	static const uint64_t areas[] = { 102, 168, 151, 267, 311, 298, 358, 409 };

	return 192 * areas[i / 4 % ARRAY_SIZE(areas)];
}

static uint64_t constant(unsigned int i)
{
	return 4096;
}

static uint64_t noise(unsigned int i)
{
	return 100000 + (i * 7919 + 13) % 31 * 500;
}

/* A cache that fills up: each window adds half of what is missing. */
static uint64_t cache(unsigned int i)
{
	return (1ULL << 40) - (i < 40 ? (1ULL << 40) >> (i / 2 + 1) : 0);
}

/* A batch is freed at 16000 bytes, long before the end; that level is not reached again. */
static uint64_t batches(unsigned int i)
{
	return i < 4 ? 1000 * (i + 13) : 500 * (i - 3);
}

/* The same, with a leak: the last batch leaves more than the first one freed. */
static uint64_t leak_in_batches(unsigned int i)
{
	return i == 4 ? 1000 : 3000 * (i + 1);
}

static uint64_t shrinking(unsigned int i)
{
	return 1000000 - 10000 * i;
}

/* Allocates only near the end. */
static uint64_t late(unsigned int i)
{
	return i > 26 ? 1000 * (i - 26) : 0;
}

/* A leak that stops after half of the time. */
static uint64_t stopped(unsigned int i)
{
	return i < 16 ? 1000 * i : 16000;
}

START_TEST(scaled)
{
	struct growth_fit fit = fit_of(32, leak);
	double slope = fit.slope;

	growth_scale(&fit, 0.75);
	ck_assert_double_eq_tol(fit.slope, 0.75 * slope, 1e-9);
	ck_assert_int_eq(fit.verdict, GROWTH_GROWS);
	growth_scale(&fit, 0.25);
	ck_assert_int_eq(fit.verdict, GROWTH_STEADY);
}
END_TEST

START_TEST(verdicts)
{
	static const struct {
		uint64_t (*at)(unsigned int i);
		enum growth_verdict verdict;
		double slope; /* bytes per time unit; -1: any */
	} cases[] = {
		{ leak, GROWTH_GROWS, 2 },	{ noisy_leak, GROWTH_GROWS, -1 },
		{ batches, GROWTH_STEADY, -1 }, { leak_in_batches, GROWTH_GROWS, -1 },
		{ constant, GROWTH_STEADY, 0 }, { noise, GROWTH_STEADY, -1 },
		{ cache, GROWTH_FILLED, -1 },	{ shrinking, GROWTH_STEADY, -10 },
		{ late, GROWTH_TOO_SHORT, -1 }, { stopped, GROWTH_FILLED, -1 },
		{ tasks, GROWTH_FILLED, -1 },	{ leak_that_begins, GROWTH_GROWS, -1 },
	};
	unsigned int nr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct growth_fit fit = fit_of(GROWTH_WINDOWS, cases[i].at);

		ck_assert_msg(fit.verdict == cases[i].verdict,
			      "case %zu: %s, %g to %g, late %g", i,
			      growth_verdict_word(fit.verdict), fit.low, fit.high,
			      fit.late);
		if (cases[i].slope != -1)
			ck_assert_double_eq_tol(fit.slope, cases[i].slope, 1e-9);
		if (fit.known)
			ck_assert(fit.low <= fit.slope && fit.slope <= fit.high);
	}
	/* There are never fewer than 17 windows. */
	for (nr = 17; nr < GROWTH_WINDOWS; nr++) {
		ck_assert_int_eq(fit_of(nr, leak).verdict, GROWTH_GROWS);
		ck_assert_int_eq(fit_of(nr, noisy_leak).verdict, GROWTH_GROWS);
		ck_assert_int_eq(fit_of(nr, constant).verdict, GROWTH_STEADY);
		ck_assert_int_eq(fit_of(nr, cache).verdict, GROWTH_FILLED);
	}
	ck_assert_int_eq(fit_of(7, leak).verdict, GROWTH_TOO_SHORT);
}
END_TEST

Suite *test_growth_suite(void);

Suite *test_growth_suite(void)
{
	Suite *s = suite_create("analysis/growth");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, windows, 0, 40);
	tcase_add_test(tc, settled);
	tcase_add_test(tc, scaled);
	tcase_add_test(tc, verdicts);
	suite_add_tcase(s, tc);
	return s;
}
