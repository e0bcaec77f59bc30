// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/safe_text.h.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/safe_text.h"

static const struct {
	const char *name, *shown;
} names[] = {
	{ "", "" },
	{ "kworker/0:1", "kworker/0:1" },
	{ "J\xc3\xbcrgen \xe5\x86\x85\xe6\xa0\xb8 \xf0\x9f\x90\xa7",
	  "J\xc3\xbcrgen \xe5\x86\x85\xe6\xa0\xb8 \xf0\x9f\x90\xa7" },
	/* C0, DEL, C1: sets a title, a colour; a CSI of one byte, encoded in two */
	{ "\033]0;x\a", "\\x1b]0;x\\x07" },
	{ "a\nb\r\tc\x7f", "a\\x0ab\\x0d\\x09c\\x7f" },
	{ "\xc2\x9b"
	  "31m",
	  "\\xc2\\x9b31m" },
	{ "\xc2\xa0", "\xc2\xa0" },
	/* writing direction, separators, invisible characters */
	{ "a\xe2\x80\xae"
	  "b",
	  "a\\xe2\\x80\\xaeb" },
	{ "\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9" },
	{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" },
	{ "a\xe2\x80\x8b"
	  "b\xef\xbb\xbf",
	  "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf" },
	{ "\xc2\xad", "\\xc2\\xad" },
	{ "\xf3\xa0\x80\x81", "\\xf3\\xa0\\x80\\x81" },
	{ "\xef\xbf\xbf", "\\xef\\xbf\\xbf" },
	/* invalid UTF-8: stray byte, overlong, surrogate, too large, truncated */
	{ "\x9b", "\\x9b" },
	{ "\xc0\x9b", "\\xc0\\x9b" },
	{ "\xe0\x82\x9b", "\\xe0\\x82\\x9b" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "\xe2\x80", "\\xe2\\x80" },
	{ "\xff\xfe", "\\xff\\xfe" },
	/* a backslash that is kept as it is, and one that must be escaped */
	{ "a\\b\\", "a\\b\\" },
	{ "\\x1b", "\\\\x1b" },
	{ "\\\\x1b", "\\\\\\\\x1b" },
	{ "\\\033", "\\\\\\x1b" },
	{ "\\\\", "\\\\\\" },
};

START_TEST(names_are_safe)
{
	struct strbuf sb = { 0 };

	safe_text_puts(&sb, names[_i].name);
	ck_assert_str_eq(strbuf_text(&sb), names[_i].shown);
	strbuf_free(&sb);
}
END_TEST

/* Converts shown text back to the name, by the rule in the header file. */
static void name_of(const char *shown, struct strbuf *name)
{
	strbuf_reset(name);
	for (; *shown; shown++) {
		char c = *shown;

		if (c == '\\' && shown[1] == '\\') {
			shown++;
		} else if (c == '\\' && shown[1] == 'x') {
			char digits[] = { shown[2], shown[3], '\0' };

			c = (char)strtol(digits, NULL, 16);
			shown += 3;
		}
		strbuf_add(name, &c, 1);
	}
}

/* No two names look the same, as each can be converted back. */
START_TEST(every_name_comes_back)
{
	static const char bytes[] = "\\x1b \n\x7f\xc2\x9b\xe2\x80\xae\xffz";
	const size_t nr = sizeof(bytes) - 1;
	struct strbuf shown = { 0 }, name = { 0 };
	size_t i, k;

	for (i = 0; i < nr * nr * nr * nr; i++) {
		char text[5] = { 0 };
		size_t left = i;

		for (k = 0; k < 4; k++, left /= nr)
			text[k] = bytes[left % nr];
		strbuf_reset(&shown);
		safe_text_puts(&shown, text);
		for (k = 0; k < shown.size; k++)
			ck_assert((uint8_t)shown.data[k] >= ' ' && shown.data[k] != 0x7f);
		name_of(strbuf_text(&shown), &name);
		ck_assert_str_eq(strbuf_text(&name), text);
	}
	strbuf_free(&shown);
	strbuf_free(&name);
}
END_TEST

START_TEST(only_what_is_there_is_read)
{
	struct strbuf sb = { 0 };
	char *cut = malloc(2);

	ck_assert_ptr_nonnull(cut);
	memcpy(cut, "\xe2\x80", 2); /* the sanitizer sees reads beyond the end */
	safe_text_add(&sb, cut, 2);
	cut[1] = '\\';
	safe_text_add(&sb, cut, 2);
	ck_assert_str_eq(strbuf_text(&sb), "\\xe2\\x80\\xe2\\");
	strbuf_free(&sb);
	free(cut);
}
END_TEST

static void keep(void *ctx, enum log_level level, const char *kind, const char *message)
{
	strbuf_puts(ctx, message);
}

/* Keeps line breaks of the message, but not those in a name. */
START_TEST(messages_are_safe)
{
	struct strbuf got = { 0 };
	const struct log log = { keep, &got };

	log_msg(&log, LOG_WARN, "'%s' of %d\n  Try: %.*s", "a\n  Try: b\033\x01", 7, 2,
		"cde");
	ck_assert_str_eq(strbuf_text(&got), "'a\\x0a  Try: b\\x1b\\x01' of 7\n  Try: cd");
	strbuf_reset(&got);
	log_msg(&log, LOG_WARN, "%s\n%s", "\1\2\3\4\5\6\7\10\n", "");
	ck_assert_ptr_null(strchr(strbuf_text(&got), '\n'));
	strbuf_free(&got);
}
END_TEST

START_TEST(errors_have_words)
{
	struct strbuf got = { 0 };
	const struct log log = { keep, &got };

	ck_assert_int_eq(log_errno(&log, LOG_WARN, 0, "%s: %m", "a"), 0);
	ck_assert_uint_eq(got.size, 0);
	ck_assert_int_eq(
		log_errno(&log, LOG_WARN, -ENOENT, "%s: %m\n  Try: %s", "a\n", "b"),
		-ENOENT);
	ck_assert_str_eq(strbuf_text(&got),
			 "a\\x0a: No such file or directory\n  Try: b");
	strbuf_free(&got);
}
END_TEST

Suite *test_safe_text_suite(void)
{
	Suite *s = suite_create("base/safe_text");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, names_are_safe, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_test(tc, every_name_comes_back);
	tcase_add_test(tc, only_what_is_there_is_read);
	tcase_add_test(tc, messages_are_safe);
	tcase_add_test(tc, errors_have_words);
	suite_add_tcase(s, tc);
	return s;
}
