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
	unsigned int seed = 1;
	struct merge m;

	ck_assert_int_eq(merge_init(&m, NR_SEQUENCES), 0);
	for (i = 0; i < NR_SEQUENCES; i++) {
		next[i] = (uint64_t)(rand_r(&seed) % 50);
		left[i] = PER_SEQUENCE;
		merge_add(&m, next[i], i);
	}
	merge_build(&m);
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
	struct merge_item second;
	struct merge m;

	ck_assert_int_eq(merge_init(&m, 10), 0);
	merge_build(&m);
	ck_assert_ptr_null(merge_top(&m));
	ck_assert(!merge_second(&m, &second));
	merge_pop(&m);
	merge_add(&m, UINT64_MAX, 3); /* the largest time is valid */
	merge_build(&m);
	ck_assert_uint_eq(merge_top(&m)->index, 3);
	ck_assert(!merge_second(&m, &second));
	merge_free(&m);

	ck_assert_int_eq(merge_init(&m, 10), 0);
	merge_add(&m, UINT64_MAX, 3);
	merge_add(&m, 0, 9);
	merge_build(&m);
	ck_assert_uint_eq(merge_top(&m)->index, 9);
	ck_assert(merge_second(&m, &second));
	ck_assert_uint_eq(second.index, 3);
	merge_pop(&m);
	ck_assert_uint_eq(merge_top(&m)->index, 3);
	merge_pop(&m);
	ck_assert_ptr_null(merge_top(&m));
	merge_free(&m);
}
END_TEST

START_TEST(any_number_of_sequences)
{
	struct merge m;
	uint32_t nr, i;

	for (nr = 0; nr < 20; nr++) {
		ck_assert_int_eq(merge_init(&m, nr), 0);
		for (i = 0; i < nr; i++)
			merge_add(&m, nr - i, i);
		merge_build(&m);
		for (i = 0; i < nr; i++) {
			ck_assert_uint_eq(merge_top(&m)->index, nr - 1 - i);
			merge_pop(&m);
		}
		ck_assert_ptr_null(merge_top(&m));
		merge_free(&m);
	}
}
END_TEST

Suite *test_merge_suite(void)
{
	Suite *s = suite_create("recording/merge");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, merges_in_time_order_ties_to_the_lower_index);
	tcase_add_test(tc, the_top_alone_has_no_second);
	tcase_add_test(tc, any_number_of_sequences);
	suite_add_tcase(s, tc);
	return s;
}
