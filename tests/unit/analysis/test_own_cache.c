// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/stat/own_cache.h: the numbers of the kernel commit that introduced the method,
 * SLUB's order of slabs, and whether SLUB would merge the cache.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stat/own_cache.h"
#include "base/array.h"

/* ftrace_event_file: 979 objects of 56 bytes, 67 a slab; ftrace_event_field: 2301 objects of 48
 * bytes, 77 a slab. Both were in kmalloc-64. The tails of the slabs are not counted.
 */
START_TEST(the_first_user_of_the_method)
{
	const struct own_cache file = { .size = 56,
					.per_slab = 67,
					.slab_bytes = 67 * 56 };
	const struct own_cache field = { .size = 48,
					 .per_slab = 77,
					 .slab_bytes = 77 * 48 };
	struct own_cache_gain a = own_cache_gain(&file, 979, 64);
	struct own_cache_gain b = own_cache_gain(&field, 2301, 64);

	ck_assert_uint_eq(a.saved, 7832);
	ck_assert_uint_eq(a.unused, 26);
	ck_assert_uint_eq(a.wasted, 1456);
	ck_assert_int_eq(a.bytes, 6376);
	ck_assert_uint_eq(b.saved, 36816);
	ck_assert_uint_eq(b.unused, 9);
	ck_assert_uint_eq(b.wasted, 432);
	ck_assert_int_eq(b.bytes, 36384);
	ck_assert_int_eq(a.bytes + b.bytes, 42760);
}
END_TEST

START_TEST(tails_and_single_objects)
{
	/* A page holds 42 objects of 96 bytes and a tail of 64 bytes. */
	const struct own_cache c = { .size = 96, .per_slab = 42, .slab_bytes = 4096 };
	struct own_cache_gain g = own_cache_gain(&c, 84, 128);

	ck_assert_uint_eq(g.slabs, 2);
	ck_assert_uint_eq(g.unused, 0);
	ck_assert_uint_eq(g.tail, 64);
	ck_assert_uint_eq(g.wasted, 128);
	ck_assert_int_eq(g.bytes, 84 * 32 - 128);
	g = own_cache_gain(&c, 1, 128);
	ck_assert_uint_eq(g.unused, 41);
	ck_assert_int_eq(g.bytes, 32 - 41 * 96 - 64);
	g = own_cache_gain(&c, 0, 128);
	ck_assert_int_eq(g.bytes, 0);
	/* The class fits exactly: nothing to gain. */
	g = own_cache_gain(&c, 42, 96);
	ck_assert_uint_eq(g.saved, 0);
	ck_assert_int_eq(g.bytes, -64);
}
END_TEST

/* Values of /proc/slabinfo under Debian's kernels 5.10, 6.1 and 6.12: size, CPUs, pages of a slab.
 */
static const struct {
	uint64_t size;
	unsigned int cpus, pages;
} slabs[] = {
	{ 56, 1, 1 },	{ 192, 1, 1 },	{ 512, 1, 1 },	{ 704, 1, 2 },	{ 1024, 1, 2 },
	{ 1088, 1, 4 }, { 2048, 1, 4 }, { 2112, 1, 8 }, { 4096, 1, 8 }, { 8192, 1, 8 },
	{ 56, 2, 1 },	{ 192, 2, 1 },	{ 512, 2, 2 },	{ 704, 2, 4 },	{ 1024, 2, 4 },
	{ 2048, 2, 8 }, { 2112, 2, 8 }, { 4096, 2, 8 }, { 8192, 2, 8 },
};

START_TEST(orders)
{
	unsigned int order = own_cache_order(slabs[_i].size, 4096, slabs[_i].cpus);

	ck_assert_msg(1U << order == slabs[_i].pages, "%u bytes, %u CPUs: order %u",
		      (unsigned int)slabs[_i].size, slabs[_i].cpus, order);
}
END_TEST

START_TEST(odd_machines)
{
	/* The number of CPUs is unknown; pages are larger or smaller than an object. */
	ck_assert_uint_eq(own_cache_order(64, 4096, 0), 0);
	ck_assert_uint_eq(own_cache_order(64, 65536, 2), 0);
	ck_assert_uint_eq(own_cache_order(1, 4096, UINT32_MAX), 0);
	ck_assert_uint_eq(own_cache_order(100000, 4096, 2), 5);
}
END_TEST

#define HEAD "slabinfo - version: 2.1\n"
#define LINE(name, size, per_slab, pages) \
	name " 10 20 " size " " per_slab " " pages " : tunables 0 0 0 : slabdata 1 1 0\n"

