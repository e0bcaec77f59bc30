// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/threads.h: which tasks ran and which are new, from directories like /proc.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/facts/threads.h"
#include "remove_tree.h"

static char dir[64];

/* Writes a file of thread @tid of process @pid. */
static void put(int pid, int tid, const char *file, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d", dir, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/task", dir, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/task/%d", dir, pid, tid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/task/%d/%s", dir, pid, tid, file);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* A thread that has run for @ns, with the flags @flags. */
static void put_thread(int pid, int tid, const char *ns, const char *flags)
{
	char text[160];

	snprintf(text, sizeof(text), "%s 77 3\n", ns);
	put(pid, tid, "schedstat", text);
	snprintf(text, sizeof(text), "%d (a) b) S 1 1 1 -1 -1 %s 0 0\n", tid, flags);
	put(pid, tid, "stat", text);
}

static void set_up(void)
{
	char path[96];

	snprintf(dir, sizeof(dir), "/tmp/kmemx-ran.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sys", dir);
	ck_assert(!mkdir(path, 0700));
	put_thread(1, 1, "1000", "4194560");
	put_thread(1, 12, "5000", "4194560");
	put_thread(2, 2, "100", "2129984"); /* kthreadd */
	put_thread(30, 30, "8000", "4194560");
	put_thread(40, 40, "9000", "4194560");
}

static void tear_down(void)
{
	remove_tree(dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Compares the sorted lines, as a directory has no order. */
static void expect(char *text, const char *lines)
{
	char *line[8], sorted[160] = "", *save = NULL, *at;
	size_t nr = 0, i;

	for (at = strtok_r(text, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
		ck_assert_uint_lt(nr, 8);
		line[nr++] = at;
	}
	qsort(line, nr, sizeof(*line), compare);
	for (i = 0; i < nr; i++)
		snprintf(sorted + strlen(sorted), sizeof(sorted) - strlen(sorted), "%s\n",
			 line[i]);
	ck_assert_str_eq(sorted, lines);
}

START_TEST(who_ran)
{
	struct tasks_ran t = { 0 };
	struct strbuf out = { 0 };
	char *text;

	ck_assert_int_eq(tasks_ran_begin(&t, dir), 0);
	put_thread(1, 12, "5250", "4194560");
	put_thread(2, 2, "900", "2129984");
	put_thread(30, 30, "8500", "4194560"); /* the recorder */
	put_thread(40, 40, "60", "4194560");   /* another task with that number */
	put_thread(50, 50, "7", "4194560");    /* new */
	put_thread(60, 60, "0", "4194560");    /* new, and has not run yet */
	ck_assert_int_eq(tasks_ran_end(&t, dir, 30, &out), 0);
	text = strbuf_detach(&out);
	expect(text, "12 250\n40 60\n50 7\n");
	free(text);
	tasks_ran_free(&t);
}
END_TEST

START_TEST(nobody_knows)
{
	struct tasks_ran t = { 0 };
	struct strbuf out = { 0 };

	ck_assert_int_eq(tasks_ran_end(&t, dir, 0, &out), -EINVAL);
	ck_assert_int_eq(tasks_ran_begin(&t, "/nowhere"), -ENOENT);
	ck_assert_int_eq(tasks_ran_end(&t, dir, 0, &out), -EINVAL);
	remove_tree(dir);
	ck_assert(!mkdir(dir, 0700));
	put(1, 1, "comm", "no schedstat\n");
	ck_assert_int_eq(tasks_ran_begin(&t, dir), -EOPNOTSUPP);
	ck_assert_int_eq(tasks_ran_end(&t, dir, 0, &out), -EINVAL);
	ck_assert_uint_eq(out.size, 0);
	strbuf_free(&out);
	tasks_ran_free(&t);
}
END_TEST

START_TEST(newcomers)
{
	struct strbuf out = { 0 };
	char *text;

	/* A hierarchy may have "memory" in its name. */
	put(40, 40, "cgroup", "5:name=memory:/b\n4:cpu,memory:/a\n0::/c\n");
	ck_assert_int_eq(
		processes_list_new("1 1 0 init\n2 2 0 kthreadd\n30 30 1 x\n", dir, &out),
		0);
	text = strbuf_detach(&out);
	expect(text, "12 1\n40 40 1 a) b\t4:/a\n");
	free(text);
	ck_assert_int_eq(processes_list_new("", "/nowhere", &out), -ENOENT);
	strbuf_free(&out);
}
END_TEST

START_TEST(gone)
{
	struct strbuf out = { 0 };

	strbuf_puts(&out, "1 1 0 init\n12 1\n70 70 1 x\n");
	ck_assert_int_eq(processes_list_gone("1 1 0 sh\n7 7 1 a b\t4:/a\n8 7\n12 1\n",
					     strbuf_text(&out), &out),
			 0);
	ck_assert_str_eq(strbuf_text(&out),
			 "1 1 0 init\n12 1\n70 70 1 x\n7 7 1 a b\t4:/a\n8 7\n");
	strbuf_reset(&out);
	ck_assert_int_eq(processes_list_gone("", "1 1 0 init\n", &out), 0);
	ck_assert_uint_eq(out.size, 0);
	strbuf_free(&out);
}
END_TEST

Suite *test_tasks_ran_suite(void)
{
	Suite *s = suite_create("capture/tasks_ran");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, who_ran);
	tcase_add_test(tc, nobody_knows);
	tcase_add_test(tc, newcomers);
	tcase_add_test(tc, gone);
	suite_add_tcase(s, tc);
	return s;
}
