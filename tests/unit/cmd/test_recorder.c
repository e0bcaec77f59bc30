// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: functions that all recording commands share.
 * In: times and what a kernel can do. Out: what a command prints of them.
 */
#include <check.h>

#include "cmd/record/recorder.h"

static void check_time(uint64_t ns, const char *expected)
{
	char text[32];

	recorder_format_time(text, sizeof(text), ns);
	ck_assert_str_eq(text, expected);
}

START_TEST(no_time_is_shown_as_none)
{
	check_time(3214000000, "3.21 s");
	check_time(100000000, "0.10 s");
	check_time(8340000, "8.3 ms");
	check_time(100000, "0.1 ms");
	check_time(99900, "99.9 us");
	check_time(100, "0.1 us");
}
END_TEST

/* Linux 5.10 lacks the trigger, so --stack page records callchains with every event. */
START_TEST(callchains_as_they_are)
{
	ck_assert_str_eq(recorder_callchains("page (trigger)"),
			 " (callchains on page allocations)");
	ck_assert_str_eq(recorder_callchains("page (option)"),
			 " (callchains on all events)");
	ck_assert_str_eq(recorder_callchains("all (option)"),
			 " (callchains on all events)");
	ck_assert_str_eq(recorder_callchains("none"), "");
}
END_TEST

Suite *test_recorder_suite(void);
Suite *test_recorder_suite(void)
{
	Suite *s = suite_create("recorder");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, no_time_is_shown_as_none);
	tcase_add_test(tc, callchains_as_they_are);
	suite_add_tcase(s, tc);
	return s;
}
