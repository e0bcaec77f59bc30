// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: which process a task belongs to, event/processes.h.
 */
#include <check.h>
#include <string.h>

#include "event/processes.h"

#define THREAD 0x10000
#define PARENT 0x8000

static void read_three(struct processes *p, const char *before, const char *begun,
		       const char *after)
{
	struct recording_text meta[] = {
		{ "processes.before", (char *)before, strlen(before) },
		{ "processes.begun", (char *)begun, strlen(begun) },
		{ "processes.after", (char *)after, strlen(after) },
	};
	const struct recording rec = { .meta = meta, .nr_meta = ARRAY_SIZE(meta) };

	ck_assert(processes_known(&rec));
	ck_assert_int_eq(processes_read(p, &rec), 0);
}

static void read_lists(struct processes *p, const char *before, const char *after)
{
	read_three(p, before, "", after);
}

/* At @ts task @pid starts or renames task @other. */
static void learn(struct processes *p, uint64_t ts, int32_t pid, int32_t other,
		  const char *name, uint64_t flags)
{
	const struct kmem_event ev = {
		.ts = ts,
		.pid = pid,
		.type = flags == UINT64_MAX ? KMEM_TASK_RENAME : KMEM_TASK_NEW,
		.task = { .name = name,
			  .name_size = (uint32_t)strlen(name),
			  .pid = other,
			  .clone_flags = flags },
	};

	ck_assert_int_eq(processes_learn(p, &ev, 1), 0);
}

#define RENAME UINT64_MAX

/* Checks that task @pid belongs at @ts to the process @tgid, whose last name is @name. */
static void check(const struct processes *p, int32_t pid, uint64_t ts, int32_t tgid,
		  const char *name)
{
	uint32_t process = processes_find(p, pid, ts);

	ck_assert_int_eq(processes_get(p, process)->tgid, tgid);
	ck_assert_str_eq(processes_name(p, process), name);
}

static const char *path(const struct processes *p, int32_t pid, uint64_t ts,
			struct strbuf *sb)
{
	strbuf_reset(sb);
	processes_path(p, processes_find(p, pid, ts), sb);
	return strbuf_text(sb);
}

START_TEST(listed)
{
	struct processes p = { 0 };

	read_lists(&p, "1 1 0 init\n20 20 1 a (b) c\n21 20\n22 20\n",
		   "30 30 20 late\n31 30\n");
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 0, 5, 0, "<idle>");
	check(&p, 1, 5, 1, "init");
	check(&p, 22, 5, 20, "a (b) c");
	check(&p, 31, 5, 30, "late");
	check(&p, 99, 5, -1, "[unknown]");
	processes_free(&p);
}
END_TEST

START_TEST(in_both_lists)
{
	struct processes p = { 0 };

	read_lists(&p, "7 7 1 first\n", "7 7 1 second\n");
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 7, 5, 7, "first");
	processes_free(&p);
}
END_TEST

/* Tasks that started between the list and the events: a process, its thread, a thread of an older
 * process.
 */
START_TEST(begun)
{
	struct strbuf sb = { 0 };
	struct processes p = { 0 };

	read_three(&p, "1 1 0 init\n7 7 1 old\n", "8 8 7 new\n9 8\n10 7\n", "");
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 8, 5, 8, "new");
	check(&p, 9, 5, 8, "new");
	check(&p, 10, 5, 7, "old");
	ck_assert_str_eq(path(&p, 9, 5, &sb), "new;old;init");
	strbuf_free(&sb);
	processes_free(&p);
}
END_TEST

