// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/last_boot.h: one boot's symbols for events of the previous boot.
 */
#include <check.h>
#include <string.h>

#include "symbol/last_boot.h"

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff9a000000 T _stext\n"
			       "ffffffff9a000000 T _text\n"
			       "ffffffff9a345678 t kmalloc_user\n"
			       "ffffffffc0500000 t ext4_alloc\t[ext4]\n"
			       "ffffffffc0900000 d ext4_data\t[ext4]\n"
			       "ffffffffc0600010 t new_one\t[new]\n";
static const char modules[] = "ext4 987136 1 - Live 0xffffffffc0500000\n"
			      "new 4096 0 - Live 0xffffffffc0600000 (E)\n";

static struct last_boot move(const char *info, const char *kallsyms_text,
			     const char *modules_text, struct strbuf *out)
{
	const struct symbol_text text = { kallsyms_text, strlen(kallsyms_text) };
	struct last_boot last;

	strbuf_reset(out);
	ck_assert_int_eq(last_boot_symbols(info, &text, modules_text, out, &last), 0);
	return last;
}

/* Linux 6.15 records the addresses of the kernel and of modules. */
START_TEST(kernel_and_modules)
{
	static const char info[] = "ffffffff81000000\t[kernel]\n"
				   "ffffffffa0100000\text4\n"
				   "ffffffffa0700000\tgone\n";
	struct strbuf out = { 0 };
	struct last_boot last = move(info, kallsyms, modules, &out);

	ck_assert_int_eq(last.kind, LAST_BOOT_MOVED);
	ck_assert_uint_eq(last.offset, 0xffffffff81000000 - 0xffffffff9a000000);
	ck_assert_uint_eq(last.nr_modules, 1);
	ck_assert_uint_eq(last.nr_dropped, 1);
	ck_assert(strstr(strbuf_text(&out), "ffffffff81345678 t kmalloc_user\n"));
	ck_assert(strstr(strbuf_text(&out), "ffffffffa0100000 t ext4_alloc\t[ext4]\n"));
	ck_assert(!strstr(strbuf_text(&out), "ext4_data"));
	ck_assert(!strstr(strbuf_text(&out), "new_one"));
	strbuf_free(&out);
}
END_TEST

/* Linux 6.12 records only this boot's offset from the previous one, and nothing about modules. */
START_TEST(text_delta)
{
	struct strbuf out = { 0 };
	struct last_boot last;

	last = move("text delta:\t-6291456\ndata delta:\t-6291456\n", kallsyms, modules,
		    &out);
	ck_assert_int_eq(last.kind, LAST_BOOT_MOVED);
	ck_assert_uint_eq(last.nr_dropped, 2);
	ck_assert(strstr(strbuf_text(&out), "ffffffff9a945678 t kmalloc_user\n"));
	ck_assert(!strstr(strbuf_text(&out), "["));
	last = move("text delta:\t0\ndata delta:\t0\n", kallsyms, NULL, &out);
	ck_assert_int_eq(last.kind, LAST_BOOT_SAME);
	last = move("text delta:\t0\ndata delta:\t0\n", kallsyms, modules, &out);
	ck_assert_int_eq(last.kind, LAST_BOOT_MOVED);
	ck_assert(strstr(strbuf_text(&out), "ffffffff9a345678 t kmalloc_user\n"));
	ck_assert(!strstr(strbuf_text(&out), "["));
	strbuf_free(&out);
}
END_TEST

START_TEST(nothing_moved)
{
	struct strbuf out = { 0 };

	ck_assert_int_eq(move("# Current\n", kallsyms, modules, &out).kind,
			 LAST_BOOT_NONE);
	ck_assert_int_eq(move("", kallsyms, modules, &out).kind, LAST_BOOT_NONE);
	ck_assert_int_eq(move("ffffffff9a000000\t[kernel]\n", kallsyms, "", &out).kind,
			 LAST_BOOT_SAME);
	ck_assert_int_eq(move("ffffffff9a000000\t[kernel]\nffffffffc0500000 ext4\n"
			      "ffffffffc0600000 new\n",
			      kallsyms, modules, &out)
				 .kind,
			 LAST_BOOT_SAME);
	ck_assert_uint_eq(out.size, 0);
	strbuf_free(&out);
}
END_TEST

/* Addresses are hidden or missing: the kernel's address is unknown. */
START_TEST(unknown)
{
	struct strbuf out = { 0 };

	ck_assert_int_eq(move("ffffffff81000000\t[kernel]\n", "", modules, &out).kind,
			 LAST_BOOT_UNKNOWN);
	ck_assert_int_eq(
		move("ffffffff81000000\t[kernel]\n", "0 T _stext\n", NULL, &out).kind,
		LAST_BOOT_UNKNOWN);
	ck_assert_int_eq(move("0\t[kernel]\n", kallsyms, NULL, &out).kind,
			 LAST_BOOT_UNKNOWN);
	strbuf_free(&out);
}
END_TEST

/* On arm64 _stext is 64 KiB after _text; _text counts. */
START_TEST(text_comes_before_stext)
{
	struct strbuf out = { 0 };
	struct last_boot last =
		move("ffff800080000000 [kernel]\n",
		     "ffffb00010010000 T _stext\nffffb00010000000 T _text\n", NULL, &out);

	ck_assert_uint_eq(last.offset, 0xffff800080000000 - 0xffffb00010000000);
	strbuf_free(&out);
}
END_TEST

Suite *test_last_boot_suite(void);

Suite *test_last_boot_suite(void)
{
	Suite *s = suite_create("symbol/last_boot");
	TCase *tc = tcase_create("last_boot");

	tcase_add_test(tc, kernel_and_modules);
	tcase_add_test(tc, text_delta);
	tcase_add_test(tc, nothing_moved);
	tcase_add_test(tc, unknown);
	tcase_add_test(tc, text_comes_before_stext);
	suite_add_tcase(s, tc);
	return s;
}
