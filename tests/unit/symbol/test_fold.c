// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the part of a symbol's name that is the same in another build, symbol/symbol_line.c.
 */
#include <check.h>
#include <string.h>

#include "symbol/symbols.h"

#include "base/compiler.h"

static void expect(const char *name, const char *plain)
{
	size_t len = symbol_plain_length(name);

	ck_assert_msg(len == strlen(plain) && !memcmp(name, plain, len),
		      "%s: %.*s, not %s", name, (int)len, name, plain);
}

START_TEST(endings_go)
{
	expect("alloc_empty_file", "alloc_empty_file");
	expect("getname_flags.part.0", "getname_flags");
	expect("a.isra.0", "a");
	expect("a.constprop.0.isra.12", "a");
	expect("a.part.0.cold", "a");
	expect("a.llvm.1234567890", "a");
	expect("__kmalloc_noprof", "__kmalloc");
	expect("__kmalloc_node_noprof.constprop.0", "__kmalloc_node");
}
END_TEST

START_TEST(names_stay)
{
	/* These suffixes stay: they denote a different function, or the name would be empty. */
	expect("", "");
	expect("cold", "cold");
	expect("a.b", "a.b");
	expect("noprof", "noprof");
	expect("_noprof", "_noprof");
	expect("a_noprofile", "a_noprofile");
	expect(".cold", ".cold");
}
END_TEST

Suite *test_fold_suite(void)
{
	Suite *suite = suite_create("symbol/fold");
	TCase *tc = tcase_create("fold");

	tcase_add_test(tc, endings_go);
	tcase_add_test(tc, names_stay);
	suite_add_tcase(suite, tc);
	return suite;
}
