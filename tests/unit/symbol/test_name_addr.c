// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/name_addr.h.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/name_addr.h"
#include "symbol/symbols.h"

Suite *test_name_addr_suite(void);

static struct name_addr at(const char *name, const char *module, uint64_t offset,
			   uint64_t size)
{
	return (struct name_addr){ name,	 module,
				   strlen(name), module ? strlen(module) : 0,
				   offset,	 size };
}

static uint64_t find(struct name_addrs *na, struct name_addr a)
{
	uint64_t addr = 0;

	ck_assert_int_eq(name_addrs_find(na, &a, &addr), 0);
	return addr;
}

static struct symbols *symbols_of(const struct name_addrs *na)
{
	struct symbols *syms = NULL;
	struct strbuf sb = { 0 };

	name_addrs_text(na, &sb);
	ck_assert_int_eq(symbols_new(&syms, strbuf_text(&sb), sb.size, NULL), 0);
	strbuf_free(&sb);
	return syms;
}

static void expect_symbol(const struct symbols *syms, uint64_t addr, const char *want)
{
	struct strbuf sb = { 0 };

	symbols_format(syms, addr, &sb);
	ck_assert_str_eq(strbuf_text(&sb), want);
	strbuf_free(&sb);
}

static bool is_made_up(uint64_t addr)
{
	return addr - NAME_ADDR_BASE < (uint64_t)NAME_ADDR_MAX << NAME_ADDR_SHIFT;
}

START_TEST(made_up_addresses_are_found_again)
{
	struct name_addrs *na = NULL;
	struct symbols *syms;
	uint64_t a, b, c, d;

	ck_assert_int_eq(name_addrs_new(&na, NULL, 0), 0);
	a = find(na, at("first", NULL, 0x12, 0x100));
	b = find(na, at("second", "ext4", 0xfffff, 0));
	c = find(na, at("first", NULL, 0x20, 0x100));
	d = find(na, at("first", NULL, 0, 0));
	ck_assert_uint_eq(c - a, 0x20 - 0x12);
	ck_assert_uint_eq(a - d, 0x12);
	ck_assert(is_made_up(a) && is_made_up(b));
	ck_assert(!is_made_up(0xffffffff81000000));
	syms = symbols_of(na);
	expect_symbol(syms, a, "first+0x12");
	expect_symbol(syms, b, "second+0xfffff [ext4]");
	ck_assert_uint_eq(name_addrs_stats(na).nr_made_up, 2);
	symbols_free(syms);
	name_addrs_free(na);
}
END_TEST

START_TEST(functions_of_one_name_are_told_apart_by_their_size)
{
	struct name_addrs *na = NULL;
	struct symbols *syms;
	uint64_t a, b, frame;

	ck_assert_int_eq(name_addrs_new(&na, NULL, 0), 0);
	frame = find(na, at("init", NULL, 0, 0));
	a = find(na, at("init", NULL, 4, 0x30));
	b = find(na, at("init", NULL, 4, 0x40));
	ck_assert_uint_eq(a, frame + 4);
	ck_assert_uint_ne(a, b);
	ck_assert_uint_eq(find(na, at("init", NULL, 4, 0x30)), a);
	ck_assert_uint_eq(find(na, at("init", NULL, 4, 0x40)), b);
	for (uint64_t size = 1; size < 1000; size++) /* but only up to a limit */
		find(na, at("init", NULL, 0, size));
	ck_assert_uint_le(name_addrs_stats(na).nr_made_up, 16);
	syms = symbols_of(na);
	expect_symbol(syms, b, "init+0x4");
	symbols_free(syms);
	name_addrs_free(na);
}
END_TEST

START_TEST(true_addresses_where_kallsyms_has_them)
{
	static const char kallsyms[] = "ffffffff81000000 T one\n"
				       "ffffffff81000100 t twice\n"
				       "ffffffff81000140 t twice\n"
				       "ffffffff81000200 T end\n"
				       "ffffffffc0000000 t one\t[ext4]";
	struct name_addrs *na = NULL;
	struct symbols *syms;

	ck_assert_int_eq(name_addrs_new(&na, kallsyms, strlen(kallsyms)), 0);
	ck_assert_uint_eq(find(na, at("one", NULL, 8, 0x100)), 0xffffffff81000008);
	ck_assert_uint_eq(find(na, at("one", "ext4", 8, 0)), 0xffffffffc0000008);
	ck_assert_uint_eq(find(na, at("twice", NULL, 8, 0xc0)), 0xffffffff81000148);
	ck_assert_uint_eq(find(na, at("twice", NULL, 8, 0x40)), 0xffffffff81000108);
	ck_assert_uint_eq(name_addrs_stats(na).nr_ambiguous, 0);
	ck_assert_uint_eq(find(na, at("twice", NULL, 8, 0)), 0xffffffff81000108);
	ck_assert_uint_eq(name_addrs_stats(na).nr_ambiguous, 1);
	ck_assert(is_made_up(find(na, at("elsewhere", NULL, 8, 0))));
	syms = symbols_of(na);
	expect_symbol(syms, 0xffffffffc0000008, "one+0x8 [ext4]");
	symbols_free(syms);
	name_addrs_free(na);
}
END_TEST

START_TEST(what_the_text_tells_is_learned)
{
	struct name_addr func = at("func", "m", 0x10, 0x20);
	struct name_addrs *na = NULL;
	struct symbols *syms;

	ck_assert_int_eq(name_addrs_new(&na, NULL, 0), 0);
	ck_assert_int_eq(name_addrs_learn(na, &func, 0xffffffff81000010), 0);
	syms = symbols_of(na);
	expect_symbol(syms, 0xffffffff81000018, "func+0x18 [m]");
	symbols_free(syms);
	name_addrs_free(na);
}
END_TEST

START_TEST(an_offset_beyond_any_function_has_no_address)
{
	struct name_addrs *na = NULL;

	ck_assert_int_eq(name_addrs_new(&na, NULL, 0), 0);
	ck_assert_uint_eq(find(na, at("f", NULL, 1 << NAME_ADDR_SHIFT, 0)), 0);
	ck_assert_uint_eq(find(na, at("f", NULL, UINT64_MAX, 0)), 0);
	ck_assert_uint_eq(name_addrs_stats(na).nr_refused, 2);
	name_addrs_free(na);
}
END_TEST

Suite *test_name_addr_suite(void)
{
	Suite *s = suite_create("symbol/name_addr");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, made_up_addresses_are_found_again);
	tcase_add_test(tc, functions_of_one_name_are_told_apart_by_their_size);
	tcase_add_test(tc, true_addresses_where_kallsyms_has_them);
	tcase_add_test(tc, what_the_text_tells_is_learned);
	tcase_add_test(tc, an_offset_beyond_any_function_has_no_address);
	suite_add_tcase(s, tc);
	return s;
}
