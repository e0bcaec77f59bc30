// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/hash.h.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

START_TEST(map_keeps_every_key)
{
	struct u64_map map = { 0 };
	uint64_t key;

	ck_assert_ptr_null(u64_map_find(&map, 0));
	for (key = 0; key < 10000; key++)
		ck_assert_ptr_nonnull(u64_map_insert(&map, key << 12, (uint32_t)key));
	ck_assert_uint_eq(*u64_map_insert(&map, 5 << 12, 77), 5);
	for (key = 0; key < 10000; key++)
		ck_assert_uint_eq(*u64_map_find(&map, key << 12), key);
	ck_assert_ptr_null(u64_map_find(&map, 1));
	ck_assert_uint_eq(map.count, 10000);
	u64_map_free(&map);
}
END_TEST

START_TEST(intern_gives_equal_bytes_one_number)
{
	struct intern in = { 0 };
	char text[32];
	uint32_t i;
	size_t size;

	for (i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name-%u", i);
		ck_assert_uint_eq(intern_id(&in, text, strlen(text)), i + 1);
	}
	for (i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name-%u", i);
		ck_assert_uint_eq(intern_id(&in, text, strlen(text)), i + 1);
		ck_assert_str_eq(intern_get(&in, i + 1, &size), text);
		ck_assert_uint_eq(size, strlen(text));
		ck_assert_uint_eq((uintptr_t)intern_get(&in, i + 1, NULL) % 8, 0);
	}
	ck_assert_uint_eq(intern_id(&in, "", 0), 5001);
	ck_assert_str_eq(intern_get(&in, 5001, NULL), "");
	ck_assert_ptr_null(intern_get(&in, 0, NULL));
	ck_assert_ptr_null(intern_get(&in, 5002, NULL));
	intern_free(&in);
}
END_TEST

Suite *test_hash_suite(void)
{
	Suite *s = suite_create("base/hash");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, map_keeps_every_key);
	tcase_add_test(tc, intern_gives_equal_bytes_one_number);
	suite_add_tcase(s, tc);
	return s;
}
