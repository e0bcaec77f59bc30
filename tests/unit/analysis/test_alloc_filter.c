// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/filter/alloc_filter.h and event_filter.h.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter/alloc_filter.h"
#include "analysis/filter/event_filter.h"
#include "opened.h"

static struct gfp_names names;

static void setup(void)
{
	ck_assert_int_eq(gfp_names_add(&names, 0xcc0, "GFP_KERNEL"), 0);
	ck_assert_int_eq(gfp_names_add(&names, 0x100, "__GFP_ZERO"), 0);
}

static void teardown(void)
{
	gfp_names_free(&names);
}

START_TEST(flags_are_bits_or_names)
{
	static const struct {
		const char *word;
		int err;
		struct filter_gfp gfp;
	} cases[] = {
		{ "GFP_KERNEL", 0, { .names = 1 } },
		{ "K", 0, { .names = 1 } },
		{ "__GFP_ZERO", 0, { .bits = 0x100 } },
		{ "Z", 0, { .bits = 0x100 } },
		{ "K|Z|0x4001", 0, { .bits = 0x4101, .names = 1 } },
		{ "none", 0, { .none = true } },
		{ "", -EINVAL, { 0 } },
		{ "K|", -EINVAL, { 0 } },
		{ "|K", -EINVAL, { 0 } },
		{ "0x", -ENOENT, { 0 } },
		{ "0xg", -EINVAL, { 0 } },
		{ "0x10000000000000000", -EINVAL, { 0 } },
		{ "GFP_KERNE", -ENOENT, { 0 } },
		{ "GFP_KERNELS", -ENOENT, { 0 } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct alloc_filter f = { 0 };

		ck_assert_int_eq(alloc_filter_add_gfp(&f, cases[i].word, &names),
				 cases[i].err);
		ck_assert_uint_eq(f.nr_gfps, !cases[i].err);
		if (f.nr_gfps) {
			ck_assert_uint_eq(f.gfps[0].bits, cases[i].gfp.bits);
			ck_assert_uint_eq(f.gfps[0].names, cases[i].gfp.names);
			ck_assert_int_eq(f.gfps[0].none, cases[i].gfp.none);
		}
		alloc_filter_free(&f);
	}
}
END_TEST

START_TEST(nodes_caches_and_orders_are_checked)
{
	struct alloc_filter f = { 0 };

	ck_assert_int_eq(alloc_filter_add_node(&f, "0-1"), 0);
	ck_assert_int_eq(alloc_filter_add_node(&f, "-1"), 0);
	ck_assert_int_eq(alloc_filter_add_node(&f, "4"), 0);
	ck_assert_uint_eq(f.nodes.nr, 3);
	ck_assert_uint_eq(f.nodes.items[0].first, 1);
	ck_assert_uint_eq(f.nodes.items[0].last, 2);
	ck_assert_uint_eq(f.nodes.items[1].first, 0);
	ck_assert_uint_eq(f.nodes.items[1].last, 0);
	ck_assert_uint_eq(f.nodes.items[2].first, 5);
	ck_assert_int_eq(alloc_filter_add_node(&f, "-2"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_node(&f, ""), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_order(&f, "3-10"), 0);
	ck_assert_int_eq(alloc_filter_add_order(&f, "10-3"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_order(&f, "x"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_cache(&f, "kmalloc-*"), 0);
	ck_assert_int_eq(alloc_filter_add_cache(&f, ""), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_cache(&f, "--csv"), -EINVAL);
	ck_assert_uint_eq(f.nr_caches, 1);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "fs/ext4//"), 0);
	ck_assert_str_eq(f.who.dirs.items[0], "fs/ext4");
	ck_assert_int_eq(alloc_filter_add_dir(&f, ""), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "/"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "/usr/src"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "--csv"), -EINVAL);
	ck_assert_uint_eq(f.who.dirs.nr, 1);
	alloc_filter_free(&f);
}
END_TEST

START_TEST(ranges_include_their_ends)
{
	static const char *const wrong[] = { "",    "-",    "x",   "3-",  "-3",
					     "5-3", "3-5x", "3,4", "0x3", "4294967296" };
	struct filter_ranges r = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_assert_int_eq(filter_ranges_add(&r, wrong[i]), -EINVAL);
	ck_assert(filter_ranges_has(&r, 7)); /* no ranges: everything */
	ck_assert_int_eq(filter_ranges_add(&r, "3-5"), 0);
	ck_assert_int_eq(filter_ranges_add(&r, "9"), 0);
	ck_assert_int_eq(filter_ranges_add(&r, "4294967295"), 0);
	ck_assert(!filter_ranges_has(&r, 2));
	ck_assert(filter_ranges_has(&r, 3));
	ck_assert(filter_ranges_has(&r, 5));
	ck_assert(!filter_ranges_has(&r, 6));
	ck_assert(!filter_ranges_has(&r, 8));
	ck_assert(filter_ranges_has(&r, 9));
	ck_assert(!filter_ranges_has(&r, 10));
	ck_assert(filter_ranges_has(&r, UINT32_MAX));
	free(r.items);
}
END_TEST

START_TEST(events_have_a_system)
{
	static const struct {
		const char *word;
		int ret;
		bool alloc, free;
	} cases[] = {
		{ "kmem:kmalloc", 0, true, false },
		{ "kmalloc", 0, true, false },
		{ "kmem:k*", 0, true, true },
		{ "k*m:kfree", 0, false, true },
		{ "km:kmalloc", -ENOENT, false, false },
		{ "kmem:kmallo", -ENOENT, false, false },
		{ "kmem", -ENOENT, false, false },
	};
	struct opened o;
	size_t i, k;

	opened_open(&o, "data/bookworm-amd64-small-plain.v6.dat");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_filter f = { 0 };

		ck_assert_int_eq(event_filter_add_event(&f, cases[i].word, o.fmts),
				 cases[i].ret);
		for (k = 0; k < event_formats_count(o.fmts); k++) {
			const struct event_format *fmt = event_formats_at(o.fmts, k);

			if (!strcmp(fmt->name, "kmalloc"))
				ck_assert_int_eq(f.ids[fmt->id], cases[i].alloc);
			if (!strcmp(fmt->name, "kfree"))
				ck_assert_int_eq(f.ids[fmt->id], cases[i].free);
		}
		event_filter_free(&f);
	}
	opened_close(&o);
}
END_TEST

