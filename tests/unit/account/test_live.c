// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/live.h against a plain array.
 */
#include <check.h>
#include <stdlib.h>

#include "account/live.h"

/* The time at which @key begins in turn @turn. Turn 0 keeps no times; turn 1 has times close
 * together; later turns have, from key 10000 on, some that are far earlier or far later than the
 * first.
 */
static uint64_t begin_of(int turn, uint64_t key)
{
	if (turn < 2 || key < 10000)
		return turn ? (1ULL << 61) + key + 7 : 0;
	return key % 3 == 2 ? key : (key % 3 + 1) * (1ULL << 61) + key;
}

START_TEST(live_keeps_what_a_plain_array_keeps)
{
	enum { KEYS = 16384 };
	struct live_table t = { .times = _i > 0 };
	uint8_t *in = calloc(KEYS, 1);
	uint32_t seed = 1;
	size_t count = 0, seen = 0;
	struct live_entry *e;
	int i;

	for (i = 0; i < 200000; i++) {
		uint32_t key = (seed = seed * 1103515245 + 12345) >> 8 & (KEYS - 1);

		e = live_find(&t, (uint64_t)key << 5);
		ck_assert_int_eq(e != NULL, in[key]);
		if (in[key] && seed & 0x40000000) {
			live_remove(&t, e);
			in[key] = 0;
			count--;
		} else if (!in[key]) {
			e = live_insert(&t, (uint64_t)key << 5);
			ck_assert_int_eq(e->state, LIVE_EMPTY);
			e->state = LIVE_ALLOCATED;
			e->row = key;
			live_set_begin(&t, e, begin_of(_i, key));
			in[key] = 1;
			count++;
		}
	}
	ck_assert_uint_eq(t.count, count);
	for (e = live_next(&t, NULL); e; e = live_next(&t, e)) {
		ck_assert(in[e->row]);
		ck_assert_uint_eq(e->key, (uint64_t)e->row << 5);
		ck_assert_uint_eq(live_begin(&t, e), begin_of(_i, e->row));
		seen++;
	}
	ck_assert_uint_eq(seen, count);
	ck_assert_int_eq(t.wide, _i == 2);
	live_free(&t);
	free(in);
}
END_TEST

/* The table grows in place; every entry must be found after each growth. */
START_TEST(live_finds_everything_while_it_grows)
{
	struct live_table t = { .times = _i > 0 };
	uint64_t key, other;

	for (key = 1; key <= 20000; key++) {
		struct live_entry *e = live_insert(&t, key * 64);

		ck_assert_ptr_nonnull(e);
		e->state = LIVE_ALLOCATED;
		e->row = (uint32_t)key;
		live_set_begin(&t, e, begin_of(_i, key));
		if (!live_full(&t) && t.count * 8 != t.capacity * 3)
			continue;
		ck_assert(live_grow(&t));
		for (other = 1; other <= key; other++) {
			e = live_find(&t, other * 64);
			ck_assert_ptr_nonnull(e);
			ck_assert_uint_eq(e->row, other);
			ck_assert_uint_eq(live_begin(&t, e), begin_of(_i, other));
		}
		ck_assert_ptr_null(live_find(&t, 0));
	}
	ck_assert_int_eq(t.wide, _i == 2);
	live_free(&t);
}
END_TEST

START_TEST(a_time_takes_at_most_16_bytes_of_each)
{
	struct live_table t = { .times = true };
	uint64_t key;

	for (key = 1; key <= 100000; key++) {
		struct live_entry *e = live_insert(&t, key * 64);

		ck_assert_ptr_nonnull(e);
		e->state = LIVE_ALLOCATED;
		live_set_begin(&t, e, begin_of(1, key));
		ck_assert(t.capacity <= 2 * LIVE_SMALL_CAPACITY ||
			  t.capacity * live_begin_size(&t) <= 16 * key);
	}
	live_free(&t);
}
END_TEST

/* Checks what live.h promises about small and large tables. */
START_TEST(live_is_as_full_as_promised)
{
	struct live_table t = { 0 };
	uint64_t key;

	for (key = 1; key <= 100000; key++) {
		size_t bytes;

		live_insert(&t, key * 64)->state = LIVE_ALLOCATED;
		bytes = t.capacity * sizeof(*t.entries);
		if (key <= 8192)
			ck_assert_uint_le(2 * t.count, t.capacity);
		else if (bytes > 768 << 10)
			ck_assert_uint_le(bytes, t.count * 60);
		ck_assert_uint_le(t.count * 16, t.capacity * 13);
	}
	live_free(&t);
}
END_TEST

START_TEST(nothing_older_than_a_gap_is_recent)
{
	struct live_table t = { 0 };
	uint64_t gap, key;

	/* Makes more gaps than an entry's bits can count, with growth in between. */
	for (gap = 0; gap < 200; gap++) {
		for (key = gap * 20; key < gap * 20 + 20; key++) {
			struct live_entry *e = live_insert(&t, key);

			e->state = LIVE_ALLOCATED;
			e->epoch = t.epoch & LIVE_EPOCH_OLD;
		}
		for (key = 0; key < gap * 20 + 20; key++)
			ck_assert_int_eq(live_is_recent(&t, live_find(&t, key)),
					 key >= gap * 20);
		live_gap(&t);
		ck_assert(!live_is_recent(&t, live_find(&t, gap * 20)));
	}
	live_free(&t);
}
END_TEST

Suite *test_live_suite(void)
{
	Suite *s = suite_create("account/live");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, live_keeps_what_a_plain_array_keeps, 0, 3);
	tcase_add_loop_test(tc, live_finds_everything_while_it_grows, 0, 3);
	tcase_add_test(tc, a_time_takes_at_most_16_bytes_of_each);
	tcase_add_test(tc, live_is_as_full_as_promised);
	tcase_add_test(tc, nothing_older_than_a_gap_is_recent);
	suite_add_tcase(s, tc);
	return s;
}
