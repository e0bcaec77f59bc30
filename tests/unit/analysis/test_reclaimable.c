// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/bounds/reclaimable.h: pages and objects of a real recording and of made up keys.
 */
#include <check.h>
#include <string.h>

#include "analysis/bounds/reclaimable.h"

static const char kallsyms[] = "ffffffff81000000 T do_wp_page\n"
			       "ffffffff81001000 T __filemap_get_folio\n"
			       "ffffffff81002000 T page_cache_ra_order\n"
			       "ffffffff81003000 T shmem_alloc_folio\n";

START_TEST(pages)
{
	static const struct log silent = { 0 };
	static const struct {
		uint64_t callsite;
		bool cache;
	} cases[] = { { 0xffffffff81000010, false },
		      { 0xffffffff81001010, true },
		      { 0xffffffff81002010, true },
		      { 0xffffffff81003010, false },
		      { 0, false } };
	struct migratetypes types;
	struct symbols *syms = NULL;
	struct analysis_env env = { .migratetypes = &types };
	struct reclaimable r = { .env = &env, .flag = 0x10 };
	struct page_key key = { .gfp_flags = 0xc0 };
	size_t i;

	migratetypes_init(&types, NULL, "6.18.0");
	ck_assert_int_eq(symbols_new(&syms, kallsyms, strlen(kallsyms), &silent), 0);
	env.syms = syms;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_int_eq(reclaimable_page(&r, &key, cases[i].callsite),
				 cases[i].cache);
	key.gfp_flags |= r.flag;
	ck_assert(reclaimable_page(&r, &key, 0));
	key = (struct page_key){ .migratetype = 2 };
	ck_assert(reclaimable_page(&r, &key, 0));
	key.migratetype = 1;
	ck_assert(!reclaimable_page(&r, &key, 0));
	symbols_free(syms);
}
END_TEST

Suite *test_reclaimable_suite(void);

Suite *test_reclaimable_suite(void)
{
	Suite *s = suite_create("analysis/reclaimable");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, pages);
	suite_add_tcase(s, tc);
	return s;
}
