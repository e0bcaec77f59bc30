// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/slab_counts.h: free objects that CPUs hold, and counts of caches, from
 * directories made here.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/facts/slab_counts.h"
#include "remove_tree.h"

static char dir[64];

static void put(const char *cache, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, cache);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, cache, file);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void set_up(void)
{
	snprintf(dir, sizeof(dir), "/tmp/kmemx-slabs.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	/* CPUs have no active slab, but one has a partial list, which cpu_slabs does not count. */
	put("filp", "cpu_slabs", "0\n");
	put("filp", "slabs_cpu_partial", "42(4) C1=42(4)\n");
	put("filp", "objects", "700 N0=700\n");
	put("filp", "shrink", "");
	put("maple_node", "cpu_slabs", "2 N0=2\n");
	put("maple_node", "objects", "300 N0=300\n");
	put("maple_node", "sheaf_capacity", "32\n");
	put("filp", "reclaim_account", "0\n");
	put("dentry", "reclaim_account", "1\n");
	put(":a-0000104", "reclaim_account", "1\n");
	put("idle", "cpu_slabs", "0\n");
	put("idle", "slabs_cpu_partial", "0(0)\n");
	put("idle", "objects", "5\n");
	put("idle", "shrink", "");
}

static void tear_down(void)
{
	remove_tree(dir);
}

/* The line of @cache must have these fields before its times. */
static void expect(const char *text, const char *cache, const char *fields)
{
	uint64_t begin, read, end;
	char wanted[64];
	const char *line;

	snprintf(wanted, sizeof(wanted), "%s %s ", cache, fields);
	line = strstr(text, wanted);
	ck_assert_msg(line, "no '%s' in %s", wanted, text);
	ck_assert_int_eq(sscanf(line + strlen(wanted), "%" SCNu64 " %" SCNu64 " %" SCNu64,
				&begin, &read, &end),
			 3);
	ck_assert(begin && begin <= read && read <= end);
}

static const char slabinfo[] =
	"slabinfo - version: 2.1\n# name <active_objs>\n"
	"idle 5 5 64 64 1\nfilp 700 800 192 21 1\n"
	"maple_node 300 320 256 16 1\ngone 1 1 8 8 1\n../x 1 1 8 8 1\n";

static void take_open(struct strbuf *out, uint64_t shrink_ns,
		      const struct slab_files *files)
{
	const struct slab_counts_options opts = {
		.path = dir,
		.slabinfo = slabinfo,
		.open = files,
		.clock = CLOCK_MONOTONIC,
		.shrink_ns = shrink_ns,
	};

	slab_counts_take(out, &opts);
	ck_assert(!out->failed);
	ck_assert_ptr_null(strstr(strbuf_text(out), "gone"));
	ck_assert_ptr_null(strstr(strbuf_text(out), "x "));
}

static void take(struct strbuf *out, uint64_t shrink_ns)
{
	take_open(out, shrink_ns, NULL);
}

START_TEST(caches_are_counted)
{
	struct strbuf out = { 0 };

	take(&out, UINT64_MAX);
	expect(strbuf_text(&out), "filp", "700 4 0 1");
	/* This cache cannot be shrunk. */
	expect(strbuf_text(&out), "maple_node", "300 2 32 0");
	expect(strbuf_text(&out), "idle", "5 0 0 1");
	strbuf_reset(&out);
	/* With a limit, a cache that no CPU holds slabs of is not shrunk. */
	take(&out, UINT64_MAX - 1);
	expect(strbuf_text(&out), "filp", "700 4 0 1");
	expect(strbuf_text(&out), "idle", "5 0 0 0");
	strbuf_reset(&out);
	take(&out, 0);
	expect(strbuf_text(&out), "filp", "700 4 0 0");
	strbuf_free(&out);
}
END_TEST

/* Opening a file allocates kernel objects, which would change only one of the two counts. */
START_TEST(open_files_are_not_opened_again)
{
	struct slab_files files = { 0 };
	struct strbuf out = { 0 };
	char path[128];

	slab_files_open(&files, dir, slabinfo);
	ck_assert_ptr_nonnull(slab_files_of(&files, "filp"));
	ck_assert_ptr_null(slab_files_of(&files, "x"));
	ck_assert_ptr_null(slab_files_of(&files, "../x"));
	snprintf(path, sizeof(path), "%s/filp/objects", dir);
	ck_assert(!remove(path));
	snprintf(path, sizeof(path), "%s/filp/slabs_cpu_partial", dir);
	ck_assert(!remove(path));
	take_open(&out, UINT64_MAX, &files);
	expect(strbuf_text(&out), "filp", "700 4 0 1");
	expect(strbuf_text(&out), "maple_node", "300 2 32 0");
	slab_files_close(&files);
	strbuf_free(&out);
}
END_TEST

/* With few descriptors, no file stays open: others need some, too. */
START_TEST(few_files_may_be_open)
{
	const struct rlimit few = { 256, 256 };
	struct slab_files files = { 0 };
	struct strbuf out = { 0 };

	ck_assert(!setrlimit(RLIMIT_NOFILE, &few));
	slab_files_open(&files, dir, slabinfo);
	ck_assert_uint_eq(files.nr, 0);
	take_open(&out, UINT64_MAX, &files);
	expect(strbuf_text(&out), "filp", "700 4 0 1");
	slab_files_close(&files);
	strbuf_free(&out);
}
END_TEST

START_TEST(held_slabs)
{
	struct strbuf out = { 0 };

	slab_counts_held(&out, dir, true);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&out), "filp 4 0\n"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&out), "maple_node 2 32\n"));
	strbuf_reset(&out);
	slab_counts_held(&out, dir, false);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&out), "maple_node 2 0\n"));
	strbuf_reset(&out);
	slab_counts_held(&out, "/nowhere", true);
	ck_assert_uint_eq(out.size, 0);
	strbuf_free(&out);
}
END_TEST

/* A cache whose file is missing (idle), and the kernel's names of merged caches, have no line. */
START_TEST(reclaimable_caches)
{
	struct strbuf out = { 0 };

	slab_counts_reclaim(&out, dir);
	ck_assert_uint_eq(out.size, strlen("filp 0\ndentry 1\n"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&out), "filp 0\n"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&out), "dentry 1\n"));
	strbuf_reset(&out);
	slab_counts_reclaim(&out, "/nowhere");
	ck_assert_uint_eq(out.size, 0);
	strbuf_free(&out);
}
END_TEST

Suite *test_slab_counts_suite(void)
{
	Suite *s = suite_create("capture/slab_counts");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, caches_are_counted);
	tcase_add_test(tc, open_files_are_not_opened_again);
	tcase_add_test(tc, few_files_may_be_open);
	tcase_add_test(tc, held_slabs);
	tcase_add_test(tc, reclaimable_caches);
	suite_add_tcase(s, tc);
	return s;
}
