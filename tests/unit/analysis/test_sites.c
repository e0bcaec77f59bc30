// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/sites.h: functions, what the compiler made of them, and their names.
 */
#include <check.h>
#include <string.h>

#include "analysis/sites.h"

static const char map[] = "1000 t foo.part.0\n2000 T foo\n3000 t foo.isra.0.cold\n"
			  "4000 t twice\n5000 t twice\n6000 t mempool_alloc_noprof\n"
			  "7000 t only.constprop.0\n"
			  "8000 t foo\t[m]\n9000 t foo.part.0\t[m]\na000 T end\n";

/* The group of the function at @addr is called @want; returns its number. */
static uint32_t expect(struct sites *s, uint64_t addr, const char *want)
{
	uint32_t group = sites_group(s, addr + 4);
	struct strbuf name = { 0 };

	ck_assert_uint_ne(group, UINT32_MAX);
	sites_name(s, group, &name);
	ck_assert_str_eq(strbuf_text(&name), want);
	strbuf_free(&name);
	return group;
}

static void group_all(struct sites *s)
{
	uint64_t addr;

	for (addr = 0x1000; addr < 0xa000; addr += 0x1000)
		ck_assert_uint_ne(sites_group(s, addr + 4), UINT32_MAX);
}

START_TEST(parts_and_clones_are_the_function)
{
	struct analysis_env env = { 0 };
	struct symbols *syms;
	struct sites s;
	uint32_t foo;

	ck_assert_int_eq(symbols_new(&syms, map, sizeof(map) - 1, NULL), 0);
	env.syms = syms;
	sites_init(&s, &env);
	group_all(&s);
	foo = expect(&s, 0x1000, "foo");
	ck_assert_uint_eq(expect(&s, 0x2000, "foo"), foo);
	ck_assert_uint_eq(expect(&s, 0x3000, "foo"), foo);
	/* Two functions that have one name stay two; a module's is another one too. */
	ck_assert_uint_ne(expect(&s, 0x4000, "twice+0x4"),
			  expect(&s, 0x5000, "twice+0x4"));
	ck_assert_uint_eq(expect(&s, 0x8000, "foo [m]"), expect(&s, 0x9000, "foo [m]"));
	expect(&s, 0x6000, "mempool_alloc");
	expect(&s, 0x7000, "only");
	sites_free(&s);
	symbols_free(syms);
}
END_TEST

START_TEST(raw_names_are_the_symbols)
{
	struct analysis_env env = { .raw_names = true };
	struct symbols *syms;
	struct sites s;

	ck_assert_int_eq(symbols_new(&syms, map, sizeof(map) - 1, NULL), 0);
	env.syms = syms;
	sites_init(&s, &env);
	group_all(&s);
	expect(&s, 0x1000, "foo.part.0");
	expect(&s, 0x3000, "foo.isra.0.cold");
	expect(&s, 0x4000, "twice+0x4");
	expect(&s, 0x6000, "mempool_alloc_noprof");
	expect(&s, 0x7000, "only.constprop.0");
	sites_free(&s);
	symbols_free(syms);
}
END_TEST

Suite *test_sites_suite(void)
{
	Suite *s = suite_create("analysis/sites");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, parts_and_clones_are_the_function);
	tcase_add_test(tc, raw_names_are_the_symbols);
	suite_add_tcase(s, tc);
	return s;
}
