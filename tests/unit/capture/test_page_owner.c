// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/page_owner.c: pages by callchain, from any file like page_owner. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "account/snapshot.h"
#include "capture/facts/lists.h"

static const char blocks[] =
	"Page allocated via order 0, mask 0x141cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), pid 99, tgid 99 (cat), ts 10029896227 ns\n"
	"PFN 0x1a38 type Movable Block 13 type Movable Flags 0x4010(dirty|private|zone=0)\n"
	" post_alloc_hook+0x6f/0xc2\n"
	" __filemap_get_folio+0x17d/0x23d\n"
	" ext4_da_write_begin+0x192/0x1b7 [ext4]\n"
	"\n"
	"Page allocated via order 3, mask 0xcc0(GFP_KERNEL), pid 1, ts 1 ns, free_ts 0 ns\n"
	"PFN 6664 type Unmovable Block 13 type Unmovable Flags 0x0\n"
	" pipe_write+0x10/0x20\n"
	"Charged to memcg a\n"
	"\n"
	"Page allocated via order 1, mask 0x141cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), pid 7, tgid 7 (cat), ts 5 ns\n"
	"PFN 0x1a40 type Movable Block 13 type Movable Flags 0x0\n"
	" post_alloc_hook+0x6f/0xc2\n"
	" __filemap_get_folio+0x17d/0x23d\n"
	" ext4_da_write_begin+0x192/0x1b7 [ext4]\n"
	"\n"
	"Page allocated via order 99, mask 0xcc0(GFP_KERNEL), pid 1\n"
	" damaged+0x1/0x2\n";

static int sum(const char *text, size_t most, struct strbuf *out)
{
	char path[] = "/tmp/kmemx-page-owner.XXXXXX";
	int fd = mkstemp(path), ret;
	FILE *f;

	ck_assert_int_ge(fd, 0);
	f = fdopen(fd, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ret = page_owner_sum(path, 10000000000, most, out);
	unlink(path);
	return ret;
}

START_TEST(chains)
{
	struct strbuf out = { 0 };

	ck_assert_int_eq(sum(blocks, 1000, &out), 0);
	ck_assert_str_eq(
		strbuf_text(&out),
		"3 0x141cca post_alloc_hook __filemap_get_folio ext4_da_write_begin\n"
		"8 0xcc0 pipe_write\n");
	out.size = 0;
	ck_assert_int_eq(sum(blocks, 20, &out), -EFBIG);
	ck_assert_int_eq(page_owner_sum("/nonexistent", 1, 1, &out), -ENOENT);
	strbuf_free(&out);
}
END_TEST

START_TEST(lines)
{
	const char *text = "3 0x141cca post_alloc_hook f\nx 0x1 f\n4 1 f\n"
			   "99999999999999 0x1 f\n7 0x\n8 0xcc0 pipe_write";
	struct page_owner_line line;

	ck_assert(page_owner_next(&text, &line));
	ck_assert_uint_eq(line.pages, 3);
	ck_assert_uint_eq(line.gfp_flags, 0x141cca);
	ck_assert_int_eq(strncmp(line.names, "post_alloc_hook f", line.len), 0);
	ck_assert(page_owner_next(&text, &line));
	ck_assert_uint_eq(line.pages, 8);
	ck_assert_uint_eq(line.len, 10);
	ck_assert(!page_owner_next(&text, &line));
}
END_TEST

Suite *test_page_owner_suite(void)
{
	Suite *s = suite_create("capture/page_owner");
	TCase *tc = tcase_create("page_owner");

	tcase_add_test(tc, chains);
	tcase_add_test(tc, lines);
	suite_add_tcase(s, tc);
	return s;
}
