// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/addr_set.h: no address is mistaken for a neighbour.
 */
#include <check.h>

#include "account/addr_set.h"

START_TEST(neighbours_differ)
{
	struct addr_set set = { 0 };
	uint64_t addr;

	for (addr = 0; addr < 20000; addr += 3)
		ck_assert(addr_set_add(&set, addr));
	ck_assert(addr_set_add(&set, UINT64_MAX));
	for (addr = 0; addr < 20000; addr++)
		ck_assert_int_eq(addr_set_has(&set, addr), addr % 3 == 0);
	ck_assert(addr_set_has(&set, UINT64_MAX));
	ck_assert(!addr_set_has(&set, UINT64_MAX - 8));
	addr_set_free(&set);
}
END_TEST

START_TEST(a_page_of_objects_is_one_group)
{
	struct addr_set set = { 0 };
	uint64_t addr;

	for (addr = 0xffff888000000000; addr < 0xffff888000001000; addr += 8)
		ck_assert(addr_set_add(&set, addr));
	ck_assert_uint_eq(set.groups.nr, 1);
	addr_set_free(&set);
}
END_TEST

Suite *test_addr_set_suite(void)
{
	Suite *s = suite_create("account/addr_set");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, neighbours_differ);
	tcase_add_test(tc, a_page_of_objects_is_one_group);
	suite_add_tcase(s, tc);
	return s;
}
