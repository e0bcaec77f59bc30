// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/hash.h.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
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
	/* A full map keeps its memory; one with few keys does not. */
	u64_map_clear(&map);
	ck_assert_uint_gt(map.capacity, 0);
	ck_assert_ptr_null(u64_map_find(&map, 5 << 12));
	ck_assert_uint_eq(*u64_map_insert(&map, 5 << 12, 77), 77);
	u64_map_clear(&map);
	ck_assert_uint_eq(map.capacity, 0);
	u64_map_clear(&map);
	ck_assert_uint_eq(*u64_map_insert(&map, 5 << 12, 78), 78);
	ck_assert_uint_eq(map.count, 1);
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

/* What was looked up stays where it is while the table grows. */
START_TEST(interned_content_does_not_move)
{
	struct intern in = { 0 };
	const char *content[3000];
	char text[32];
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(content); i++) {
		snprintf(text, sizeof(text), "name-%u", i);
		content[i] = intern_get(&in, intern_id(&in, text, strlen(text)), NULL);
	}
	for (i = 0; i < ARRAY_SIZE(content); i++) {
		snprintf(text, sizeof(text), "name-%u", i);
		ck_assert_ptr_eq(content[i], intern_get(&in, i + 1, NULL));
		ck_assert_str_eq(content[i], text);
	}
	intern_free(&in);
}
END_TEST

/* With more keys than are kept, each has its own number or none. */
START_TEST(a_recent_key_is_never_another_one)
{
	static struct recent_keys recent;
	uint32_t i, known = 0;

	for (i = 0; i < 4000; i++) {
		uint32_t *id = recent_key(&recent, i % 50, i % 7, i % 3);
		uint32_t number = 1 + i % 50 + 50 * (i % 7) + 350 * (i % 3);

		known += *id == number;
		ck_assert(!*id || *id == number);
		*id = number;
	}
	ck_assert_uint_gt(known, 0);
}
END_TEST

/* Returns how many of @nr keys share the fullest of 4096 slots. */
static uint32_t most_in_a_place(const uint64_t *keys, size_t nr)
{
	static uint16_t places[4096];
	uint32_t most = 0;

	memset(places, 0, sizeof(places));
	for (size_t i = 0; i < nr; i++) {
		uint32_t here = ++places[hash_address(keys[i]) & 4095];

		most = here > most ? here : most;
	}
	return most;
}

static const uint64_t secrets[] = { 0xd1342543de82ef95ULL, 0x9e3779b97f4a7c15ULL,
				    0x0123456789abcdefULL };

/* Keys must be spread even if they differ only in their highest bits, where an unlucky secret may
 * be slightly worse.
 */
START_TEST(keys_in_few_bits_are_apart)
{
	static uint64_t keys[4096];
	int shift;

	hash_secret = secrets[_i];
	for (shift = 0; shift < 53; shift++) {
		for (uint64_t i = 0; i < 4096; i++)
			keys[i] = i << shift;
		ck_assert_uint_le(most_in_a_place(keys, 4096), 32);
		for (uint64_t i = 0; i < 4096; i++)
			keys[i] = 0xffff888000000000 + (i << shift % 26);
		ck_assert_uint_le(most_in_a_place(keys, 4096), 12);
	}
}
END_TEST

START_TEST(keys_that_collide_do_so_with_one_secret)
{
	uint64_t keys[512], key = 0;
	size_t nr = 0;

	hash_secret = secrets[0];
	for (; nr < 512; key++) {
		if (!(hash_address(key << 6) & 4095))
			keys[nr++] = key << 6;
	}
	ck_assert_uint_eq(most_in_a_place(keys, nr), 512);
	hash_secret = secrets[1];
	ck_assert_uint_le(most_in_a_place(keys, nr), 8);
	hash_keep_secret();
	ck_assert_uint_ne(hash_secret, secrets[1]);
	ck_assert_uint_eq(hash_secret & 1, 1);
}
END_TEST

/* A multiplication keeps these differences in the highest bits, where later steps could cancel
 * them.
 */
START_TEST(bytes_collide_by_chance_only)
{
	uint64_t words[20];
	struct u64_map map = { 0 };

	for (uint32_t i = 0; i < 1024; i++) {
		for (uint32_t bit = 0; bit < 10; bit++) {
			words[2 * bit] = (i >> bit & 1ULL) << 63;
			words[2 * bit + 1] =
				(i >> bit & 1ULL) * (1ULL << 63 | 1ULL << 31);
		}
		ck_assert_ptr_nonnull(
			u64_map_insert(&map, hash_bytes(words, sizeof(words)), i));
	}
	ck_assert_uint_eq(map.count, 1024);
	u64_map_free(&map);
}
END_TEST

Suite *test_hash_suite(void)
{
	Suite *s = suite_create("base/hash");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, map_keeps_every_key);
	tcase_add_test(tc, intern_gives_equal_bytes_one_number);
	tcase_add_test(tc, interned_content_does_not_move);
	tcase_add_test(tc, a_recent_key_is_never_another_one);
	tcase_add_loop_test(tc, keys_in_few_bits_are_apart, 0, ARRAY_SIZE(secrets));
	tcase_add_test(tc, keys_that_collide_do_so_with_one_secret);
	tcase_add_test(tc, bytes_collide_by_chance_only);
	suite_add_tcase(s, tc);
	return s;
}
