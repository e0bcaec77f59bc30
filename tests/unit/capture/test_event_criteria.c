// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: allocation criteria as event filters, and the processes of a control group.
 * In: criteria, directories made here. Out: checks.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/events/pids.h"
#include "capture/events/events.h"
#include "remove_tree.h"

Suite *test_event_criteria_suite(void);

static void expect_filter(const struct event_criteria *c, const char *event, bool frees,
			  const char *wanted)
{
	struct strbuf sb = { 0 };
	const char *field = event_criteria_filter(c, event, frees, &sb);

	ck_assert_str_eq(strbuf_text(&sb), wanted);
	ck_assert_int_eq(field != NULL, *wanted != '\0');
	strbuf_free(&sb);
}

START_TEST(nothing)
{
	const struct event_criteria none = { .page_bytes = 4096 };

	ck_assert(!event_criteria_any(&none));
	expect_filter(&none, "kmalloc", false, "");
	expect_filter(&none, "kmem_cache_free", true, "");
}
END_TEST

START_TEST(sizes)
{
	const struct event_criteria bytes = { .min_bytes = 10000, .page_bytes = 4096 };
	const struct event_criteria page = { .min_bytes = 4096, .page_bytes = 4096 };
	const struct event_criteria both = { .min_bytes = 10000,
					     .page_bytes = 4096,
					     .min_order = 3 };

	ck_assert(event_criteria_any(&bytes));
	expect_filter(&bytes, "kmalloc", false, "bytes_alloc >= 10000");
	expect_filter(&bytes, "kmem_cache_alloc_node", false, "bytes_alloc >= 10000");
	/* 10000 bytes need four pages; one page is enough for 4096. */
	expect_filter(&bytes, "mm_page_alloc", false, "order >= 2");
	expect_filter(&page, "mm_page_alloc", false, "");
	expect_filter(&both, "mm_page_alloc", false, "order >= 3");
	/* A block may be freed in pieces: frees are not filtered unless the caller asks. */
	expect_filter(&both, "mm_page_free", false, "");
	expect_filter(&both, "mm_page_free", true, "order >= 3");
	expect_filter(&both, "mm_page_free_batched", true, "");
	expect_filter(&both, "kfree", true, "");
	expect_filter(&both, "sched_switch", true, "");
}
END_TEST

START_TEST(names)
{
	static const char *const one[] = { "dentry" };
	static const char *const more[] = { "ext4_*", "inode_cache" };
	const struct event_criteria exact = { .caches = one, .nr_caches = 1 };
	const struct event_criteria some = {
		.caches = more, .nr_caches = 2, .comms = one, .nr_comms = 1
	};

	expect_filter(&exact, "kmem_cache_alloc", false, "name == \"dentry\"");
	/* An object is freed to its cache; kfree() does not name the cache. */
	expect_filter(&exact, "kmem_cache_free", false, "name == \"dentry\"");
	expect_filter(&exact, "kfree", true, "");
	expect_filter(
		&some, "kmem_cache_alloc", false,
		"(name ~ \"ext4_*\" || name == \"inode_cache\") && comm == \"dentry\"");
	expect_filter(&some, "kmem_cache_free", false,
		      "(name ~ \"ext4_*\" || name == \"inode_cache\")");
	expect_filter(&some, "kfree", false, "");
	expect_filter(&some, "kfree", true, "comm == \"dentry\"");
	expect_filter(&some, "mm_page_alloc", false, "comm == \"dentry\"");
}
END_TEST

START_TEST(flags)
{
	const struct event_criteria c = { .gfp = 0xd0, .min_order = 1 };

	expect_filter(&c, "kmalloc", false,
		      "gfp_flags & 0x10 && gfp_flags & 0x40 && gfp_flags & 0x80");
	expect_filter(
		&c, "mm_page_alloc", false,
		"order >= 1 && gfp_flags & 0x10 && gfp_flags & 0x40 && gfp_flags & 0x80");
	expect_filter(&c, "mm_page_free", true, "order >= 1");
}
END_TEST

/* --- control groups ---------------------------------------------------------------------- */

static char place[64];

