// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the syntax of --time, event/time_window.h.
 */
#include <check.h>
#include <errno.h>

#include "event/time_window.h"

#define FIRST 5000000000ULL
#define LAST  9000000000ULL

static int resolve(const struct time_window *w, uint64_t first, uint64_t last, bool ns,
		   struct time_range *out)
{
	return time_window_resolve(w, &(struct time_range){ first, last }, ns, out);
}

static void expect(const char *text, uint64_t start, uint64_t stop)
{
	struct time_window w;
	struct time_range range;

	ck_assert_msg(!time_window_parse(&w, text), "%s", text);
	ck_assert_int_eq(resolve(&w, FIRST, LAST, true, &range), 0);
	ck_assert_msg(range.first == start && range.last == stop, "%s: %llu to %llu",
		      text, (unsigned long long)range.first,
		      (unsigned long long)range.last);
}

static void refuse(const char *text, int err)
{
	struct time_window w;

	ck_assert_msg(time_window_parse(&w, text) == err, "%s", text);
}

START_TEST(absolute)
{
	expect("6,7", 6000000000, 7000000000);
	expect("6.5,7.000001", 6500000000, 7000001000);
	expect("0.123456789,", 123456789, UINT64_MAX);
	expect(",7", 0, 7000000000);
	expect("6", 6000000000, UINT64_MAX);
	expect("6500ms,7s", 6500000000, 7000000000);
	expect("18446744073.709551615,", UINT64_MAX, UINT64_MAX);
}
END_TEST

START_TEST(relative)
{
	expect("+1s,+2s", FIRST + 1000000000, FIRST + 2000000000);
	expect("+1,+1.5", FIRST + 1000000000, FIRST + 1500000000);
	expect("+500ms,", FIRST + 500000000, UINT64_MAX);
	expect("+0.5us,+700ns", FIRST + 500, FIRST + 700);
}
END_TEST

START_TEST(percent)
{
	expect("10%,20%", FIRST + 400000000, FIRST + 800000000);
	expect("0%,100%", FIRST, LAST);
	expect("33.3333%,", FIRST + 1333332000, UINT64_MAX);
	expect("+1s,50%", FIRST + 1000000000, FIRST + 2000000000);
}
END_TEST

START_TEST(refused)
{
	refuse("", -EINVAL);
	refuse(",", -EINVAL);
	refuse("x", -EINVAL);
	refuse("-1", -EINVAL);
	refuse("1,2,3", -EINVAL);
	refuse("1.,2", -EINVAL);
	refuse(".5", -EINVAL);
	refuse("1h", -EINVAL);
	refuse("1.0000000001", -EINVAL);
	refuse("101%", -EINVAL);
	refuse("100.1%", -EINVAL);
	refuse("+10%", -EINVAL);
	refuse("10 %", -EINVAL);
	refuse("99999999999999999999", -ERANGE);
	refuse("18446744074s", -ERANGE);
	refuse("18446744074.0", -ERANGE);
}
END_TEST

START_TEST(limits)
{
	struct time_window w;
	struct time_range range;

	ck_assert_int_eq(time_window_parse(&w, "7,6"), 0);
	ck_assert_int_eq(resolve(&w, FIRST, LAST, true, &range), -ERANGE);
	ck_assert_int_eq(time_window_parse(&w, "0%,100%"), 0);
	ck_assert_int_eq(resolve(&w, 0, UINT64_MAX, true, &range), 0);
	ck_assert_uint_eq(range.last, UINT64_MAX);
	ck_assert_int_eq(resolve(&w, 9, 3, true, &range), 0);
	ck_assert_uint_eq(range.last, 9);
	ck_assert_int_eq(time_window_parse(&w, ",+18446744073s"), 0);
	ck_assert_int_eq(resolve(&w, UINT64_MAX - 5, UINT64_MAX, true, &range), 0);
	ck_assert_uint_eq(range.last, UINT64_MAX);
}
END_TEST

START_TEST(clock_without_seconds)
{
	struct time_window w;
	struct time_range range;

	ck_assert_int_eq(time_window_parse(&w, "100,+50"), 0);
	ck_assert_int_eq(resolve(&w, 90, 900, false, &range), 0);
	ck_assert_uint_eq(range.first, 100);
	ck_assert_uint_eq(range.last, 140);
	/* A counter can be larger than the largest number of seconds. */
	ck_assert_int_eq(time_window_parse(&w, "18446744074,18446744073709551615"), 0);
	ck_assert_int_eq(resolve(&w, 90, 900, false, &range), 0);
	ck_assert_uint_eq(range.first, 18446744074);
	ck_assert_uint_eq(range.last, UINT64_MAX);
	ck_assert_int_eq(resolve(&w, 90, 900, true, &range), -EOVERFLOW);
	ck_assert_int_eq(time_window_parse(&w, "10%,50%"), 0);
	ck_assert_int_eq(resolve(&w, 100, 200, false, &range), 0);
	ck_assert_uint_eq(range.first, 110);
	ck_assert_int_eq(time_window_parse(&w, "+1s"), 0);
	ck_assert_int_eq(resolve(&w, 100, 200, false, &range), -EOPNOTSUPP);
	ck_assert_int_eq(time_window_parse(&w, "1.5"), 0);
	ck_assert_int_eq(resolve(&w, 100, 200, false, &range), -EOPNOTSUPP);
}
END_TEST

Suite *test_time_window_suite(void)
{
	Suite *s = suite_create("event/time_window");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, absolute);
	tcase_add_test(tc, relative);
	tcase_add_test(tc, percent);
	tcase_add_test(tc, refused);
	tcase_add_test(tc, limits);
	tcase_add_test(tc, clock_without_seconds);
	suite_add_tcase(s, tc);
	return s;
}
