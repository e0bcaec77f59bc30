// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/row_union.h: one row for each key, in the order of their first events.
 */
#include <check.h>

#include "account/row_union.h"

static void add(struct row_union *u, unsigned int part, uint64_t key, uint64_t ts,
		uint64_t place)
{
	ck_assert_int_eq(row_union_add(u, part, &key, sizeof(key),
				       &(struct event_place){ ts, place }),
			 0);
}

static void expect_key(const struct intern *keys, uint32_t row, uint64_t want)
{
	size_t size = 0;
	const uint64_t *key = intern_get(keys, row + 1, &size);

	ck_assert_uint_eq(size, sizeof(*key));
	ck_assert_uint_eq(*key, want);
}

/* The first event of a key is the earliest one of all parts; equal times are ordered by position.
 */
START_TEST(rows_are_in_the_order_of_their_first_events)
{
	struct row_union u = { 0 };
	struct intern keys = { 0 };

	add(&u, 0, 0xa, 50, 1);
	add(&u, 0, 0xb, 60, 2);
	add(&u, 3, 0xc, 60, 1);
	add(&u, 3, 0xa, 10, 9);
	add(&u, 15, 0xd, 20, 0);
	add(&u, 15, 0xb, 70, 0);
	add(&u, 15, 0xc, 60, 3);
	ck_assert_int_eq(row_union_number(&u, &keys), 0);
	ck_assert_uint_eq(keys.count, 4);
	expect_key(&keys, 0, 0xa);
	expect_key(&keys, 1, 0xd);
	expect_key(&keys, 2, 0xc);
	expect_key(&keys, 3, 0xb);
	ck_assert_uint_eq(u.nr[0], 2);
	ck_assert_uint_eq(u.of[0][0], 0);
	ck_assert_uint_eq(u.of[0][1], 3);
	ck_assert_uint_eq(u.nr[1], 0);
	ck_assert_uint_eq(u.nr[3], 2);
	ck_assert_uint_eq(u.of[3][0], 2);
	ck_assert_uint_eq(u.of[3][1], 0);
	ck_assert_uint_eq(u.nr[15], 3);
	ck_assert_uint_eq(u.of[15][0], 1);
	ck_assert_uint_eq(u.of[15][1], 3);
	ck_assert_uint_eq(u.of[15][2], 2);
	row_union_free(&u);
	intern_free(&keys);
}
END_TEST

START_TEST(no_rows_are_none)
{
	struct row_union u = { 0 };
	struct intern keys = { 0 };

	ck_assert_int_eq(row_union_number(&u, &keys), 0);
	ck_assert_uint_eq(keys.count, 0);
	row_union_free(&u);
	intern_free(&keys);
}
END_TEST

/* Every part has many keys, added in another order than that of their first events. */
START_TEST(each_part_finds_its_rows)
{
	struct row_union u = { 0 };
	struct intern keys = { 0 };
	unsigned int part;
	uint64_t k;

	for (part = 0; part < EVENT_PARTS; part++) {
		for (k = 0; k < 1000; k++) {
			if ((k * 7 + part) % 3)
				add(&u, part, k, 5000 - k, part);
		}
	}
	ck_assert_int_eq(row_union_number(&u, &keys), 0);
	ck_assert_uint_eq(keys.count, 1000);
	for (k = 0; k < 1000; k++)
		expect_key(&keys, (uint32_t)k, 999 - k);
	for (part = 0; part < EVENT_PARTS; part++) {
		size_t row = 0;

		for (k = 0; k < 1000; k++) {
			if ((k * 7 + part) % 3)
				ck_assert_uint_eq(u.of[part][row++], 999 - k);
		}
		ck_assert_uint_eq(row, u.nr[part]);
	}
	row_union_free(&u);
	intern_free(&keys);
}
END_TEST

Suite *test_row_union_suite(void)
{
	Suite *s = suite_create("account/row_union");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rows_are_in_the_order_of_their_first_events);
	tcase_add_test(tc, no_rows_are_none);
	tcase_add_test(tc, each_part_finds_its_rows);
	suite_add_tcase(s, tc);
	return s;
}
