// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: account/opening.h, capture/facts/lists.h: a text that the latter writes and the former
 * reads.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/opening.h"
#include "capture/facts/lists.h"

/* The name of the use of @frame, cut at a blank, or "" if unknown. */
static const char *use_at(const struct opening *o, uint64_t frame)
{
	static char text[64];
	uint32_t name = opening_find(o, frame);

	text[0] = 0;
	if (name)
		snprintf(text, sizeof(text), "%.*s", (int)o->names[name - 1].len,
			 o->names[name - 1].text);
	return text;
}

/* Makes a file with @size bytes, and stores its path in @path. */
static void put(char path[32], const void *data, size_t size)
{
	int fd;

	snprintf(path, 32, "/tmp/kmemx-opening.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

START_TEST(flags)
{
	/* Free, anonymous twice, none, page table, page cache, being read, tmpfs, hugetlb, slab. */
	static const uint64_t frames[] = { 1 << 10, 1 << 12 | 1 << 5, 1 << 12 | 1 << 14,
					   0,	    1 << 26,	      1 << 5,
					   1 << 3,  1 << 14 | 1 << 5, 1 << 17 | 1 << 12,
					   1 << 7 };
	static const char *const uses[] = {
		"",	      "anonymous",  "anonymous", "",	    "page_tables",
		"page_cache", "page_cache", "shmem",	 "hugetlb", ""
	};
	struct strbuf out = { 0 };
	struct opening o = { 0 };
	char path[32];

	put(path, frames, sizeof(frames));
	ck_assert_int_eq(list_make(opening_of_flags, path, 10000000000, 1000, &out), 0);
	ck_assert_str_eq(strbuf_text(&out),
			 "=anonymous\n1 2 1\n=page_tables\n1 1 2\n=page_cache\n0 2 3\n"
			 "=shmem\n0 1 4\n=hugetlb\n0 1 5\n");
	ck_assert_int_eq(opening_read(&o, strbuf_text(&out)), 0);
	for (size_t i = 0; i < 10; i++)
		ck_assert_str_eq(use_at(&o, i), uses[i]);
	opening_free(&o);
	strbuf_reset(&out);
	ck_assert_int_eq(list_make(opening_of_flags, path, 10000000000, 10, &out),
			 -EFBIG);
	ck_assert_int_eq(list_make(opening_of_flags, path, 0, 1000, &out), -ETIME);
	unlink(path);
	ck_assert_int_eq(list_make(opening_of_flags, path, 1, 1, &out), -ENOENT);
	strbuf_free(&out);
}
END_TEST

START_TEST(page_owner)
{
	static const char blocks[] =
		"Page allocated via order 1, mask 0xcc0(GFP_KERNEL), pid 9\n"
		"PFN 0x10 type Unmovable Block 1\n post_alloc_hook+0x6f/0xc2\n a+0x1/0x2 [m]\n\n"
		"Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 9\n"
		"PFN 18 type Unmovable Block 1\n post_alloc_hook+0x6f/0xc2\n a+0x1/0x2 [m]\n\n"
		"Page allocated via order 0, mask 0x100(X), pid 9\n"
		"PFN 0x20 type Unmovable Block 1\n b+0x1/0x2\n\n"
		"Page allocated via order 0, mask 0x100(X), pid 9\n"
		"PFN 0x11 type Unmovable Block 1\n earlier+0x1/0x2\n\n";
	struct strbuf out = { 0 };
	struct opening o = { 0 };
	char path[32];

	put(path, blocks, strlen(blocks));
	ck_assert_int_eq(list_make(page_owner_frames, path, 10000000000, 1000, &out), 0);
	ck_assert_str_eq(strbuf_text(&out),
			 "=0xcc0 post_alloc_hook a\n10 3 1\n=0x100 b\nd 1 2\n");
	ck_assert_int_eq(opening_read(&o, strbuf_text(&out)), 0);
	ck_assert_str_eq(use_at(&o, 0xf), "");
	ck_assert_str_eq(use_at(&o, 0x12), "0xcc0 post_alloc_hook a");
	ck_assert_str_eq(use_at(&o, 0x20), "0x100 b");
	ck_assert_str_eq(use_at(&o, 0x21), "");
	opening_free(&o);
	unlink(path);
	strbuf_free(&out);
}
END_TEST

/* Reading ends at a damaged line; what came before it is kept. */
START_TEST(damaged)
{
	static const char *const texts[] = {
		"=a\n0 1 1\n0 0 1\n0 5 1\n",		      /* no frames */
		"=a\n0 1 1\n0 1 2\n0 5 1\n",		      /* no such name */
		"=a\n0 1 1\n0 1 0\n0 5 1\n",		      /* no name */
		"=a\n0 1 1\n0 10000000000000 1\n0 5 1\n",     /* beyond all frames */
		"=a\n0 1 1\n0 100000000000000000 1\n0 5 1\n", /* more than 64 bits */
		"=a\n0 1 1\n0 5 1",			      /* cut */
		"=a\n0 1 1\n-1 5 1\n",
		"=a\n0 1 1\n\n0 5 1\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct opening o = { 0 };

		ck_assert_int_eq(opening_read(&o, texts[i]), 0);
		ck_assert_uint_eq(opening_find(&o, 0), 1);
		ck_assert_msg(o.nr == 1, "text %zu has %zu runs", i, o.nr);
		opening_free(&o);
	}
}
END_TEST

Suite *test_opening_suite(void)
{
	Suite *s = suite_create("account/opening");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, flags);
	tcase_add_test(tc, page_owner);
	tcase_add_test(tc, damaged);
	suite_add_tcase(s, tc);
	return s;
}
