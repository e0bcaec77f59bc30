// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/print_flags.h: constants in print formats of kernels, and texts that are no numbers.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "event/print_flags.h"

static const struct {
	const char *text;
	int64_t value;
} good[] = {
	{ "9", 9 },
	{ "(21 - 12), REC->alloc_migratetype", 9 },
	{ "(12-1), REC->x", 11 },
	{ "(((unsigned int)((21 - 12))) < ((unsigned int)(11 - 1)) ? ((unsigned int)((21 - 12))) "
	  ": ((unsigned int)(11 - 1))), REC->x",
	  9 },
	{ "(((unsigned int)((((12 - 3) * (4 - (2)) + 3) - 12))) < ((unsigned int)(8)) ? 1 : 2)",
	  2 },
	{ "2 + 3 * 4 - 5 - 1", 8 },
	{ "1 < 2 ? 3 : 4 < 5 ? 6 : 7", 3 },
	{ "2 < 1 ? 3 : 5 < 4 ? 6 : 7", 7 },
	{ " ( (int) 7 ) ", 7 },
	{ "3 - 5", -2 },
	{ "2147483648", 2147483648 },
};

static const char *const bad[] = {
	"",
	"pageblock_order, REC->x",
	"(21 - 12",
	"21 - ",
	"9)",
	"9 x",
	"1 ? 2",
	"1 < 2 ? 3 :",
	"2147483649",
	"99999999999999999999",
	"2147483648 * 2",
	"2147483648 + 1",
	"-9",
	"()",
};

START_TEST(values)
{
	int64_t value = 0;

	ck_assert(constant_value(good[_i].text, &value));
	ck_assert_int_eq(value, good[_i].value);
}
END_TEST

START_TEST(others)
{
	int64_t value = 0;

	ck_assert(!constant_value(bad[_i], &value));
}
END_TEST

/* Limits stack and time. */
START_TEST(deep)
{
	static const char *const parts[] = { "(", "1?", "1?1:", "(int)", "1-" };
	size_t part = strlen(parts[_i]), size = 1 << 20, i;
	char *text = malloc(size + 2);
	int64_t value;

	for (i = 0; i + part <= size; i += part)
		memcpy(text + i, parts[_i], part);
	text[i] = '\0';
	ck_assert(!constant_value(text, &value));
	free(text);
}
END_TEST

Suite *test_constant_suite(void)
{
	Suite *s = suite_create("event/constant");
	TCase *tc = tcase_create("constant");

	tcase_add_loop_test(tc, values, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_loop_test(tc, others, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(tc, deep, 0, 5);
	suite_add_tcase(s, tc);
	return s;
}
