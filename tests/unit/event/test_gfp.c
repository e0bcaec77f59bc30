// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/gfp.h.
 */
#include <check.h>
#include <string.h>

#include "event/gfp.h"

static struct gfp_names names;

static void setup(void)
{
	static const struct {
		uint64_t mask;
		const char *name;
	} some[] = { { 0x100cca, "GFP_HIGHUSER_MOVABLE" },
		     { 0xcc0, "GFP_KERNEL" },
		     { 0x2000, "__GFP_NOWARN" },
		     { 0x40000, "__GFP_COMP" },
		     { 0, "__GFP_EMPTY" },
		     { 0x400000, "__GFP_ACCOUNT" },
		     { 0x400, "__GFP_DIRECT_RECLAIM" } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(some); i++)
		ck_assert_int_eq(gfp_names_add(&names, some[i].mask, some[i].name), 0);
}

static void teardown(void)
{
	gfp_names_free(&names);
}

static void check_format(uint64_t flags, const char *as_long, const char *as_short)
{
	struct strbuf sb = { 0 };

	gfp_format_long(&names, flags, &sb);
	ck_assert_str_eq(strbuf_text(&sb), as_long);
	strbuf_reset(&sb);
	gfp_format_short(&names, flags, &sb, NULL);
	ck_assert_str_eq(strbuf_text(&sb), as_short);
	strbuf_free(&sb);
}

START_TEST(takes_names_in_order)
{
	check_format(0, "none", "none");
	check_format(0xcc0, "GFP_KERNEL", "K");
	check_format(0x140cca, "GFP_HIGHUSER_MOVABLE|__GFP_COMP", "HUM|C");
	check_format(0x442cc0, "GFP_KERNEL|__GFP_NOWARN|__GFP_COMP|__GFP_ACCOUNT",
		     "K|NWR|C|AC");
	/* A name applies only if its whole mask is set. */
	check_format(0x400, "__GFP_DIRECT_RECLAIM", "DR");
}
END_TEST

START_TEST(keeps_unknown_bits)
{
	check_format(0x800, "0x800", "0x800");
	check_format(0xcc0 | 1ULL << 40, "GFP_KERNEL|0x10000000000", "K|0x10000000000");
	check_format(UINT64_MAX & ~0x400000ULL & ~0xccaULL,
		     "__GFP_NOWARN|__GFP_COMP|0xffffffffffbbd335",
		     "NWR|C|0xffffffffffbbd335");
}
END_TEST

START_TEST(tells_which_names_were_used)
{
	struct strbuf sb = { 0 };
	uint64_t used = 0;

	gfp_format_short(&names, 0x40cc0, &sb, &used);
	gfp_format_short(&names, 0x400, &sb, &used);
	ck_assert_uint_eq(used, 1 << 1 | 1 << 3 | 1 << 6);
	strbuf_free(&sb);
}
END_TEST

/* perf uses NF for two flags, and R for two. */
START_TEST(short_names_are_unique)
{
	static const char *const all[] = {
		"GFP_NOFS",
		"__GFP_NOFAIL",
		"__GFP_RECLAIM",
		"__GFP_RETRY_MAYFAIL",
		"GFP_DMA",
		"__GFP_DMA",
		"GFP_DMA32",
		"__GFP_DMA32",
		"GFP_ATOMIC",
		"__GFP_ATOMIC",
		"__GFP_SOME_THING",
		"__GFP_SOMETHING",
		"__GFP_SOME_THINGS",
		"__GFP_KERNELISH",
		"odd name",
		"__GFP_K",
		"__GFP_C",
		"__GFP_COMP_AGAIN",
		"",
		"|",
		"GFP_KERNEL",
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		ck_assert_int_eq(gfp_names_add(&names, 1ULL << i, all[i]), 0);
	for (i = 0; i < names.count; i++) {
		ck_assert_uint_gt(strlen(names.names[i].short_name), 0);
		for (j = 0; j < i; j++)
			ck_assert_str_ne(names.names[i].short_name,
					 names.names[j].short_name);
	}
}
END_TEST

Suite *test_gfp_suite(void)
{
	Suite *s = suite_create("event/gfp");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, takes_names_in_order);
	tcase_add_test(tc, keeps_unknown_bits);
	tcase_add_test(tc, tells_which_names_were_used);
	tcase_add_test(tc, short_names_are_unique);
	suite_add_tcase(s, tc);
	return s;
}
