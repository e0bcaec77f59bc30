// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/strbuf.h.
 */
#include <check.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "often.h"

/* The first allocation has room for 63 bytes: lengths that fit, just fit, and do not fit. */
static const size_t used[] = { 0, 1, 60, 61, 62, 63, 64, 200 };
static const size_t more[] = { 0, 1, 2, 3, 63, 64, 1000 };

START_TEST(formatted_text_is_whole)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		struct strbuf sb = { 0 };
		char *text = malloc(more[i] + 1);

		ck_assert_ptr_nonnull(text);
		for (k = 0; k < more[i]; k++)
			text[k] = (char)('a' + k % 26);
		text[more[i]] = '\0';
		strbuf_fill(&sb, '.', used[_i]);
		strbuf_printf(&sb, "%s", text);
		ck_assert(!sb.failed);
		ck_assert_uint_eq(sb.size, used[_i] + more[i]);
		ck_assert_uint_eq(strspn(sb.data, "."), used[_i]);
		ck_assert_str_eq(sb.data + used[_i], text);
		strbuf_printf(&sb, "%d%c", -7, '!');
		ck_assert_str_eq(sb.data + sb.size - 3, "-7!");
		strbuf_free(&sb);
		free(text);
	}
}
END_TEST

START_TEST(filled)
{
	struct strbuf sb = { 0 };

	strbuf_fill(&sb, '=', 3);
	strbuf_fill(&sb, ' ', 0);
	strbuf_fill(&sb, '-', 100);
	ck_assert_uint_eq(sb.size, 103);
	ck_assert_uint_eq(strspn(sb.data, "="), 3);
	ck_assert_uint_eq(strspn(sb.data + 3, "-"), 100);
	strbuf_free(&sb);
}
END_TEST

/* After an allocation failed, the content stays, and nothing more is added, however short. */
START_TEST(failure_stays)
{
	struct strbuf sb = { 0 };

	strbuf_puts(&sb, "kept");
	strbuf_fill(&sb, 'x', SIZE_MAX - 2);
	ck_assert(sb.failed);
	strbuf_printf(&sb, "%s", "more");
	strbuf_fill(&sb, 'x', 1);
	ck_assert(sb.failed);
	ck_assert_str_eq(strbuf_text(&sb), "kept");
	strbuf_reset(&sb);
	strbuf_printf(&sb, "%u", 5U);
	ck_assert(!sb.failed);
	ck_assert_str_eq(strbuf_text(&sb), "5");
	strbuf_free(&sb);
}
END_TEST

/* Text that cannot be formatted, here because it is too long, adds nothing. */
START_TEST(unformatted_text_is_not_there)
{
	volatile int width = INT_MAX; /* volatile, or the compiler warns */
	struct strbuf sb = { 0 };

	strbuf_puts(&sb, "kept");
	strbuf_printf(&sb, "more%*s%*s", width, "", width, "");
	ck_assert(sb.failed);
	ck_assert_uint_eq(sb.size, 4);
	ck_assert_str_eq(strbuf_text(&sb), "kept");
	strbuf_free(&sb);
}
END_TEST

/* Words are cut off without the blanks around them; empty words count. */
START_TEST(words_of_a_list)
{
	static const char *const words[] = { "a", "b c", "", "d" };
	char text[] = " a ,  b c,,d ", *list = text;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		ck_assert_ptr_nonnull(list);
		ck_assert_str_eq(text_next_word(&list), words[i]);
	}
	ck_assert_ptr_null(list);
	ck_assert_str_eq(text_after_slash("/a/b"), "b");
	ck_assert_str_eq(text_after_slash("b"), "b");
	ck_assert_str_eq(text_after_slash("a/"), "");
}
END_TEST

Suite *test_strbuf_suite(void);

Suite *test_strbuf_suite(void)
{
	Suite *s = suite_create("base/strbuf");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, formatted_text_is_whole, 0, (int)ARRAY_SIZE(used));
	tcase_add_test(tc, filled);
	tcase_add_test(tc, failure_stays);
	tcase_add_test(tc, words_of_a_list);
	/* This formats 4 GB of blanks. */
	if (long_tests())
		tcase_add_test(tc, unformatted_text_is_not_there);
	suite_add_tcase(s, tc);
	return s;
}
