// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/safe_text.h: a shell turns each word back into the name it was made from.
 */
#include <check.h>
#include <string.h>

#include "base/compiler.h"
#include "base/safe_text.h"

static const struct {
	const char *name, *word;
} words[] = {
	{ "kstrdup", "kstrdup" },
	{ "/tmp/a-b_c.1:2,3@4%5+0x1f", "/tmp/a-b_c.1:2,3@4%5+0x1f" },
	{ "", "''" },
	{ "my file", "'my file'" },
	{ "it's", "'it'\\''s'" },
	{ "'", "''\\'''" },
	{ "$(reboot)", "'$(reboot)'" },
	{ "a\nb", "'a\nb'" },
	{ "*", "'*'" },
	{ "\xc3\xa4", "'\xc3\xa4'" },
	{ "a;b", "'a;b'" },
	{ "~", "'~'" },
	{ "a\\b", "'a\\b'" },
};

START_TEST(what_a_shell_takes)
{
	struct strbuf sb = { 0 };

	strbuf_puts(&sb, "cat ");
	shell_word(&sb, words[_i].name, strlen(words[_i].name));
	ck_assert_str_eq(strbuf_text(&sb) + 4, words[_i].word);
	strbuf_free(&sb);
}
END_TEST

START_TEST(part_of_a_text)
{
	struct strbuf sb = { 0 };

	shell_word(&sb, "name [module]", 4);
	ck_assert_str_eq(strbuf_text(&sb), "name");
	strbuf_free(&sb);
}
END_TEST

/* Names in suggested commands are quoted; a name that is too long stays as it is. */
START_TEST(name_in_a_message)
{
	char name[4098];

	ck_assert_str_eq(SHELL_NAME("runs/old.dat"), "runs/old.dat");
	ck_assert_str_eq(SHELL_NAME("my file.dat"), "'my file.dat'");
	memset(name, '\'', sizeof(name));
	name[4096] = '\0';
	ck_assert_uint_eq(strlen(SHELL_NAME(name)), 4 * 4096 + 2);
	name[4096] = '\'';
	name[4097] = '\0';
	ck_assert_ptr_eq(SHELL_NAME(name), name);
}
END_TEST

Suite *test_shell_word_suite(void);

Suite *test_shell_word_suite(void)
{
	Suite *s = suite_create("base/shell_word");
	TCase *tc = tcase_create("shell_word");

	tcase_add_loop_test(tc, what_a_shell_takes, 0, ARRAY_SIZE(words));
	tcase_add_test(tc, part_of_a_text);
	tcase_add_test(tc, name_in_a_message);
	suite_add_tcase(s, tc);
	return s;
}