START_TEST(started)
{
	struct strbuf sb = { 0 };
	struct processes p = { 0 };

	read_lists(&p, "1 1 0 init\n5 5 1 make\n", "");
	learn(&p, 10, 5, 6, "make", 0x1200000);
	learn(&p, 11, 6, 6, "cc;1", RENAME);
	learn(&p, 12, 6, 7, "cc1", THREAD);
	learn(&p, 13, 7, 7, "worker", RENAME);
	learn(&p, 14, 7, 8, "as", 0);
	learn(&p, 15, 8, 9, "twin", PARENT);
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 6, 9, -1, "[unknown]");
	check(&p, 6, 10, 6, "cc;1");
	check(&p, 7, 20, 6, "cc;1");
	check(&p, 8, 20, 8, "as");
	ck_assert_str_eq(path(&p, 8, 20, &sb), "as;cc,1;make;init");
	ck_assert_str_eq(path(&p, 9, 20, &sb), "twin;cc,1;make;init");
	strbuf_free(&sb);
	processes_free(&p);
}
END_TEST

/* The number of a task is used three times: by a process, by a thread of another, by a process. */
START_TEST(used_again)
{
	struct processes p = { 0 };

	read_lists(&p, "1 1 0 init\n7 7 1 old\n", "");
	learn(&p, 10, 1, 8, "other", 0);
	learn(&p, 20, 8, 7, "other", THREAD);
	learn(&p, 30, 1, 7, "new", 0);
	learn(&p, 31, 1, 9, "last", 0);
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 7, 0, 7, "old");
	check(&p, 7, 19, 7, "old");
	check(&p, 7, 20, 8, "other");
	check(&p, 7, 29, 8, "other");
	check(&p, 7, 30, 7, "new");
	ck_assert_uint_ne(processes_find(&p, 7, 5), processes_find(&p, 7, 35));
	check(&p, 9, 40, 9, "last");
	processes_free(&p);
}
END_TEST

/* A task starts others, but is not known itself: its event was lost. */
START_TEST(lost)
{
	struct strbuf sb = { 0 };
	struct processes p = { 0 };

	read_lists(&p, "", "");
	learn(&p, 10, 50, 51, "child", 0);
	learn(&p, 11, 50, 52, "thread", THREAD);
	learn(&p, 12, 50, 50, "name", RENAME);
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 51, 20, 51, "child");
	check(&p, 52, 20, -1, "[unknown]");
	ck_assert_str_eq(path(&p, 51, 20, &sb), "child");
	strbuf_free(&sb);
	processes_free(&p);
}
END_TEST

/* Lines that no recorder writes; parents that form a cycle. */
START_TEST(hostile)
{
	struct strbuf sb = { 0 };
	struct processes p = { 0 };

	read_lists(
		&p,
		"x\n\n 1 1 0 a\n1\n2 \n3 3\n4 4 x y\n-5 5 1 b\n99999999999 1 1 c\n0 0 0 zero\n"
		"6 6 7 six\n7 7 6 seven\n8 9",
		"10 10 10 self");
	ck_assert_int_eq(processes_learned(&p), 0);
	check(&p, 0, 1, 0, "<idle>");
	check(&p, 3, 1, -1, "[unknown]");
	check(&p, 4, 1, -1, "[unknown]");
	check(&p, 8, 1, -1, "[unknown]");
	check(&p, 6, 1, 6, "six");
	ck_assert_int_eq(strncmp(path(&p, 6, 1, &sb), "six;seven;six;", 14), 0);
	ck_assert_int_eq(strncmp(path(&p, 10, 1, &sb), "self;self;", 10), 0);
	strbuf_free(&sb);
	processes_free(&p);
}
END_TEST

START_TEST(not_known)
{
	const struct recording rec = { 0 };

	ck_assert(!processes_known(&rec));
}
END_TEST

/* While recording: the latest information counts, and ended tasks are forgotten eventually. */
static bool runs(int32_t pid)
{
	return pid == 1 || pid == 8;
}

static void in_service(int32_t pid, struct strbuf *out)
{
	if (pid == 8)
		strbuf_puts(out, "0:/service");
}

static const char *group(const struct processes *p, uint32_t number, struct strbuf *sb)
{
	strbuf_reset(sb);
	processes_group_name(p, number, false, sb);
	return strbuf_text(sb);
}

