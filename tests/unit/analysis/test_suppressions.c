// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/life/suppressions.h: the syntax of lines, and what they match.
 */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/life/suppressions.h"
#include "base/compiler.h"

START_TEST(lines)
{
	static const struct {
		const char *text;
		int ret;
		unsigned int line;
		size_t nr;
	} cases[] = {
		{ "", 0, 1, 0 },
		{ "# known\n\n  leak:foo  \r\nleak:bar", 0, 5, 2 },
		{ "leak:foo\nrace:bar\n", -EINVAL, 2, 1 },
		{ "foo", -EINVAL, 1, 0 },
		{ "leak:", -EINVAL, 1, 0 },
		{ "\n\nleak:a b\n", 0, 4, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct suppressions s = { 0 };
		unsigned int line = 0;

		ck_assert_int_eq(suppressions_parse(&s, cases[i].text,
						    strlen(cases[i].text), &line),
				 cases[i].ret);
		ck_assert_uint_eq(s.nr, cases[i].nr);
		if (cases[i].ret)
			ck_assert_uint_eq(line, cases[i].line);
		suppressions_free(&s);
	}
}
END_TEST

START_TEST(nul_and_too_many)
{
	static char many[(SUPPRESSIONS_MAX + 1) * 7];
	struct suppressions s = { 0 };
	unsigned int line;
	size_t i;

	ck_assert_int_eq(suppressions_parse(&s, "leak:a\0b\n", 9, &line), -EINVAL);
	for (i = 0; i <= SUPPRESSIONS_MAX; i++)
		memcpy(many + 7 * i, "leak:a\n", 7);
	ck_assert_int_eq(suppressions_parse(&s, many, sizeof(many), &line), -E2BIG);
	ck_assert_uint_eq(s.nr, SUPPRESSIONS_MAX);
	suppressions_free(&s);
}
END_TEST

START_TEST(patterns)
{
	static const struct {
		const char *line, *name;
		bool fits;
	} cases[] = {
		{ "leak:alloc", "kmem_cache_alloc", true },
		{ "leak:alloc", "Alloc", false },
		{ "leak:^alloc", "kmem_cache_alloc", false },
		{ "leak:^kmem", "kmem_cache_alloc", true },
		{ "leak:alloc$", "kmem_cache_alloc", true },
		{ "leak:kmem$", "kmem_cache_alloc", false },
		{ "leak:^kmem_cache_alloc$", "kmem_cache_alloc", true },
		{ "leak:^kmem_cache_alloc$", "kmem_cache_alloc_node", false },
		{ "leak:kmem*node", "kmem_cache_alloc_node", true },
		{ "leak:^kmem*alloc$", "kmem_cache_alloc_node", false },
		{ "leak:^kmem*node$", "kmem_cache_alloc_node_node", true },
		{ "leak:*", "anything", true },
		{ "leak:^*$", "anything", true },
		{ "leak:a*b*c", "xaybzc", true },
		{ "leak:a*b*c", "xaycbz", false },
		{ "leak:aa*a", "aa", false },
		{ "leak:^ab$", "aab", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct suppressions s = { 0 };
		unsigned int line;

		ck_assert_int_eq(suppressions_parse(&s, cases[i].line,
						    strlen(cases[i].line), &line),
				 0);
		ck_assert_msg(suppressions_find(&s, cases[i].name) ==
				      (cases[i].fits ? 0 : -1),
			      "%s, %s", cases[i].line, cases[i].name);
		ck_assert_int_eq(suppressions_find(&s, NULL), -1);
		suppressions_free(&s);
	}
}
END_TEST

Suite *test_suppressions_suite(void);

Suite *test_suppressions_suite(void)
{
	Suite *s = suite_create("analysis/suppressions");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, lines);
	tcase_add_test(tc, nul_and_too_many);
	tcase_add_test(tc, patterns);
	suite_add_tcase(s, tc);
	return s;
}
