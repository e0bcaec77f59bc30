// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/merge.h.
 */
#include <check.h>
#include <stdlib.h>

#include "recording/merge.h"

#define NR_SEQUENCES 37
#define PER_SEQUENCE 200

START_TEST(merges_in_time_order_ties_to_the_lower_index)
{
	uint64_t next[NR_SEQUENCES], last = 0;
	uint32_t left[NR_SEQUENCES], i, seen = 0, last_index = 0;
	struct merge m = { 0 };
	unsigned int seed = 1;

	for (i = 0; i < NR_SEQUENCES; i++) {
		next[i] = (uint64_t)(rand_r(&seed) % 50);
		left[i] = PER_SEQUENCE;
		ck_assert_int_eq(merge_push(&m, next[i], i), 0);
	}
	while (merge_top(&m)) {
		struct merge_item top = *merge_top(&m), second;

		ck_assert_uint_eq(top.ts, next[top.index]);
		ck_assert(seen == 0 || top.ts > last ||
			  (top.ts == last && top.index >= last_index));
		if (merge_second(&m, &second)) {
			for (i = 0; i < NR_SEQUENCES; i++) {
				if (i == top.index || !left[i])
					continue;
				ck_assert(next[i] > second.ts ||
					  (next[i] == second.ts && i >= second.index));
			}
		}
		last = top.ts;
		last_index = top.index;
		seen++;
		if (--left[top.index]) {
			next[top.index] += (uint64_t)(rand_r(&seed) % 5);
			merge_replace_top(&m, next[top.index]);
		} else {
			merge_pop(&m);
		}
	}
	ck_assert_uint_eq(seen, NR_SEQUENCES * PER_SEQUENCE);
	merge_free(&m);
}
END_TEST

START_TEST(the_top_alone_has_no_second)
{
	struct merge m = { 0 };
	struct merge_item second;

	ck_assert_ptr_null(merge_top(&m));
	ck_assert(!merge_second(&m, &second));
	merge_pop(&m);
	merge_replace_top(&m, 1);
	ck_assert_int_eq(merge_push(&m, UINT64_MAX, 3), 0);
	ck_assert(!merge_second(&m, &second));
	ck_assert_int_eq(merge_push(&m, 0, 9), 0);
	ck_assert(merge_second(&m, &second));
	ck_assert_uint_eq(second.index, 3);
	merge_free(&m);
}
END_TEST

Suite *test_merge_suite(void)
{
	Suite *s = suite_create("recording/merge");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, merges_in_time_order_ties_to_the_lower_index);
	tcase_add_test(tc, the_top_alone_has_no_second);
	suite_add_tcase(s, tc);
	return s;
}
