// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/ledger/ledger.h: steps of the kernel's curve, bursts, and how much of a change is
 * explained.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/ledger/ledger.h"

/* An event belongs to the step that ends at its time or later. */
START_TEST(events_of_steps)
{
	static const struct {
		uint64_t ts;
		int step; /* -1: none */
	} cases[] = { { 10, -1 }, { 11, 0 }, { 20, 0 },	 { 21, 1 }, { 30, 1 },
		      { 19, 0 },  { 45, 2 }, { 46, -1 }, { 12, 0 }, { 0, -1 } };
	uint64_t times[] = { 10, 20, 30, 45 };
	struct ledger_steps s = { .curve = { .nr = ARRAY_SIZE(times) } };
	uint64_t pages[3] = { 0 };

	memcpy(s.curve.times, times, sizeof(times));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ledger_steps_page(&s, cases[i].ts, 1ULL << i, 3ULL << i);
		ck_assert(ledger_steps_slab(&s, cases[i].ts, 7, 1 << i));
		ck_assert(ledger_steps_slab(&s, cases[i].ts, 8, -1));
		if (cases[i].step >= 0)
			pages[cases[i].step] += 1ULL << i;
	}
	for (size_t step = 0; step < ARRAY_SIZE(pages); step++) {
		ck_assert_uint_eq(s.pages[step].allocated, pages[step]);
		ck_assert_uint_eq(s.pages[step].freed, 3 * pages[step]);
	}
	ck_assert_uint_eq(s.nets.nr, 6); /* three steps of each group */
	for (size_t i = 0; i < s.nets.nr; i++) {
		ck_assert(s.nets.of[i].group == 7 || s.nets.of[i].group == 8);
		if (s.nets.of[i].group == 7)
			ck_assert_int_eq(s.nets.of[i].net,
					 (int64_t)pages[s.nets.of[i].step]);
		else
			ck_assert_int_eq(s.nets.of[i].net,
					 -__builtin_popcountll(pages[s.nets.of[i].step]));
	}
	INDEXED_FREE(&s.nets);
}
END_TEST

/* A burst has at least four fifths of what is missing, in at most a quarter of the time. The
 * shortest one is reported.
 */
START_TEST(bursts)
{
	static const struct {
		int64_t steps[8]; /* of 10 units each */
		bool found;
		struct ledger_burst burst;
	} cases[] = {
		{ { 0, 0, 100, 0, 0, 0, 0, 0 }, true, { 2, 3, 100 } },
		{ { 10, 0, 80, 0, 10, 0, 0, 0 }, true, { 2, 3, 80 } },
		{ { 10, 0, 79, 0, 11, 0, 0, 0 }, false, { 0, 0, 0 } },
		{ { 0, 40, 40, 0, 20, 0, 0, 0 }, true, { 1, 3, 80 } },
		{ { 0, 40, 20, 40, 0, 0, 0, 0 }, false, { 0, 0, 0 } }, /* too long */
		{ { 0, -40, -40, 0, -20, 0, 0, 0 }, true, { 1, 3, -80 } },
		{ { 0, -40, -39, 0, -21, 0, 0, 0 }, false, { 0, 0, 0 } },
		{ { 40, 40, 0, 0, 0, 0, -80, 100 }, true, { 7, 8, 100 } },
		{ { 0, 0, 0, 0, 0, 0, 50, 50 }, true, { 6, 8, 100 } },
		{ { 5, -5, 0, 0, 0, 0, 0, 0 }, false, { 0, 0, 0 } },
	};
	const uint64_t times[] = { 5, 15, 25, 35, 45, 55, 65, 75, 85 };

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		struct ledger_row_steps r = { .kernel.at = { 1000 } };
		struct ledger_burst burst = { 0, 0, 0 };
		int64_t missing = 0;

		for (unsigned int i = 0; i < 8; i++) {
			/* Events explain a part of what the kernel counts. */
			r.trace[i] = i;
			r.kernel.at[i + 1] =
				r.kernel.at[i] + (uint64_t)(cases[k].steps[i] + i);
			ck_assert_int_eq(ledger_row_step(&r, i), cases[k].steps[i]);
			missing += cases[k].steps[i];
		}
		ck_assert_int_eq(ledger_row_burst(&r, times, 8, missing, &burst),
				 cases[k].found);
		if (!cases[k].found)
			continue;
		ck_assert_uint_eq(burst.first, cases[k].burst.first);
		ck_assert_uint_eq(burst.last, cases[k].burst.last);
		ck_assert_int_eq(burst.net, cases[k].burst.net);
	}
	ck_assert(!ledger_row_burst(&(struct ledger_row_steps){ 0 }, times, 0, 5,
				    &(struct ledger_burst){ 0 }));
}
END_TEST

START_TEST(explained)
{
	static const struct {
		int64_t trace, kernel;
		double percent; /* below 0: no value */
		uint64_t largest;
	} cases[] = { { 0, 0, -1, 0 },	  { 5, 5, 100, 5 },    { 8, 10, 80, 10 },
		      { 10, 8, 80, 10 },  { -8, -10, 80, 10 }, { 0, 7, 0, 7 },
		      { 7, 0, 0, 7 },	  { 5, -5, 0, 5 },     { -1, 4, 0, 4 },
		      { -10, -9, 90, 10 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ledger_change c = { cases[i].trace, cases[i].kernel, true };
		struct cell cell = ledger_explained_cell(&c, NULL);

		if (cases[i].percent < 0)
			ck_assert_int_eq(cell.type, CELL_NONE);
		else
			ck_assert_double_eq_tol(cell.f, cases[i].percent, 1e-9);
		ck_assert_uint_eq(ledger_largest(&c), cases[i].largest);
		ck_assert_int_eq(ledger_kernel_cell(&c, NULL).i, cases[i].kernel);
		ck_assert_int_eq(ledger_unexplained_cell(&c, NULL).i,
				 cases[i].kernel - cases[i].trace);
		c.known = false;
		ck_assert_int_eq(ledger_explained_cell(&c, NULL).type, CELL_NONE);
		ck_assert_int_eq(ledger_kernel_cell(&c, NULL).type, CELL_NONE);
		ck_assert_int_eq(ledger_unexplained_cell(&c, NULL).type, CELL_NONE);
	}
}
END_TEST

Suite *test_ledger_steps_suite(void);
Suite *test_ledger_steps_suite(void)
{
	Suite *s = suite_create("analysis/ledger_steps");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, events_of_steps);
	tcase_add_test(tc, bursts);
	tcase_add_test(tc, explained);
	suite_add_tcase(s, tc);
	return s;
}
