// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: recording/recording.h: the text of a recording's probes, damaged texts. */
#include <check.h>
#include <string.h>

#include "recording/recording.h"

Suite *test_probe_list_suite(void);

START_TEST(text_and_back)
{
	struct strbuf text = { 0 };
	struct probe_line line;
	const char *at;

	probe_list_add(&text, "rcu_free", "kvfree_call_rcu", NULL);
	probe_list_add(&text, "alloc_bulk", "kmem_cache_alloc_bulk", "settled otherwise");
	ck_assert_str_eq(strbuf_text(&text),
			 "rcu_free kvfree_call_rcu set\n"
			 "alloc_bulk kmem_cache_alloc_bulk settled otherwise\n");
	at = strbuf_text(&text);
	ck_assert(probe_list_next(&at, &line));
	ck_assert_str_eq(line.name, "rcu_free");
	ck_assert_str_eq(line.function, "kvfree_call_rcu");
	ck_assert(line.set);
	ck_assert_str_eq(line.why, "");
	ck_assert(probe_list_next(&at, &line));
	ck_assert_str_eq(line.name, "alloc_bulk");
	ck_assert(!line.set);
	ck_assert_str_eq(line.why, "settled otherwise");
	ck_assert(!probe_list_next(&at, &line));
	strbuf_free(&text);
}
END_TEST

/* Lines without three parts are left out, long ones truncated. */
START_TEST(damaged)
{
	char text[2000] = "\n \nname\nname function\nname function \n rcu f set\nn f set";
	struct probe_line line;
	const char *at = text;

	ck_assert(probe_list_next(&at, &line));
	ck_assert_str_eq(line.name, "n");
	ck_assert_str_eq(line.function, "f");
	ck_assert(line.set);
	ck_assert(!probe_list_next(&at, &line));
	memset(text, 'x', sizeof(text) - 1);
	text[300] = text[900] = ' ';
	at = text;
	ck_assert(probe_list_next(&at, &line));
	ck_assert_uint_eq(strlen(line.name), sizeof(line.name) - 1);
	ck_assert_uint_eq(strlen(line.function), sizeof(line.function) - 1);
	ck_assert_uint_eq(strlen(line.why), sizeof(line.why) - 1);
	ck_assert(!probe_list_next(&at, &line));
}
END_TEST

Suite *test_probe_list_suite(void)
{
	Suite *s = suite_create("recording/probe_list");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, text_and_back);
	tcase_add_test(tc, damaged);
	suite_add_tcase(s, tc);
	return s;
}
