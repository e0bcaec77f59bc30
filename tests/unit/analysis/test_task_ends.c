// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: what tasks freed when they ended, analysis/life/task_ends.c.
 */
#include <check.h>

#include "analysis/life/leaks.h"

#define MS 1000000ULL

/* A step: at @ms, task @pid allocates or frees @bytes (perhaps in an interrupt), or ends. */
struct step {
	unsigned int ms;
	int32_t pid;
	char what;
	uint64_t bytes;
};

static struct freed_at_end freed_of(const struct step *steps)
{
	struct free_runs runs = { 0 };
	struct task_ends ends = { 0 };
	struct freed_at_end freed;

	for (; steps->what; steps++) {
		const struct kmem_event ev = {
			.ts = steps->ms * MS,
			.pid = steps->pid,
			.type = steps->what == 'x' ? KMEM_TASK_EXIT : KMEM_KFREE,
			.flags = steps->what == 'i' ? 0x10 : 0,
		};
		const struct life life = { .event = &ev,
					   .what = steps->what == 'a' ? LIFE_BORN
								      : LIFE_FREED };

		if (steps->what == 'x')
			task_ends_take(&ends, &ev, 1);
		else
			free_runs_take(&runs, &life, steps->bytes);
	}
	ck_assert(!runs.failed && !ends.failed);
	freed = task_ends_freed(&ends, &runs);
	free_runs_free(&runs);
	task_ends_free(&ends);
	return freed;
}

START_TEST(before_and_after_the_event)
{
	const struct step steps[] = {
		{ 10, 7, 'a', 1000 }, { 20, 7, 'a', 1000 },
		{ 30, 7, 'f', 900 },  { 40, 7, 'x', 0 },
		{ 50, 7, 'f', 1000 }, { 51, 7, 'a', 80 },
		{ 52, 7, 'f', 100 },  { 0 },
	};
	struct freed_at_end freed = freed_of(steps);

	ck_assert_uint_eq(freed.nr, 1);
	ck_assert_uint_eq(freed.bytes, 2000);
	ck_assert_uint_eq(freed.begin, 30 * MS);
	ck_assert_int_eq(freed.pid, 7);
}
END_TEST

START_TEST(the_task_that_freed_most)
{
	const struct step steps[] = {
		{ 10, 7, 'x', 0 },
		{ 11, 7, 'f', 100 },
		{ 20, 8, 'x', 0 },
		{ 21, 8, 'f', 300 },
		{ 30, 9, 'x', 0 },
		{ 31, 9, 'f', 200 },
		{ 0 },
	};
	struct freed_at_end freed = freed_of(steps);

	ck_assert_uint_eq(freed.nr, 3);
	ck_assert_uint_eq(freed.bytes, 600);
	ck_assert_uint_eq(freed.most, 300);
	ck_assert_int_eq(freed.pid, 8);
	ck_assert_uint_eq(freed.begin, 20 * MS); /* the end, as it freed later */
}
END_TEST

/* Frees long before the end, by others, in interrupts, or followed by allocations. */
START_TEST(not_at_the_end)
{
	const struct step steps[][6] = {
		{ { 10, 7, 'f', 100 }, { 111, 7, 'x', 0 } },
		{ { 10, 7, 'x', 0 }, { 111, 7, 'f', 100 } },
		{ { 10, 8, 'f', 100 }, { 10, 7, 'x', 0 } },
		{ { 10, 7, 'i', 100 }, { 10, 7, 'x', 0 } },
		{ { 10, 7, 'f', 100 }, { 11, 7, 'a', 4109 }, { 12, 7, 'x', 0 } },
		{ { 10, 7, 'f', 100 } },
	};

	ck_assert_uint_eq(freed_of(steps[_i]).nr, 0);
}
END_TEST

/* 100 ms before or after the end still count, and so does a task that allocated little. */
START_TEST(at_the_limits)
{
	const struct step steps[][4] = {
		{ { 10, 7, 'f', 100 }, { 110, 7, 'x', 0 } },
		{ { 10, 7, 'x', 0 }, { 110, 7, 'f', 100 } },
		{ { 10, 7, 'f', 100 }, { 11, 7, 'a', 4096 + 12 }, { 12, 7, 'x', 0 } },
	};

	ck_assert_uint_eq(freed_of(steps[_i]).nr, 1);
	ck_assert_uint_eq(freed_of(steps[_i]).bytes, 100);
}
END_TEST

/* If two tasks freed equally much, the one that ended first is named. */
START_TEST(as_much_as_another)
{
	const struct step steps[] = { { 10, 9, 'x', 0 },
				      { 11, 9, 'f', 200 },
				      { 20, 8, 'x', 0 },
				      { 21, 8, 'f', 200 },
				      { 0 } };

	ck_assert_int_eq(freed_of(steps).pid, 9);
	ck_assert_uint_eq(freed_of(steps).begin, 10 * MS);
}
END_TEST

Suite *test_task_ends_suite(void);

Suite *test_task_ends_suite(void)
{
	Suite *s = suite_create("analysis/task_ends");
	TCase *t = tcase_create("all");

	tcase_add_test(t, before_and_after_the_event);
	tcase_add_test(t, the_task_that_freed_most);
	tcase_add_loop_test(t, not_at_the_end, 0, 6);
	tcase_add_loop_test(t, at_the_limits, 0, 3);
	tcase_add_test(t, as_much_as_another);
	suite_add_tcase(s, t);
	return s;
}
