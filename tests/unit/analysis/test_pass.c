// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/pass/analyze.h: reports of progress, and callbacks that end the pass.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "analysis/pass/analyze.h"
#include "event/stream_builder.h"

#define NR_PER_PAGE 60

/* Pages of one CPU. */
static void build(void)
{
	unsigned int i, k;

	setup();
	begin_cpu();
	for (i = 1; i <= 900; i++) {
		begin_page(1000 * i);
		for (k = 0; k < NR_PER_PAGE; k++)
			add_free(page_ts + 1, 1, 64ULL * (k + i), "dentry");
	}
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX });
}

static int run(unsigned int jobs, const struct analyze_progress *progress)
{
	const struct analysis *const chosen[] = { analysis_find("slab") };
	const struct analysis_options opts = { .by_caller = true };
	const struct analysis_set set = { .analyses = chosen, .nr = 1, .opts = &opts };
	struct analysis_env env = {
		.rec = &rec, .fmts = fmts, .stream = st, .page_size = PAGE, .jobs = jobs
	};
	struct report *report = report_new();
	int ret = analyze_run(&env, &set, st, report, progress);

	report_free(report);
	close_all();
	return ret;
}

struct told {
	uint64_t before, end;
};

static int end_at(void *ctx, uint64_t nr)
{
	struct told *t = ctx;

	ck_assert_uint_gt(nr, t->before);
	t->before = nr;
	return nr >= t->end;
}

START_TEST(a_pass_ends_when_told)
{
	struct told told = { .end = 20000 };

	build();
	ck_assert_int_eq(run(1 + 3 * (unsigned int)_i,
			     &(struct analyze_progress){ end_at, &told, 100 }),
			 -ECANCELED);
	ck_assert_uint_ge(told.before, 20000);
	ck_assert_uint_lt(told.before, 900 * NR_PER_PAGE);
}
END_TEST

Suite *test_pass_suite(void)
{
	Suite *s = suite_create("analysis/pass");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, a_pass_ends_when_told, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
