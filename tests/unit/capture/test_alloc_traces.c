// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/lists.c: objects by callsite, from a directory like the kernel's. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/facts/lists.h"

/* Linux 6.1 with slub_debug=U, cut; the last three are made up. */
static const char text[] =
	"      2 __alloc_file+0x23/0xd0 age=2/127/253 pid=1-86\n"
	"        __alloc_file+0x23/0xd0\n"
	"        alloc_empty_file+0x3d/0xb0\n"
	"\n"
	"      4 pci_alloc_dev+0x20/0x90 waste=5888/1472 age=1767/1772/1779 pid=1\n"
	"        kmalloc_trace+0x26/0x90\n"
	"        0xffffffffc0001234\n"
	"\n"
	"      1 __alloc_file+0x23/0xd0 age=11 pid=86\n"
	"        __alloc_file+0x23/0xd0\n"
	"\n"
	"     33 nfs_alloc_inode+0x1/0x2 [nfs] age=11 pid=86 cpus=0-1\n"
	"      7 <not-available> age=11 pid=86\n"
	"99999999999 too_many+0x1/0x2 age=1 pid=1\n";

static char dir[64], cache[96], file[128];

static void setup(void)
{
	FILE *f;

	snprintf(dir, sizeof(dir), "/tmp/kmemx-traces.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(cache, sizeof(cache), "%s/filp", dir);
	snprintf(file, sizeof(file), "%s/alloc_traces", cache);
	ck_assert_int_eq(mkdir(cache, 0700), 0);
	f = fopen(file, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void teardown(void)
{
	unlink(file);
	rmdir(cache);
	rmdir(dir);
}

START_TEST(callsites)
{
	struct strbuf out = { 0 };

	ck_assert_int_eq(list_make(alloc_traces_sum, dir, 10000000000, 1000, &out), 0);
	ck_assert_str_eq(strbuf_text(&out), "filp 3 __alloc_file\n"
					    "filp 4 pci_alloc_dev\n"
					    "filp 33 nfs_alloc_inode [nfs]\n"
					    "filp 7 <not-available>\n");
	strbuf_free(&out);
}
END_TEST

START_TEST(failures)
{
	struct strbuf out = { 0 };
	char data[256] = { 0 };
	FILE *f;

	ck_assert_int_eq(list_make(alloc_traces_sum, "/nonexistent", 1, 1, &out),
			 -ENOENT);
	ck_assert_int_eq(list_make(alloc_traces_sum, cache, 1, 1, &out), -ENOENT);
	ck_assert_int_eq(list_make(alloc_traces_sum, dir, 10000000000, 10, &out), -EFBIG);
	ck_assert_int_eq(list_make(alloc_traces_sum, dir, 0, 1000, &out), -ETIME);
	strbuf_reset(&out);
	/* Lines with a long name are left out, and so is "No data", which has no name. */
	f = fopen(file, "w");
	ck_assert_ptr_nonnull(f);
	memset(data, 'n', sizeof(data) - 1);
	fprintf(f, "No data\n1 %s%s%s+0x1/0x2\n", data, data, data);
	fclose(f);
	ck_assert_int_eq(list_make(alloc_traces_sum, dir, 10000000000, 1000, &out), 0);
	ck_assert_str_eq(strbuf_text(&out), "");
	strbuf_free(&out);
}
END_TEST

Suite *test_alloc_traces_suite(void)
{
	Suite *s = suite_create("capture/alloc_traces");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, callsites);
	tcase_add_test(tc, failures);
	suite_add_tcase(s, tc);
	return s;
}
