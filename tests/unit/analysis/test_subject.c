// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/row/subject.h: what rows by one or several things stand for.
 */
#include "analysis/row/subject.h"

#include <check.h>

#define BY(a)	     SUBJECT_##a
#define BY2(a, b)    (BY(a) | BY(b) << SUBJECT_PART_BITS)
#define BY3(a, b, c) (BY2(a, b) | BY(c) << 2 * SUBJECT_PART_BITS)

/* Which kinds are rows of tasks, and which share a sample's units with other rows. */
START_TEST(kinds)
{
	static const struct {
		unsigned int kind;
		const char *words;
		bool of_tasks;
		enum estimate_of of;
	} cases[] = {
		{ BY(CALLSITE), "callsite", false, ESTIMATE_OWN },
		{ BY(STACK), "stack", false, ESTIMATE_OWN },
		{ BY(FUNCTION), "function", false, ESTIMATE_OWN },
		{ BY(FILE), "file", false, ESTIMATE_OWN },
		{ BY(LINE), "line", false, ESTIMATE_OWN },
		{ BY(CACHE), "cache", false, ESTIMATE_CACHES },
		{ BY(COMM), "comm", false, ESTIMATE_SHARED },
		{ BY(PID), "pid", true, ESTIMATE_SHARED },
		{ BY(CPU), "cpu", false, ESTIMATE_SHARED },
		{ BY(NODE), "node", false, ESTIMATE_SHARED },
		{ BY(MODULE), "module", false, ESTIMATE_SHARED },
		{ BY(DIR), "dir", false, ESTIMATE_SHARED },
		{ BY2(PID, CPU), "pid,cpu", true, ESTIMATE_SHARED },
		{ BY2(CPU, NODE), "cpu,node", false, ESTIMATE_SHARED },
		{ BY2(PID, CACHE), "pid,cache", false, ESTIMATE_CACHES },
		{ BY2(CACHE, LINE), "cache,line", false, ESTIMATE_OWN },
		{ BY3(PID, NODE, CALLSITE), "pid,node,callsite", false, ESTIMATE_OWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum subject_kind kind = (enum subject_kind)cases[i].kind;
		char words[SUBJECT_WORDS];

		ck_assert_str_eq(subjects_words(kind, words), cases[i].words);
		/* Whether figures are estimated does not change the words. */
		ck_assert_str_eq(subjects_words(subject_estimated(kind, true), words),
				 cases[i].words);
		ck_assert_msg(subjects_share(kind) == cases[i].of, "%s", words);
		ck_assert_msg(subjects_of_tasks(kind) == cases[i].of_tasks, "%s", words);
	}
}
END_TEST

Suite *test_subject_suite(void);
Suite *test_subject_suite(void)
{
	Suite *s = suite_create("analysis/subject");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, kinds);
	suite_add_tcase(s, tc);
	return s;
}
