// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: base/team.h: each task of each round runs once, and its effects are visible after the
 * round.
 */
#include <check.h>

#include "base/team.h"

#define TASKS 37

static unsigned int done[TASKS];

static void do_task(void *ctx, unsigned int task)
{
	unsigned int *expected = ctx;

	done[task] += done[task] == *expected;
}

START_TEST(every_task_is_done_once_in_every_round)
{
	unsigned int threads = (unsigned int)_i, round, task;
	struct team *team = team_start(threads);
	struct team_round all = { .fn = do_task, .ctx = &round, .nr = TASKS };

	ck_assert_ptr_nonnull(team);
	for (task = 0; task < TASKS; task++)
		done[task] = 0;
	for (round = 0; round < 300; round++) {
		for (task = 0; task < TASKS; task++)
			all.cost[task] = (round * 7 + task * 5) % 11;
		team_run(team, &all);
		for (task = 0; task < TASKS; task++)
			ck_assert_uint_eq(done[task], round + 1);
	}
	all.nr = 0;
	team_run(team, &all);
	team_stop(team);
}
END_TEST

START_TEST(one_thread_is_no_team)
{
	ck_assert_ptr_null(team_start(1));
	team_stop(NULL);
}
END_TEST

Suite *test_team_suite(void)
{
	Suite *s = suite_create("base/team");
	TCase *tc = tcase_create("rounds");

	tcase_add_loop_test(tc, every_task_is_done_once_in_every_round, 2, 6);
	tcase_add_test(tc, one_thread_is_no_team);
	suite_add_tcase(s, tc);
	return s;
}
