// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/sha256.h: the examples of FIPS 180-2, and output of sha256sum for the lengths at
 * which the last block changes.
 */
#include "base/sha256.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

static const struct {
	const char *text;
	size_t times;
	const char *hash;
} known[] = {
	{ "", 1, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
	{ "abc", 1, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=" },
	{ "a", 1000000, "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=" },
	{ "x", 55, "1eKFaDzU78AtAhpcYgFGlJWJAQBdb3HongmJ+sd+QHI=" },
	{ "x", 56, "BMJiYTcO51QVSdFt7jIMcj4/0UZx5moJmv4KN3wWiI4=" },
	{ "x", 63, "dSILRyGCeOZW8gE7uPDEVaJerwHobGSSTp1I2Jd21vI=" },
	{ "x", 64, "fOEAlx9k5wAej+WlGXPs3+HO1Cvv5+6NX9YhlQa1OTw=" },
};

START_TEST(hashes_are_those_known)
{
	size_t size = strlen(known[_i].text);
	char *text = malloc(size * known[_i].times + 1), hash[SHA256_TEXT];
	size_t i;

	for (i = 0; i < known[_i].times; i++)
		memcpy(text + i * size, known[_i].text, size);
	sha256_base64(text, size * known[_i].times, hash);
	ck_assert_str_eq(hash, known[_i].hash);
	free(text);
}
END_TEST

Suite *test_sha256_suite(void);
Suite *test_sha256_suite(void)
{
	Suite *s = suite_create("base/sha256");
	TCase *tc = tcase_create("sha256");

	tcase_add_loop_test(tc, hashes_are_those_known, 0, ARRAY_SIZE(known));
	suite_add_tcase(s, tc);
	return s;
}
