// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the settings file.
 * In: valid, damaged and hostile texts. Out: settings, or the line that is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "base/settings.h"

/* Writes each setting with its line as "section.name=value", or "section.name" without a value. */
static const char *shown(const struct settings *s, char *text, size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < s->nr && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%u:%s.%s%s%s",
					 i ? "|" : "", s->items[i].line,
					 s->items[i].section, s->items[i].name,
					 s->items[i].value ? "=" : "",
					 s->items[i].value ? s->items[i].value : "");
	return text;
}

static void check_text(const char *text, const char *expected)
{
	struct settings s;
	struct settings_error error;
	char buf[512];

	ck_assert_int_eq(settings_parse(&s, text, strlen(text), &error), 0);
	ck_assert_str_eq(shown(&s, buf, sizeof(buf)), expected);
	settings_free(&s);
}

START_TEST(both_forms)
{
	check_text("", "");
	check_text("# only a comment", "");
	check_text("stat.sort = bytes", "1:stat.sort=bytes");
	check_text("[stat]\n\tsort = bytes\n\n  lines=3\n[diff]\njson\n",
		   "2:stat.sort=bytes|4:stat.lines=3|6:diff.json");
	check_text("[ stat ] sort = bytes ; why\r\ndiff.Top=1\r\n",
		   "1:stat.sort=bytes|2:diff.top=1");
	check_text("\xef\xbb\xbf[STAT]\nMax-Lost = 5%", "2:stat.max-lost=5%");
	check_text("[stat]\nsort =\nlines = 1", "2:stat.sort=|3:stat.lines=1");
}
END_TEST

START_TEST(values)
{
	check_text("a.b = two  words  # not this", "1:a.b=two  words");
	check_text("a.b = \" kept # ; \" \n", "1:a.b= kept # ; ");
	check_text("a.b = \"one\"two\" three\"", "1:a.b=onetwo three");
	check_text("a.b = x\\\"y\\\\z\\tq", "1:a.b=x\"y\\z\tq");
	check_text("a.b = one \\\n two\na.c = 3", "1:a.b=one  two|3:a.c=3");
	check_text("a.b = caf\xc3\xa9 \xff", "1:a.b=caf\xc3\xa9 \xff");
}
END_TEST

static void check_problem(const char *text, size_t size, enum settings_problem problem,
			  unsigned int line)
{
	struct settings s;
	struct settings_error error;

	ck_assert_int_eq(settings_parse(&s, text, size, &error), -EINVAL);
	ck_assert_int_eq(error.problem, problem);
	ck_assert_uint_eq(error.line, line);
	ck_assert_ptr_null(s.items);
}

#define PROBLEM(text, problem, line) check_problem(text, sizeof(text) - 1, problem, line)

START_TEST(problems_have_a_line)
{
	PROBLEM("\n[stat", SETTINGS_BAD_SECTION, 2);
	PROBLEM("[]", SETTINGS_BAD_SECTION, 1);
	PROBLEM("[stat \"sub\"]", SETTINGS_BAD_SECTION, 1);
	PROBLEM("[1]", SETTINGS_BAD_SECTION, 1);
	PROBLEM("\n\nsort = bytes", SETTINGS_NO_SECTION, 3);
	PROBLEM("[stat]\n= bytes", SETTINGS_BAD_NAME, 2);
	PROBLEM("stat. = bytes", SETTINGS_BAD_NAME, 1);
	PROBLEM("[stat]\nsort bytes", SETTINGS_BAD_ASSIGNMENT, 2);
	PROBLEM("[stat]\nsort : bytes", SETTINGS_BAD_ASSIGNMENT, 2);
	PROBLEM("[stat]\nsort = \"bytes", SETTINGS_OPEN_QUOTE, 2);
	PROBLEM("[stat]\nsort = \\x1b", SETTINGS_BAD_ESCAPE, 2);
	PROBLEM("[stat]\nsort = \\", SETTINGS_BAD_ESCAPE, 2);
	PROBLEM("[stat]\nsort = \\\0", SETTINGS_BAD_ESCAPE, 2);
	PROBLEM("[stat]\nsort = \x1b[2J", SETTINGS_BAD_CHARACTER, 2);
	PROBLEM("[stat]\nsort = a\0b", SETTINGS_BAD_CHARACTER, 2);
	PROBLEM("[stat]\nsort = a\rb", SETTINGS_BAD_CHARACTER, 2);
	PROBLEM("\x7f"
		"ELF",
		SETTINGS_BAD_NAME, 1);
}
END_TEST