/* A container's ID is cut short; words with a different number of digits are not. */
START_TEST(names_of_containers)
{
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	static const char list[] = "5 5 1 shell\t0:/docker-" ID ".scope/x" ID "0\n";
	struct kmem_event ev = { .pid = 5 };
	struct processes p = { 0 };
	struct strbuf sb = { 0 };

	ck_assert_int_eq(processes_read_list(&p, list, false), 0);
	ck_assert_int_eq(processes_learned(&p), 0);
	ck_assert_str_eq(group(&p, processes_group(&p, &ev), &sb),
			 "/docker-0123456789ab.scope/x" ID "0");
	strbuf_reset(&sb);
	processes_group_name(&p, processes_group(&p, &ev), true, &sb);
	ck_assert_str_eq(strbuf_text(&sb), "/docker-" ID ".scope/x" ID "0");
	strbuf_free(&sb);
	processes_free(&p);
#undef ID
}
END_TEST

#define NUMBERS 16

static uint32_t of[NUMBERS], groups[NUMBERS];

/* Forgets ended tasks while rows have these process and group numbers, 0: none. */
static void forget(struct processes *p, uint32_t process, uint32_t in_group)
{
	memset(of, 0, sizeof(of));
	memset(groups, 0, sizeof(groups));
	of[process] = groups[in_group] = 1;
	ck_assert_uint_lt(p->nr, NUMBERS);
	ck_assert_int_eq(processes_forget(p, runs, of, groups), 0);
}

START_TEST(live)
{
	static const char list[] = "1 1 0 init\t0:/\n5 5 1 shell\t0:/a\n";
	struct kmem_event ev = { .ts = 9, .pid = 8 };
	struct processes p = { 0 };
	struct strbuf sb = { 0 };
	uint32_t one, a;

	processes_go_live(&p, in_service);
	ck_assert_int_eq(processes_read_list(&p, list, false), 0);
	learn(&p, 10, 5, 6, "one", 0);
	learn(&p, 11, 6, 7, "two", THREAD);
	learn(&p, 12, 5, 8, "chosen", 0x200000000);
	check(&p, 7, 0, 6, "one"); /* at any time */
	ck_assert_str_eq(group(&p, processes_group(&p, &ev), &sb), "/service");
	ck_assert_uint_eq(p.nr, 6);

	/* The others have ended, but their last events may follow. */
	forget(&p, 0, 0);
	ck_assert_uint_eq(p.nr, 6);
	check(&p, 7, 0, 6, "one");

	/* Rows stand for "one" and "/a"; the shell's number is used again. */
	one = processes_find(&p, 7, 0);
	ev.pid = 7;
	a = processes_group(&p, &ev);
	learn(&p, 13, 1, 5, "again", 0);
	forget(&p, one, a);
	check(&p, 7, 0, -1, "[unknown]");
	check(&p, 5, 0, 5, "again");
	check(&p, 8, 0, 8, "chosen");
	ck_assert_uint_eq(p.nr, 6); /* without the shell */
	ck_assert_str_eq(processes_name(&p, of[one]), "one");
	ck_assert_str_eq(group(&p, groups[a], &sb), "/a");
	ck_assert_str_eq(path(&p, 5, 0, &sb), "again;init");

	/* No row stands for them any more. */
	forget(&p, 0, 0);
	ck_assert_uint_eq(p.nr, 4);
	check(&p, 5, 0, -1, "[unknown]");
	ck_assert_uint_eq(p.paths.count, 2); /* "/" and "/service" */
	ck_assert_uint_eq(p.of_task.nr, 2);
	strbuf_free(&sb);
	processes_free(&p);
}
END_TEST

Suite *test_processes_suite(void);

Suite *test_processes_suite(void)
{
	Suite *s = suite_create("event/processes");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, listed);
	tcase_add_test(tc, in_both_lists);
	tcase_add_test(tc, begun);
	tcase_add_test(tc, started);
	tcase_add_test(tc, used_again);
	tcase_add_test(tc, lost);
	tcase_add_test(tc, hostile);
	tcase_add_test(tc, not_known);
	tcase_add_test(tc, live);
	tcase_add_test(tc, names_of_containers);
	suite_add_tcase(s, tc);
	return s;
}