static void know(struct own_caches *all, const char *slabinfo, const char *aliases)
{
	struct recording_text meta[2];
	const struct recording rec = { .nr_cpus = 2,
				       .meta = meta,
				       .nr_meta = !!slabinfo + !!aliases };
	const struct analysis_env env = { .rec = &rec, .page_size = 4096 };

	if (slabinfo)
		meta[0] = (struct recording_text){ .name = (char *)"slabinfo.after",
						   .text = (char *)slabinfo };
	if (aliases)
		meta[rec.nr_meta - 1] =
			(struct recording_text){ .name = (char *)"slab_aliases",
						 .text = (char *)aliases };
	ck_assert(!own_caches_init(all, &env));
}

START_TEST(slabs_of_a_cache_of_that_size)
{
	/* Falls back on SLUB's rule if there is no usable slabinfo. */
	static const char *const none[] = {
		NULL,
		"",
		HEAD LINE("same", "56", "147", "2"),
		HEAD LINE("same", "56", "1", "1099511627776"),
		HEAD LINE("same", "56", "0", "2"),
		HEAD LINE("same", "0", "1", "2"),
		HEAD LINE("same", "50", "1", "2"),
	};
	struct own_caches all;
	struct own_cache c;
	size_t i;

	know(&all,
	     HEAD LINE("other", "64", "64", "1") LINE("same", "56", "146", "2")
		     LINE("too", "56", "73", "1"),
	     NULL);
	c = own_caches_find(&all, 50);
	ck_assert_uint_eq(c.size, 56);
	ck_assert_uint_eq(c.per_slab, 146);
	ck_assert_uint_eq(c.slab_bytes, 8192);
	ck_assert_str_eq(c.like, "same");
	ck_assert_int_eq(c.merge, OWN_CACHE_MERGE_UNKNOWN);
	own_caches_free(&all);
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		know(&all, none[i], NULL);
		c = own_caches_find(&all, 50);
		ck_assert_uint_eq(c.per_slab, 73);
		ck_assert_uint_eq(c.slab_bytes, 4096);
		ck_assert_ptr_null(c.like);
		own_caches_free(&all);
	}
}
END_TEST

/* The cache that a cache of objects of @bytes would be merged into; "": none; NULL: unknown. */
static const struct {
	uint64_t bytes;
	const char *aliases, *with;
} merges[] = {
	{ 56, "young :0000056\nother :0000056\ncounted :A-0000056\nold :0000056\n",
	  "old" },
	{ 56, "young :0000056\ncounted :A-0000056\n", "young" },
	{ 56, "counted :A-0000056\nyoung :00000560\nold :\nlarge :0000072\n", "" },
	{ 56, "young :0000072\nold 0000056\napart :00000000000056\n", "" },
	{ 65, "young :0000056\nlarge :0000072\n", "large" }, /* SLUB rounds to 72 */
	{ 64, "young :0000056\nlarge :0000072\n", "" },
	{ 0, "", "" },
	{ 56, NULL, NULL },
};

START_TEST(merging)
{
	static const char slabinfo[] = HEAD LINE("young", "56", "73", "1")
		LINE("counted", "56", "73", "1") LINE("old", "56", "73", "1")
			LINE("apart", "56", "73", "1") LINE("large", "72", "56", "1");
	const char *with = merges[_i].with;
	struct own_caches all;
	struct own_cache c;

	know(&all, slabinfo, merges[_i].aliases);
	c = own_caches_find(&all, merges[_i].bytes);
	if (with && *with) {
		ck_assert_int_eq(c.merge, OWN_CACHE_MERGED);
		ck_assert_str_eq(c.with, with);
	} else {
		ck_assert_int_eq(c.merge,
				 with ? OWN_CACHE_APART : OWN_CACHE_MERGE_UNKNOWN);
	}
	own_caches_free(&all);
	know(&all, NULL, merges[_i].aliases);
	c = own_caches_find(&all, merges[_i].bytes);
	ck_assert_int_eq(c.merge, OWN_CACHE_MERGE_UNKNOWN);
	own_caches_free(&all);
}
END_TEST

Suite *test_own_cache_suite(void);

Suite *test_own_cache_suite(void)
{
	Suite *s = suite_create("analysis/own_cache");
	TCase *tc = tcase_create("own_cache");

	tcase_add_test(tc, the_first_user_of_the_method);
	tcase_add_test(tc, tails_and_single_objects);
	tcase_add_loop_test(tc, orders, 0, ARRAY_SIZE(slabs));
	tcase_add_test(tc, odd_machines);
	tcase_add_test(tc, slabs_of_a_cache_of_that_size);
	tcase_add_loop_test(tc, merging, 0, ARRAY_SIZE(merges));
	suite_add_tcase(s, tc);
	return s;
}
