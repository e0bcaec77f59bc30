// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/life/births.h: which task allocated, compared with a list of all allocations.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/life/births.h"

enum { BIRTHS = 60000, CPUS_NR = 3, RUN = 7 };

struct birth {
	uint64_t ts;
	int32_t pid;
	uint16_t cpu;
	bool live;
};

static const uint16_t cpus[CPUS_NR] = { 0, 5, 65535 };

static void ck_task(const struct births *b, const struct birth *of)
{
	bool guess = false;

	ck_assert_int_eq(births_find(b, of->cpu, of->ts, &guess), of->pid);
	ck_assert(!guess);
}

static void drop(struct births *b, const struct birth *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (list[i].live)
			births_keep(b, list[i].cpu, list[i].ts);
	}
	births_drop(b);
}

/* Most objects are freed; memory use depends on the live ones. */
START_TEST(tasks_of_what_lives)
{
	struct birth *list = calloc(BIRTHS, sizeof(*list));
	struct births b = { 0 };
	uint32_t seed = 1;
	size_t i, dropped = 0;

	for (i = 0; i < BIRTHS; i++) {
		seed = seed * 1103515245 + 12345;
		list[i] = (struct birth){ .ts = 10 * i + (seed >> 16) % 10,
					  .pid = (int32_t)((seed >> 8) % 500),
					  .cpu = cpus[(seed >> 20) % CPUS_NR],
					  .live = !(seed >> 10 & 63) };
		if (i % RUN)
			list[i].pid = list[i - 1].pid;
		births_add(&b, list[i].cpu, list[i].ts, list[i].pid);
		if (!births_full(&b))
			continue;
		drop(&b, list, i + 1);
		ck_assert(!births_full(&b));
		dropped++;
	}
	ck_assert_uint_gt(dropped, 0);
	ck_assert_uint_lt(b.count, BIRTHS / 2);
	for (i = 0; i < BIRTHS; i++) {
		if (list[i].live)
			ck_task(&b, &list[i]);
	}
	ck_assert(!b.failed && !b.disordered);
	births_free(&b);
	free(list);
}
END_TEST

/* The clock is coarse: two tasks allocate at the same time. What comes before and after is certain.
 */
START_TEST(one_time)
{
	struct births b = { 0 };
	bool guess = false;

	births_add(&b, 1, 100, 7);
	births_add(&b, 1, 200, 7);
	births_add(&b, 1, 200, 8);
	births_add(&b, 1, 300, 8);
	births_add(&b, 1, 400, 9);
	ck_task(&b, &(struct birth){ .cpu = 1, .ts = 100, .pid = 7 });
	ck_task(&b, &(struct birth){ .cpu = 1, .ts = 300, .pid = 8 });
	ck_task(&b, &(struct birth){ .cpu = 1, .ts = 400, .pid = 9 });
	births_find(&b, 1, 200, &guess);
	ck_assert(guess);
	ck_assert_int_eq(births_find(&b, 0, 100, &guess), INT32_MIN);
	ck_assert_int_eq(births_find(&b, 2, 100, &guess), INT32_MIN);
	births_free(&b);
}
END_TEST

/* The clock steps back: no task is certain, but no object is lost. */
START_TEST(time_runs_backwards)
{
	struct births b = { 0 };
	bool guess = false;

	births_add(&b, 0, 100, 7);
	births_add(&b, 0, 50, 8);
	births_add(&b, 0, 60, 8);
	births_find(&b, 0, 60, &guess);
	ck_assert(guess && b.disordered);
	births_free(&b);
}
END_TEST

Suite *test_births_suite(void);

Suite *test_births_suite(void)
{
	Suite *s = suite_create("analysis/births");
	TCase *tc = tcase_create("births");

	tcase_add_test(tc, tasks_of_what_lives);
	tcase_add_test(tc, one_time);
	tcase_add_test(tc, time_runs_backwards);
	suite_add_tcase(s, tc);
	return s;
}
