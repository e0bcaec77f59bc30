// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: cmd/options/lost_limit.h: numbers, percentages, and gaps of unknown size, which no limit
 * allows.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/options/command.h"
#include "cmd/options/lost_limit.h"

static int stderr_before;

/* Hides the messages. */
static void quiet(void)
{
	int null = open("/dev/null", O_WRONLY);

	stderr_before = dup(STDERR_FILENO);
	ck_assert_int_ge(stderr_before, 0);
	ck_assert_int_eq(dup2(null, STDERR_FILENO), STDERR_FILENO);
	close(null);
}

static void loud(void)
{
	dup2(stderr_before, STDERR_FILENO);
	close(stderr_before);
}

static int parse(const char *text)
{
	struct lost_limit limit = { .text = text };

	return lost_limit_parse(&limit, "test");
}

static int check(const char *text, uint64_t lost, uint64_t unknown, int code)
{
	struct lost_limit limit = { .text = text };
	struct study_facts f = { .nr_events = 1000 - lost,
				 .nr_lost = lost / 2,
				 .nr_dropped = lost - lost / 2,
				 .nr_unknown_gaps = unknown };

	ck_assert_int_eq(lost_limit_parse(&limit, "test"), GO_ON);
	return lost_limit_check(&limit, &f, "test", code);
}

START_TEST(limits_are_numbers_or_shares)
{
	static const char *const wrong[] = { "",  "x",	 "-1", "1.5", "1x",   "101%",
					     "%", "1%%", " 1", "+1",  "1e400" };
	size_t i;

	ck_assert_int_eq(parse(NULL), GO_ON);
	ck_assert_int_eq(parse("0"), GO_ON);
	ck_assert_int_eq(parse("1000"), GO_ON);
	ck_assert_int_eq(parse("0.1%"), GO_ON);
	ck_assert_int_eq(parse("100%"), GO_ON);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_assert_msg(parse(wrong[i]) == EXIT_USAGE, "'%s'", wrong[i]);
}
END_TEST

START_TEST(more_than_allowed_is_not_trusted)
{
	ck_assert_int_eq(check("0", 0, 0, EXIT_OK), EXIT_OK);
	ck_assert_int_eq(check("0", 1, 0, EXIT_OK), EXIT_UNTRUSTED);
	ck_assert_int_eq(check("10", 10, 0, EXIT_OK), EXIT_OK);
	ck_assert_int_eq(check("10", 11, 0, EXIT_OK), EXIT_UNTRUSTED);
	ck_assert_int_eq(check("1%", 10, 0, EXIT_OK), EXIT_OK);
	ck_assert_int_eq(check("1%", 11, 0, EXIT_OK), EXIT_UNTRUSTED);
	ck_assert_int_eq(check("100%", 0, 1, EXIT_OK), EXIT_UNTRUSTED);
	ck_assert_int_eq(check("0", 5, 0, EXIT_FAILED), EXIT_FAILED); /* stays failed */
	ck_assert_int_eq(check(NULL, 5, 5, EXIT_OK), EXIT_OK);
}
END_TEST

Suite *test_lost_limit_suite(void)
{
	Suite *s = suite_create("cmd/lost_limit");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, quiet, loud);

	tcase_add_test(tc, limits_are_numbers_or_shares);
	tcase_add_test(tc, more_than_allowed_is_not_trusted);
	suite_add_tcase(s, tc);
	return s;
}
