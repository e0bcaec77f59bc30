// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: base/array.h: arrays that grow, small and large. */
#include <check.h>

#include "base/array.h"

/* Grows past the size at which arrays ask for huge pages, in both ways. */
START_TEST(large)
{
	const size_t nr = 1 << 22;
	uint64_t *one = NULL, *other = NULL;
	size_t capacity = 0, nr_one = 0, failed = 0, differ = 0;

	for (size_t i = 0; i < nr; i++) {
		failed += ARRAY_ADD(one, nr_one, i) != 0;
		failed += array_reserve(&other, &capacity, i + 1) != 0;
		other[i] = ~i;
	}
	ck_assert_uint_eq(failed, 0);
	ck_assert_uint_eq(nr_one, nr);
	ck_assert_uint_eq(capacity, nr);
	for (size_t i = 0; i < nr; i++)
		differ += one[i] != i || other[i] != ~i;
	ck_assert_uint_eq(differ, 0);
	free(one);
	free(other);
}
END_TEST

START_TEST(reached)
{
	size_t nr = 0, capacity = 0;
	uint32_t *items = NULL;

	ck_assert_int_eq(array_reach(&items, &nr, &capacity, 20), 0);
	ck_assert_uint_eq(nr, 20);
	ck_assert_uint_eq(capacity, 32);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(items[i], 0);
	items[19] = 7;
	ck_assert_int_eq(array_reach(&items, &nr, &capacity, 5), 0);
	ck_assert_uint_eq(nr, 20);
	ck_assert_uint_eq(items[19], 7);
	free(items);
}
END_TEST

/* Allocates anew only if there is too little room, and then exactly what is needed. */
START_TEST(renewed)
{
	uint32_t *items = NULL, *before;
	size_t capacity = 0;

	ck_assert_int_eq(array_renew(&items, &capacity, 3), 0);
	ck_assert_uint_eq(capacity, 3);
	items[2] = 7;
	before = items;
	ck_assert_int_eq(array_renew(&items, &capacity, 2), 0);
	ck_assert_ptr_eq(items, before);
	ck_assert_uint_eq(items[2], 7);
	ck_assert_int_eq(array_renew(&items, &capacity, 5), 0);
	ck_assert_uint_eq(capacity, 5);
	ck_assert_int_eq(array_renew(&items, &capacity, SIZE_MAX / 2), -ENOMEM);
	ck_assert_uint_eq(capacity, 0);
	ck_assert_ptr_null(items);
}
END_TEST

/* The size would overflow: the array stays as it is. */
START_TEST(too_many)
{
	uint64_t *items = NULL;
	size_t capacity = 0;

	ck_assert_int_eq(array_reserve(&items, &capacity, 3), 0);
	items[2] = 9;
	ck_assert_int_eq(array_reserve(&items, &capacity, SIZE_MAX), -ENOMEM);
	ck_assert_int_eq(array_reserve(&items, &capacity, SIZE_MAX / 8), -ENOMEM);
	ck_assert_int_eq(array_double(&items, SIZE_MAX / 8, sizeof(*items)), -ENOMEM);
	ck_assert_uint_eq(capacity, 16);
	ck_assert_uint_eq(items[2], 9);
	free(items);
}
END_TEST

Suite *test_array_suite(void)
{
	Suite *s = suite_create("base/array");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, large);
	tcase_add_test(tc, reached);
	tcase_add_test(tc, renewed);
	tcase_add_test(tc, too_many);
	suite_add_tcase(s, tc);
	return s;
}
