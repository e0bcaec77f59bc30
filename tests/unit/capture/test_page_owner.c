// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/page_owner.c: pages by callchain, from files like page_owner. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/facts/lists.h"
#include "recording/snapshot.h"

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
	ret = list_make(page_owner_sum, path, 10000000000, most, out);
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
	ck_assert_int_eq(list_make(page_owner_sum, "/nonexistent", 1, 1, &out), -ENOENT);
	strbuf_free(&out);
}
END_TEST

/* As mm/page_owner.c of linux-next prints them after "mode=handle", and its list of callchains. */
static const char pages_with_handles[] =
	"Page allocated via order 2, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 (a), ts 1 ns\n"
	"PFN 0x10 type Unmovable Block 13 type Unmovable Flags 0x0()\n"
	"handle: 15728651\n"
	"Charged to memcg a\n"
	"\n"
	"Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 (a), ts 1 ns\n"
	"PFN 0x20 type Unmovable Block 13 type Unmovable Flags 0x0()\n"
	"handle: 4286578699\n"
	"\n"
	/* "mode=stack_handle" */
	"Page allocated via order 1, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 (a), ts 1 ns\n"
	"PFN 0x30 type Unmovable Block 13 type Unmovable Flags 0x0()\n"
	" pipe_write+0x10/0x20\n"
	"handle: 15728651\n"
	"\n"
	"Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 (a), ts 1 ns\n"
	"PFN 0x40 type Unmovable Block 13 type Unmovable Flags 0x0()\n"
	"handle: 7\n";

static const char stacks_with_handles[] = " post_alloc_hook+0x6f/0xc2\n"
					  " f+0x1/0x2 [m]\n"
					  "handle: 15728651\n"
					  "\n"
					  "handle: 3\n"
					  "\n"
					  " g+0x1/0x2\n"
					  "handle: -8388597\n"
					  "\n";

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* Sums pages, with a list of callchains. */
static void sum_handles(const char *stacks, struct strbuf *out)
{
	char dir[] = "/tmp/kmemx-page-owner.XXXXXX", path[64], sub[80], list[112];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/p", dir);
	snprintf(sub, sizeof(sub), "%s_stacks", path);
	snprintf(list, sizeof(list), "%s/show_stacks_handles", sub);
	put(path, pages_with_handles);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	put(list, stacks);
	ck_assert_int_eq(list_make(page_owner_sum, path, 10000000000, 10000, out), 0);
	ck_assert_int_eq(unlink(list) | rmdir(sub) | unlink(path) | rmdir(dir), 0);
}

START_TEST(handles)
{
	struct strbuf out = { 0 };

	sum_handles(stacks_with_handles, &out);
	ck_assert_str_eq(strbuf_text(&out), "4 0xcc0 post_alloc_hook f\n"
					    "1 0xcc0 g\n"
					    "2 0xcc0 pipe_write\n"
					    "1 0xcc0\n");
	strbuf_reset(&out);
	sum_handles("", &out);
	ck_assert_str_eq(strbuf_text(&out), "6 0xcc0\n2 0xcc0 pipe_write\n");
	strbuf_free(&out);
}
END_TEST

/* A callchain that fits in the list, but not after the GFP flags, loses its last functions. */
START_TEST(long_chain)
{
	struct strbuf stacks = { 0 }, out = { 0 };
	const char *text;
	int i;

	strbuf_puts(&stacks, " abcdefghij+0x1/0x2\n");
	for (i = 0; i < 100; i++)
		strbuf_puts(&stacks, " abcdefg+0x1/0x2\n");
	strbuf_puts(&stacks, "handle: 15728651\n");
	sum_handles(strbuf_text(&stacks), &out);
	text = strbuf_text(&out);
	/* 511 characters have room for 62 more functions; after "0xcc0" for one less. */
	ck_assert_int_eq(strncmp(text, "4 0xcc0 abcdefghij abcdefg ", 27), 0);
	ck_assert_uint_eq(strcspn(text, "\n"), strlen("4 0xcc0 abcdefghij") + 61 * 8);
	strbuf_free(&stacks);
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
	tcase_add_test(tc, handles);
	tcase_add_test(tc, long_chain);
	suite_add_tcase(s, tc);
	return s;
}
