// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: live/windows.h: rates, series, and the totals of forgotten intervals.
 */
#include <check.h>

#include "live/windows.h"
#include "report/spark.h"

#define SECOND 1000000000ULL

static struct windows w;

static void step(uint32_t group, uint64_t bytes, uint64_t hit, uint64_t ns)
{
	const struct window_sums more = { bytes, hit, bytes / 2, hit / 2 };

	windows_begin(&w);
	ck_assert_int_eq(windows_add(&w, group, &more), 0);
	windows_end(&w, ns);
}

static void expect_series(uint32_t group, unsigned int nr, const char *wanted)
{
	struct strbuf sb = { 0 };

	windows_series(&w, group, nr, &sb);
	ck_assert_str_eq(strbuf_text(&sb), wanted);
	strbuf_free(&sb);
}

START_TEST(rates_are_those_of_the_last_interval)
{
	ck_assert_uint_eq(windows_rate(&w, 5), 0); /* no interval yet */
	step(0, 1000, 10, SECOND);
	step(2, 600, 6, 2 * SECOND); /* a late interval */
	ck_assert_uint_eq(w.nr, 3);
	ck_assert_uint_eq(windows_rate(&w, w.groups[2].step.bytes), 300);
	ck_assert_uint_eq(windows_rate(&w, w.groups[2].step.hit), 3);
	ck_assert_uint_eq(w.groups[0].step.bytes, 0);
	ck_assert_uint_eq(w.groups[0].total.bytes, 1000);
	/* Live bytes are those of the last interval, not a sum over intervals. */
	ck_assert_uint_eq(w.groups[0].step.live_bytes, 0);
	ck_assert_uint_eq(w.groups[2].step.live_bytes, 300);
	ck_assert_uint_eq(w.total.bytes, 1600);
	ck_assert_uint_eq(w.total.hit, 16);
	ck_assert_uint_eq(w.step.live_hit, 3);
	expect_series(0, 10, "1000|0");
	expect_series(2, 10, "0|300");
	windows_free(&w);
}
END_TEST

START_TEST(a_ring_keeps_the_latest)
{
	struct strbuf levels = { 0 };
	unsigned int i;

	for (i = 1; i <= WINDOWS_KEPT + 7; i++)
		step(0, i * 100, 1, SECOND);
	expect_series(0, 3, "6500|6600|6700");
	/* Intervals without allocations count and push out older ones. */
	for (i = 0; i < WINDOWS_KEPT - 1; i++)
		step(1, 7, 1, SECOND);
	expect_series(0, 2, "0|0");
	ck_assert(windows_active(&w, 0));
	step(1, 7, 1, SECOND);
	step(1, 7, 1, SECOND);
	ck_assert(!windows_active(&w, 0));
	ck_assert(windows_active(&w, 1));
	spark_series("0|300|100", &levels);
	ck_assert_str_eq(strbuf_text(&levels), "083");
	strbuf_free(&levels);
	windows_free(&w);
}
END_TEST

START_TEST(totals_outlive_what_is_forgotten)
{
	const uint32_t to[] = { WINDOWS_GONE, 1, 0 };

	step(0, 1000, 10, SECOND);
	step(1, 50, 5, SECOND);
	step(2, 7, 1, SECOND);
	ck_assert_int_eq(windows_renumber(&w, to, 2), 0);
	ck_assert_uint_eq(w.nr, 2);
	ck_assert_uint_eq(w.groups[0].total.bytes, 7);
	ck_assert_uint_eq(w.groups[1].total.bytes, 50);
	expect_series(1, 9, "0|50|0");
	ck_assert_uint_eq(w.total.bytes, 1057);
	ck_assert_uint_eq(w.total.hit, 16);
	/* A group with a reused number starts anew. */
	step(2, 5, 1, SECOND);
	ck_assert_uint_eq(w.groups[2].total.bytes, 5);
	expect_series(2, 9, "0|0|0|5");
	ck_assert_uint_eq(w.total.bytes, 1062);
	windows_free(&w);
}
END_TEST

START_TEST(several_sums_make_one_interval)
{
	const struct window_sums more = { 100, 1, 10, 1 };

	windows_begin(&w);
	ck_assert_int_eq(windows_add(&w, 0, &more), 0);
	ck_assert_int_eq(windows_add(&w, 0, &more), 0);
	windows_end(&w, SECOND / 2);
	ck_assert_uint_eq(w.groups[0].step.bytes, 200);
	ck_assert_uint_eq(w.groups[0].step.live_bytes, 20);
	ck_assert_uint_eq(windows_rate(&w, w.step.bytes), 400);
	expect_series(0, 1, "400");
	windows_free(&w);
}
END_TEST

Suite *test_windows_suite(void)
{
	Suite *s = suite_create("live/windows");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rates_are_those_of_the_last_interval);
	tcase_add_test(tc, a_ring_keeps_the_latest);
	tcase_add_test(tc, totals_outlive_what_is_forgotten);
	tcase_add_test(tc, several_sums_make_one_interval);
	suite_add_tcase(s, tc);
	return s;
}
