// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: digits and text through a large buffer, base/outbuf.c, and its cache of texts.
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/outbuf.h"
#include "base/strbuf.h"

static struct strbuf got;
static struct outbuf out;
static size_t fail_after;

static int take(void *ctx, const char *data, size_t size)
{
	if (got.size > fail_after)
		return -ENOSPC;
	strbuf_add(&got, data, size);
	return 0;
}

static void setup(void)
{
	fail_after = SIZE_MAX;
	ck_assert_int_eq(outbuf_init(&out, take, NULL), 0);
}

static void teardown(void)
{
	outbuf_free(&out);
	strbuf_free(&got);
}

static const uint64_t numbers[] = { 0,
				    1,
				    9,
				    10,
				    11,
				    99,
				    100,
				    101,
				    999,
				    1000,
				    4095,
				    4096,
				    65535,
				    1000000,
				    123456789,
				    UINT32_MAX,
				    UINT32_MAX + 1ULL,
				    INT64_MAX,
				    INT64_MAX + 1ULL,
				    UINT64_MAX };

START_TEST(numbers_as_printf)
{
	struct strbuf want = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		uint64_t n = numbers[i];

		outbuf_dec(&out, n);
		outbuf_char(&out, ' ');
		outbuf_int(&out, (int64_t)n);
		outbuf_char(&out, ' ');
		outbuf_dec_wide(&out, n, 9, '0');
		outbuf_char(&out, ' ');
		outbuf_dec_wide(&out, n, 4, ' ');
		outbuf_char(&out, ' ');
		outbuf_hex(&out, n, 1);
		outbuf_char(&out, ' ');
		outbuf_hex(&out, n, 8);
		outbuf_puts(&out, "\n");
		strbuf_printf(&want,
			      "%" PRIu64 " %" PRId64 " %09" PRIu64 " %4" PRIu64
			      " %" PRIx64 " %08" PRIx64 "\n",
			      n, (int64_t)n, n, n, n, n);
	}
	ck_assert_int_eq(outbuf_flush(&out), 0);
	ck_assert_str_eq(strbuf_text(&got), strbuf_text(&want));
	strbuf_free(&want);
}
END_TEST

START_TEST(more_than_it_holds)
{
	const size_t size = 700000;
	char *text = malloc(size);
	size_t i, wrong = 0;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', size);
	for (i = 0; i < 300000; i++)
		outbuf_char(&out, 'a');
	outbuf_add(&out, text, size);
	for (i = 0; i < 300000; i++)
		outbuf_add(&out, "bc", 2);
	ck_assert_int_eq(outbuf_flush(&out), 0);
	ck_assert_uint_eq(got.size, 300000 + size + 600000);
	for (i = 0; i < got.size; i++) {
		char want = i < 300000		? 'a'
			    : i < 300000 + size ? 'x'
						: "bc"[(i - 300000 - size) % 2];

		wrong += got.data[i] != want;
	}
	ck_assert_uint_eq(wrong, 0);
	free(text);
}
END_TEST

START_TEST(the_first_failure_stays)
{
	size_t i;

	fail_after = 0;
	for (i = 0; i < 2000000; i++)
		outbuf_char(&out, 'a');
	ck_assert_int_eq(outbuf_flush(&out), -ENOSPC);
	ck_assert_int_eq(out.err, -ENOSPC);
	ck_assert_uint_lt(got.size, 2000000);
}
END_TEST

static void fill(void *ctx, uint64_t key, struct strbuf *to)
{
	++*(unsigned int *)ctx;
	if (key)
		strbuf_printf(to, "<%" PRIu64 ">", key);
}

START_TEST(texts_are_made_once)
{
	unsigned int made = 0;
	struct text_cache tc = { .fill = fill, .ctx = &made };
	uint64_t key;

	for (key = 0; key < 3000; key++)
		ck_assert_ptr_nonnull(text_cache_get(&tc, key % 1000));
	ck_assert_uint_eq(made, 1000);
	ck_assert_str_eq(text_cache_get(&tc, 999)->text, "<999>");
	ck_assert_uint_eq(text_cache_get(&tc, 999)->size, 5);
	ck_assert_str_eq(text_cache_get(&tc, 0)->text, "");
	/* The cache keeps a limited number of texts, however many are requested. */
	for (key = 0; key < 2 * TEXT_CACHE_MAX + 10; key++)
		ck_assert_ptr_nonnull(text_cache_get(&tc, key));
	ck_assert_uint_le(tc.texts.nr, TEXT_CACHE_MAX);
	ck_assert_str_eq(text_cache_get(&tc, 7)->text, "<7>");
	text_cache_free(&tc);
}
END_TEST

Suite *test_outbuf_suite(void)
{
	Suite *s = suite_create("base/outbuf");
	TCase *tc = tcase_create("outbuf");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, numbers_as_printf);
	tcase_add_test(tc, more_than_it_holds);
	tcase_add_test(tc, the_first_failure_stays);
	tcase_add_test(tc, texts_are_made_once);
	suite_add_tcase(s, tc);
	return s;
}
