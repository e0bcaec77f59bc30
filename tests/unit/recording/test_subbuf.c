// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/subbuf.h, the walk over one ring-buffer page.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "build_trace_dat.h"
#include "recording/subbuf.h"

/* Loads a page into memory of exactly its events' size, so that ASan sees reads beyond them. */
static struct subbuf load(struct page_build *p, uint8_t **copy)
{
	size_t header = 8 + p->long_size, size = p->bytes.size - header;

	*copy = malloc(size ? size : 1);
	ck_assert_ptr_nonnull(*copy);
	memcpy(*copy, p->bytes.data + header, size);
	return (struct subbuf){ .data = *copy, .size = (uint32_t)size, .ts = p->ts };
}

struct want {
	uint64_t ts;
	uint32_t size;
	uint32_t first_word;
};

/* Walks the page; @last is the last return value. */
static void expect(struct page_build *p, const struct want *want, size_t nr, int last)
{
	uint8_t *copy;
	struct subbuf sb = load(p, &copy);
	struct subbuf_iter it = subbuf_iter(&sb, p->big_endian);
	struct raw_record rec;
	size_t i;

	for (i = 0; i < nr; i++) {
		ck_assert_int_eq(subbuf_iter_next(&it, &rec), 1);
		ck_assert_uint_eq(rec.ts, want[i].ts);
		ck_assert_uint_eq(rec.size, want[i].size);
		if (rec.size >= 4)
			ck_assert_uint_eq(get_u32(rec.data, p->big_endian),
					  want[i].first_word);
	}
	ck_assert_int_eq(subbuf_iter_next(&it, &rec), last);
	/* There are no events after an error, as after the end. */
	ck_assert_int_eq(subbuf_iter_next(&it, &rec), 0);
	free(copy);
	strbuf_free(&p->bytes);
}

static struct page_build page(int i)
{
	return (struct page_build){ .big_endian = i & 1,
				    .long_size = i & 2 ? 4 : 8,
				    .page_size = 4096 };
}

START_TEST(every_kind_of_record)
{
	struct page_build p = page(_i);
	uint64_t top = 21ULL << 59;
	const struct want want[] = {
		{ top + 105, 4, 11 },
		{ top + 112, 112, 12 },
		{ top + 120, 200, 13 },
		{ top + 120 + 9 + 77 + (3ULL << 27) + 1, 8, 14 },
		{ top + (5ULL << 27) + 6 + 2, 4, 15 },
		{ top + (5ULL << 27) + 6 + 2, 4, 16 },
	};
	int i;

	page_start(&p, top + 100);
	page_event(&p, 5, 1, 11);
	page_event(&p, 7, 28, 12);
	/* A length word: counts its own four bytes and 200 of data. */
	page_head(&p, SUBBUF_DATA_LONG, 8);
	page_word(&p, 204);
	for (i = 0; i < 50; i++)
		page_word(&p, 13);
	/* A discarded event of three words; its time delta counts. */
	page_head(&p, SUBBUF_PADDING, 9);
	page_word(&p, 12);
	page_word(&p, 99);
	page_word(&p, 99);
	page_head(&p, SUBBUF_TIME_EXTEND, 77);
	page_word(&p, 3);
	page_event(&p, 1, 2, 14);
	/* Absolute time of 59 bits; the top five come from the page. */
	page_head(&p, SUBBUF_TIME_STAMP, 6);
	page_word(&p, 5);
	page_event(&p, 2, 1, 15);
	page_event(&p, 0, 1, 16);
	page_head(&p, SUBBUF_PADDING, 0);
	page_word(&p, 4);
	page_event(&p, 0, 1, 17); /* beyond the page's end */
	expect(&p, want, ARRAY_SIZE(want), 0);
}
END_TEST

START_TEST(lengths_that_leave_the_page)
{
	static const struct {
		unsigned int type_len;
		uint32_t word;
	} bad[] = {
		{ 28, 1 },
		{ 3, 1 },
		{ SUBBUF_DATA_LONG, 0 },
		{ SUBBUF_DATA_LONG, 3 },
		{ SUBBUF_DATA_LONG, 13 },
		{ SUBBUF_DATA_LONG, UINT32_MAX },
		{ SUBBUF_DATA_LONG, UINT32_MAX - 3 },
		{ SUBBUF_PADDING, 13 },
		{ SUBBUF_PADDING, UINT32_MAX },
		{ SUBBUF_PADDING, UINT32_MAX - 3 }, /* -4: other readers loop forever */
		{ SUBBUF_PADDING, UINT32_MAX - 7 },
	};
	const struct want want = { 101, 4, 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct page_build p = page(_i);

		page_start(&p, 100);
		page_event(&p, 1, 1, 1);
		page_head(&p, bad[i].type_len, 1);
		page_word(&p, bad[i].word);
		page_word(&p, 0);
		expect(&p, &want, 1, -EBADMSG);
	}
}
END_TEST

START_TEST(headers_cut_by_the_end)
{
	static const unsigned int cut[] = { SUBBUF_DATA_LONG, 1, SUBBUF_TIME_EXTEND,
					    SUBBUF_TIME_STAMP };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cut); i++) {
		struct page_build p = page(_i);

		page_start(&p, 100);
		page_head(&p, cut[i], 1);
		expect(&p, NULL, 0, -EBADMSG);
	}
	for (i = 0; i < 4; i++) {
		struct page_build p = page(_i);

		/* Fewer than four bytes are not a header: alignment at the end. */
		page_start(&p, 100);
		put_uint(&p.bytes, 0, (unsigned int)i, false);
		expect(&p, NULL, 0, 0);
	}
}
END_TEST

START_TEST(unaligned_length_at_the_very_end)
{
	struct page_build p = page(_i);
	const struct want want = { 101, 2, 0 };

	page_start(&p, 100);
	page_head(&p, SUBBUF_DATA_LONG, 1);
	page_word(&p, 6);
	put_uint(&p.bytes, 0, 2, false);
	expect(&p, &want, 1, 0);
}
END_TEST

Suite *test_subbuf_suite(void)
{
	Suite *s = suite_create("recording/subbuf");
	TCase *tc = tcase_create("both orders, both longs");

	tcase_add_loop_test(tc, every_kind_of_record, 0, 4);
	tcase_add_loop_test(tc, lengths_that_leave_the_page, 0, 4);
	tcase_add_loop_test(tc, headers_cut_by_the_end, 0, 4);
	tcase_add_loop_test(tc, unaligned_length_at_the_very_end, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