START_TEST(addresses_are_hexadecimal)
{
	static const struct {
		const char *word;
		int err;
		uint64_t address;
	} cases[] = {
		{ "0x10", 0, 0x10 },	{ "0X1f", 0, 0x1f },   { "10", 0, 0x10 },
		{ "01", 0, 1 },		{ "0", 0, 0 },	       { "aF", 0, 0xaf },
		{ "0x", -EINVAL, 0 },	{ "0y1", -EINVAL, 0 }, { "1x10", -EINVAL, 0 },
		{ "0x1g", -EINVAL, 0 }, { "", -EINVAL, 0 },    { "00x1", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_filter f = { 0 };

		ck_assert_int_eq(event_filter_add_ptr(&f, cases[i].word), cases[i].err);
		ck_assert_uint_eq(f.ptrs.nr, !cases[i].err);
		if (f.ptrs.nr)
			ck_assert_uint_eq(f.ptrs.items[0].first, cases[i].address);
		event_filter_free(&f);
	}
}
END_TEST

Suite *test_alloc_filter_suite(void)
{
	Suite *s = suite_create("analysis/alloc_filter");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, flags_are_bits_or_names);
	tcase_add_test(tc, nodes_caches_and_orders_are_checked);
	tcase_add_test(tc, ranges_include_their_ends);
	tcase_add_test(tc, events_have_a_system);
	tcase_add_test(tc, addresses_are_hexadecimal);
	suite_add_tcase(s, tc);
	return s;
}
