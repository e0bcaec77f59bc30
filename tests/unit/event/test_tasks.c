// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/tasks.h: valid and invalid lines.
 */
#include <check.h>

#include "event/tasks.h"

START_TEST(names_are_found_by_pid)
{
	struct tasks t = { 0 };

	ck_assert_int_eq(
		tasks_read(&t, "12 sh\n7 kworker/0:1 H\n12 bash\n0 nobody\n9 \n3 x"), 0);
	ck_assert_str_eq(tasks_name(&t, 12), "bash"); /* the later line wins */
	ck_assert_str_eq(tasks_name(&t, 7), "kworker/0:1 H");
	ck_assert_str_eq(tasks_name(&t, 9), "");
	ck_assert_str_eq(tasks_name(&t, 3), "x");
	ck_assert_str_eq(tasks_name(&t, 0), "<idle>");
	ck_assert_str_eq(tasks_name(&t, 8), "<...>");
	ck_assert_str_eq(tasks_name(&t, -1), "<...>");
	tasks_free(&t);
}
END_TEST

START_TEST(tasks_of_one_name_have_one_number)
{
	struct tasks t = { 0 };

	ck_assert_int_eq(tasks_read(&t, "12 sh\n13 cc1\n14 sh\n15 <idle>"), 0);
	ck_assert_uint_eq(tasks_number(&t, 12), tasks_number(&t, 14));
	ck_assert_uint_ne(tasks_number(&t, 12), tasks_number(&t, 13));
	ck_assert_uint_ne(tasks_number(&t, 0), tasks_number(&t, 15));
	ck_assert_uint_eq(tasks_number(&t, 16), tasks_number(&t, -1));
	ck_assert_str_eq(tasks_numbered(&t, tasks_number(&t, 13)), "cc1");
	ck_assert_str_eq(tasks_numbered(&t, tasks_number(&t, 0)), "<idle>");
	ck_assert_str_eq(tasks_numbered(&t, tasks_number(&t, -1)), "<...>");
	tasks_free(&t);
}
END_TEST

START_TEST(damaged_lines_are_skipped)
{
	struct tasks t = { 0 };

	ck_assert_int_eq(tasks_read(&t, NULL), 0);
	ck_assert_int_eq(tasks_read(&t, ""), 0);
	ck_assert_int_eq(tasks_read(&t,
				    "\n\n -1 a\nx b\n5\n6\tc\n99999999999999999999 d\n"
				    "4294967297 e\n2147483647 last"),
			 0);
	ck_assert_str_eq(tasks_name(&t, 1), "<...>");
	ck_assert_str_eq(tasks_name(&t, 5), "<...>");
	ck_assert_str_eq(tasks_name(&t, 6), "<...>");
	ck_assert_str_eq(tasks_name(&t, INT32_MAX), "last");
	tasks_free(&t);
}
END_TEST

Suite *test_tasks_suite(void)
{
	Suite *s = suite_create("event/tasks");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, names_are_found_by_pid);
	tcase_add_test(tc, tasks_of_one_name_have_one_number);
	tcase_add_test(tc, damaged_lines_are_skipped);
	suite_add_tcase(s, tc);
	return s;
}