START_TEST(bounds)
{
	size_t size = SETTINGS_TEXT_MAX + 1, i;
	char *text = malloc(size);
	struct settings s;
	struct settings_error error;

	memset(text, '\n', size);
	check_problem(text, size, SETTINGS_TOO_MANY, 0);
	ck_assert_int_eq(settings_parse(&s, text, size - 1, &error), 0);
	ck_assert_uint_eq(s.nr, 0);
	settings_free(&s);

	for (i = 0; i < SETTINGS_MAX; i++)
		memcpy(text + 4 * i, "a.b\n", 4);
	ck_assert_int_eq(settings_parse(&s, text, 4 * i, &error), 0);
	ck_assert_uint_eq(s.nr, SETTINGS_MAX);
	settings_free(&s);
	memcpy(text + 4 * i, "a.b", 3);
	check_problem(text, 4 * i + 3, SETTINGS_TOO_MANY, SETTINGS_MAX + 1);

	memset(text, 'a', SETTINGS_NAME_MAX);
	memcpy(text + SETTINGS_NAME_MAX, ".b=1", 4);
	ck_assert_int_eq(settings_parse(&s, text, SETTINGS_NAME_MAX + 4, &error), 0);
	settings_free(&s);
	memset(text, 'a', SETTINGS_NAME_MAX + 1);
	memcpy(text + SETTINGS_NAME_MAX + 1, ".b=1", 4);
	check_problem(text, SETTINGS_NAME_MAX + 5, SETTINGS_BAD_NAME, 1);
	free(text);
}
END_TEST

/* Truncates the text at each byte, and replaces each byte, in memory that ends with the text. The
 * resulting texts must end within it.
 */
START_TEST(damaged_texts)
{
	static const char whole[] =
		"[stat]\n\tsort = \"a b\" # c\n[x]y=z\\\n\\t\nalias.l = q\r\nb\n";
	static const char bytes[] = "\0\n\r\"\\[]=.#a\x1b\xff ";
	const size_t size = sizeof(whole) - 1;
	struct settings s;
	struct settings_error error;
	size_t i, k, texts = 0;
	char *text;

	for (i = 0; i < size; i++) {
		for (k = 0; k <= sizeof(bytes) - 1; k++) {
			size_t len = k ? size : i, n;

			text = malloc(len ? len : 1);
			memcpy(text, whole, len);
			if (k)
				text[i] = bytes[k - 1];
			if (!settings_parse(&s, text, len, &error)) {
				for (n = 0; n < s.nr; n++) {
					ck_assert_uint_gt(strlen(s.items[n].name), 0);
					ck_assert_uint_gt(strlen(s.items[n].section), 0);
					ck_assert(!s.items[n].value ||
						  strlen(s.items[n].value) < size);
				}
				texts++;
			} else {
				ck_assert_int_ne(error.problem, SETTINGS_OK);
			}
			settings_free(&s);
			free(text);
		}
	}
	ck_assert_uint_gt(texts, size);
}
END_TEST

START_TEST(the_last_counts)
{
	static const char text[] = "a.b = 1\na.b = 2\na.c = 3\nb.b = 4\n";
	struct settings s;
	struct settings_error error;

	ck_assert_int_eq(settings_parse(&s, text, sizeof(text) - 1, &error), 0);
	ck_assert_str_eq(settings_find(&s, "a", "b")->value, "2");
	ck_assert_ptr_null(settings_find(&s, "a", "d"));
	ck_assert_ptr_null(settings_find(&s, "c", "b"));
	settings_free(&s);
}
END_TEST

static void check_words(const char *value, const char *expected)
{
	char **words, joined[128] = "";
	size_t nr, i, used = 0;

	ck_assert_int_eq(settings_words(value, &words, &nr), 0);
	for (i = 0; i < nr; i++)
		used += (size_t)snprintf(joined + used, sizeof(joined) - used, "<%s>",
					 words[i]);
	ck_assert_ptr_null(words[nr]);
	ck_assert_str_eq(joined, expected);
	free(words);
}

START_TEST(words)
{
	char **list;
	size_t nr;

	check_words("", "");
	check_words("  ", "");
	check_words("stat --live", "<stat><--live>");
	check_words(" a  'b c'\t\"d e\"f ", "<a><b c><d ef>");
	check_words("a\\ b '\\' \"\\\"\"", "<a b><\\><\">");
	check_words("'' a \\", "<><a><\\>");
	check_words("a b c d e f g", "<a><b><c><d><e><f><g>");
	ck_assert_int_eq(settings_words("a 'b", &list, &nr), -EINVAL);
	ck_assert_int_eq(settings_words("\"", &list, &nr), -EINVAL);
}
END_TEST

Suite *test_settings_suite(void);
Suite *test_settings_suite(void)
{
	Suite *s = suite_create("base/settings");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, both_forms);
	tcase_add_test(tc, values);
	tcase_add_test(tc, problems_have_a_line);
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, damaged_texts);
	tcase_add_test(tc, the_last_counts);
	tcase_add_test(tc, words);
	suite_add_tcase(s, tc);
	return s;
}
