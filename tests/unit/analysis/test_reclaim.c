// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: analysis/bounds/reclaimable.h: what a recording states, contradicts or leaves open. */
#include <check.h>
#include <string.h>

#include "analysis/bounds/reclaimable.h"

START_TEST(says_which_caches)
{
	char name[] = RECORDING_META_SLAB_RECLAIM;
	char text[] = "filp 0\ndentry 1\nboth 1\nboth 0\ntwo 2\nbare\n x 1\nlast 1";
	struct recording_text meta = { name, text, strlen(text) };
	const struct recording rec = { .meta = &meta, .nr_meta = 1 };
	struct reclaim_caches r = { 0 };

	ck_assert(!reclaim_caches_init(&r, &rec));
	ck_assert_int_eq(reclaim_cache(&r, "filp"), RECLAIM_NO);
	ck_assert_int_eq(reclaim_cache(&r, "dentry"), RECLAIM_YES);
	ck_assert_int_eq(reclaim_cache(&r, "both"), RECLAIM_NO);
	ck_assert_int_eq(reclaim_cache(&r, "last"), RECLAIM_YES);
	ck_assert_int_eq(reclaim_cache(&r, "two"), RECLAIM_UNKNOWN);
	ck_assert_int_eq(reclaim_cache(&r, "bare"), RECLAIM_UNKNOWN);
	ck_assert_int_eq(reclaim_cache(&r, NULL), RECLAIM_UNKNOWN);
	reclaim_caches_free(&r);
}
END_TEST

START_TEST(says_nothing)
{
	const struct recording rec = { 0 };
	struct reclaim_caches r = { 0 };

	ck_assert(!reclaim_caches_init(&r, &rec));
	ck_assert_int_eq(reclaim_cache(&r, "dentry"), RECLAIM_UNKNOWN);
	reclaim_caches_free(&r);
}
END_TEST

Suite *test_reclaim_suite(void)
{
	Suite *s = suite_create("analysis/reclaim");
	TCase *tc = tcase_create("reclaim");

	tcase_add_test(tc, says_which_caches);
	tcase_add_test(tc, says_nothing);
	suite_add_tcase(s, tc);
	return s;
}