static void write_text(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", place, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void make_directory(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void set_up(void)
{
	snprintf(place, sizeof(place), "/tmp/kmemx-cgroup.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(place));
}

static void clean_up(void)
{
	remove_tree(place);
}

START_TEST(group_found)
{
	char mounts[256], text[1024], wanted[256];
	char *dir;

	make_directory("v2");
	make_directory("v2/app");
	write_text("v2/app/cgroup.procs", "");
	make_directory("cpu");
	make_directory("cpu/web");
	write_text("cpu/web/cgroup.procs", "");
	snprintf(text, sizeof(text),
		 "proc /proc proc rw 0 0\n"
		 "cgroup %s/cpu cgroup rw,cpu,memory_not 0 0\n"
		 "cgroup2 %s/v2 cgroup2 rw,nosuid 0 0\n",
		 place, place);
	write_text("mounts", text);
	snprintf(mounts, sizeof(mounts), "%s/mounts", place);
	snprintf(wanted, sizeof(wanted), "%s/v2/app", place);
	ck_assert_int_eq(cgroup_find("/app", mounts, &dir), 0);
	ck_assert_str_eq(dir, wanted);
	free(dir);
	ck_assert_int_eq(cgroup_find(wanted, mounts, &dir), 0);
	ck_assert_str_eq(dir, wanted);
	free(dir);
	/* In cgroup v1, uses the memory controller's group. */
	ck_assert_int_eq(cgroup_find("/web", mounts, &dir), -ENOENT);
	ck_assert_int_eq(cgroup_find("/app", "/no/such/file", &dir), -ENOENT);
	snprintf(text, sizeof(text), "cgroup %s/cpu cgroup rw,cpu,memory 0 0\n", place);
	write_text("mounts", text);
	ck_assert_int_eq(cgroup_find("web", mounts, &dir), 0);
	free(dir);
}
END_TEST

/* Finds a group by a container's ID as reports show it. */
START_TEST(group_of_container)
{
	static const char id[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	char mounts[256], text[1024], name[256];
	char *dir;

	make_directory("v2");
	make_directory("v2/a[b]");
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "v2/a[b]/docker-%.12s%.52s.scope", id,
			 id + i);
		make_directory(name);
		snprintf(text, sizeof(text), "%s/cgroup.procs", name);
		write_text(text, "");
		snprintf(text, sizeof(text), "cgroup2 %s/v2 cgroup2 rw 0 0\n", place);
		write_text("mounts", text);
		snprintf(mounts, sizeof(mounts), "%s/mounts", place);
		/* The second makes it ambiguous. */
		ck_assert_int_eq(
			cgroup_find("/a[b]/docker-0123456789ab.scope", mounts, &dir),
			i ? -ENOENT : 0);
		if (!i)
			ck_assert_str_eq(dir + strlen(place) + 1, name);
		free(dir);
		ck_assert_int_eq(cgroup_find(name + strlen("v2"), mounts, &dir), 0);
		free(dir);
	}
	ck_assert_int_eq(cgroup_find("/a[b]/docker-0123456789a.scope", mounts, &dir),
			 -ENOENT);
	ck_assert_int_eq(cgroup_find("/a*/docker-0123456789ab.scope", mounts, &dir),
			 -ENOENT);
}
END_TEST

START_TEST(group_processes)
{
	char dir[128];
	pid_t *pids;
	size_t nr;
	long sum = 0;

	make_directory("top");
	write_text("top/cgroup.procs", "12\n0\n13\n");
	make_directory("top/below");
	write_text("top/below/cgroup.procs", "1400\n");
	make_directory("top/empty");
	snprintf(dir, sizeof(dir), "%s/top", place);
	ck_assert_int_eq(cgroup_pids(dir, &pids, &nr), 0);
	ck_assert_uint_eq(nr, 3);
	for (size_t i = 0; i < nr; i++)
		sum += pids[i];
	ck_assert_int_eq(sum, 1425);
	free(pids);
	snprintf(dir, sizeof(dir), "%s/none", place);
	ck_assert_int_eq(cgroup_pids(dir, &pids, &nr), -ENOENT);
	ck_assert_uint_eq(nr, 0);
}
END_TEST

Suite *test_event_criteria_suite(void)
{
	Suite *suite = suite_create("capture/event_criteria");
	TCase *tc = tcase_create("criteria");
	TCase *groups = tcase_create("groups");

	tcase_add_test(tc, nothing);
	tcase_add_test(tc, sizes);
	tcase_add_test(tc, names);
	tcase_add_test(tc, flags);
	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(groups, set_up, clean_up);
	tcase_add_test(groups, group_found);
	tcase_add_test(groups, group_of_container);
	tcase_add_test(groups, group_processes);
	suite_add_tcase(suite, groups);
	return suite;
}
