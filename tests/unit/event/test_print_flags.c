// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/print_flags.h.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "event/print_flags.h"

static int collect(void *ctx, uint64_t mask, const char *name)
{
	strbuf_printf(ctx, "%s=%llx ", name, (unsigned long long)mask);
	return 0;
}

static int refuse(void *ctx, uint64_t mask, const char *name)
{
	return -ENOMEM;
}

static const char *parse(struct strbuf *out, const char *pairs)
{
	struct strbuf text = { 0 };

	strbuf_reset(out);
	strbuf_printf(
		&text,
		"name: x\nID: 1\nformat:\n\nprint fmt: \"%%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", %s) : \"none\"\n",
		pairs);
	ck_assert_int_ge(
		print_flags_parse(text.data, text.size, "gfp_flags", collect, out), 0);
	strbuf_free(&text);
	return strbuf_text(out);
}

START_TEST(pairs_as_kernels_write_them)
{
	struct strbuf out = { 0 };

	ck_assert_str_eq(
		parse(&out,
		      "{( unsigned long)((( gfp_t)((((1UL))) << (5)))|(( gfp_t)((((1UL))) << (11)))), \"GFP_ATOMIC\"}, { (unsigned long)0x100u, \"__GFP_ZERO\" }"),
		"GFP_ATOMIC=820 __GFP_ZERO=100 ");
	ck_assert_str_eq(
		parse(&out,
		      "{(unsigned long)((((gfp_t)(0x400u|0x800u)) | ((gfp_t)0x40u)) & ~((gfp_t)(0x400u))), \"A\"}, {0, \"none\"}, {(1 << 3) + 2 - 1, \"B\"}"),
		"A=840 B=9 ");
	strbuf_free(&out);
}
END_TEST

START_TEST(only_the_field_asked_for)
{
	static const char text[] =
		"\nprint fmt: \"%s %s\", __print_flags(REC->my_gfp_flags, \"|\", {1, \"NO\"}), __print_flags(REC->gfp_flags, \"|\", {2, \"YES\"})\n";
	struct strbuf out = { 0 };

	ck_assert_int_eq(
		print_flags_parse(text, strlen(text), "gfp_flags", collect, &out), 1);
	ck_assert_str_eq(strbuf_text(&out), "YES=2 ");
	ck_assert_int_eq(print_flags_parse(text, strlen(text), "gfp_flags", refuse, NULL),
			 -ENOMEM);
	strbuf_free(&out);
}
END_TEST

START_TEST(what_is_no_constant_is_left_out)
{
	struct strbuf out = { 0 };

	ck_assert_str_eq(
		parse(&out,
		      "{1 / 0, \"DIV\"}, {1 << 64, \"FAR\"}, {REC->x, \"REC\"}, {ENUM, \"ENUM\"}, {99999999999999999999, \"BIG\"}, {4, \"OK\"}"),
		"OK=4 ");
	ck_assert_str_eq(parse(&out, "{1, \"A"), "");
	ck_assert_str_eq(parse(&out, "{1, \"A\""), "");
	ck_assert_str_eq(parse(&out, "{"), "");
	strbuf_free(&out);
}
END_TEST

START_TEST(deep_nesting_is_no_recursion)
{
	struct strbuf pairs = { 0 }, out = { 0 };
	int i;

	strbuf_puts(&pairs, "{");
	for (i = 0; i < 100000; i++)
		strbuf_puts(&pairs, i % 2 ? "(" : "~");
	strbuf_puts(&pairs, "1, \"A\"}");
	ck_assert_str_eq(parse(&out, strbuf_text(&pairs)), "");
	strbuf_free(&pairs);
	strbuf_free(&out);
}
END_TEST

Suite *test_print_flags_suite(void)
{
	Suite *s = suite_create("event/print_flags");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, pairs_as_kernels_write_them);
	tcase_add_test(tc, only_the_field_asked_for);
	tcase_add_test(tc, what_is_no_constant_is_left_out);
	tcase_add_test(tc, deep_nesting_is_no_recursion);
	suite_add_tcase(s, tc);
	return s;
}
