// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/life/lifetimes.h, compared with a list of all lifetimes.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/life/lifetimes.h"

/* Steps are contiguous, and every value is at most 1/32 from the middle of its step. */
START_TEST(test_steps)
{
	uint64_t time;
	int power;

	ck_assert_uint_eq(lifetime_step(0), 0);
	for (time = 1; time < 100000; time++) {
		uint32_t step = lifetime_step(time), before = lifetime_step(time - 1);

		ck_assert(step == before || step == before + 1);
		ck_assert_uint_eq(lifetime_step(lifetime_step_time(step)), step);
	}
	for (power = 5; power < 64; power++) {
		uint64_t first = 1ULL << power, last = first | (first - 1);
		const uint64_t times[] = { first, first + first / 3, last };
		int i;

		for (i = 0; i < 3; i++) {
			uint32_t step = lifetime_step(times[i]);
			uint64_t middle = lifetime_step_time(step);
			uint64_t off =
				middle > times[i] ? middle - times[i] : times[i] - middle;

			ck_assert_uint_lt(step, 1U << LIFETIME_STEP_BITS);
			ck_assert_uint_eq(lifetime_step(middle), step);
			ck_assert_uint_le(off, times[i] / 32);
		}
		ck_assert_uint_eq(lifetime_step(first), lifetime_step(first - 1) + 1);
	}
}
END_TEST

enum { ROWS_NR = 9, LIVES = 20000, GROUPS = 3 };

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The group of a row; row 4 has none. */
static uint32_t group_of(uint32_t row)
{
	return row == 4 ? UINT32_MAX : row % GROUPS;
}

/* Compares the lifetimes of one group with the list. */
static void check_group(const struct lifetime_groups *g, uint32_t group, uint64_t *times,
			size_t nr)
{
	const struct lifetime_group *got = &g->groups[group];
	uint64_t octaves[LIFETIME_OCTAVES], sum = 0;
	unsigned int used = lifetime_octaves(g, group, octaves), i;
	size_t k;

	qsort(times, nr, sizeof(*times), compare);
	ck_assert_uint_eq(got->nr, nr);
	ck_assert_uint_eq(got->row.longest, times[nr - 1]);
	ck_assert_uint_eq(lifetime_step(got->median),
			  lifetime_step(times[(nr + 1) / 2 - 1]));
	ck_assert_uint_eq(lifetime_step(got->p99),
			  lifetime_step(times[(nr * 99 + 99) / 100 - 1]));
	ck_assert_uint_gt(octaves[used - 1], 0);
	for (k = 0; k < nr; k++)
		octaves[times[k] > 1 ? 63 - __builtin_clzll(times[k]) : 0]--;
	for (i = 0; i < LIFETIME_OCTAVES; i++)
		sum |= octaves[i];
	ck_assert_uint_eq(sum, 0);
}

START_TEST(test_groups)
{
	uint64_t *times[GROUPS], nr_short[GROUPS] = { 0 };
	struct lifetimes l = { .short_time = 1000 };
	struct lifetime_groups g = { 0 };
	uint32_t of[ROWS_NR], i, seed = 5;
	size_t nr[GROUPS] = { 0 };

	for (i = 0; i < GROUPS; i++)
		times[i] = calloc(LIVES, sizeof(*times[i]));
	for (i = 0; i < LIVES; i++) {
		uint32_t r = seed = seed * 1103515245 + 12345;
		struct lifetime life = { .time = (r >> 8) >> (r >> 3 & 15),
					 .nr = 1,
					 .bytes = 8,
					 .row = (r >> 16) % ROWS_NR,
					 .here = r >> 30 & 1 };
		uint32_t group = group_of(life.row);

		lifetimes_add(&l, &life, 1);
		if (group == UINT32_MAX)
			continue;
		times[group][nr[group]++] = life.time;
		nr_short[group] += life.here && life.time <= 1000;
	}
	for (i = 0; i < ROWS_NR; i++)
		of[i] = group_of(i);
	ck_assert_int_eq(lifetime_groups_make(&g, &l, of, GROUPS), 0);
	for (i = 0; i < GROUPS; i++) {
		check_group(&g, i, times[i], nr[i]);
		ck_assert_uint_eq(g.groups[i].row.nr_short, nr_short[i]);
		ck_assert_uint_eq(g.groups[i].row.bytes_short, 8 * nr_short[i]);
		free(times[i]);
	}
	lifetime_groups_free(&g);
	lifetimes_free(&l);
}
END_TEST

/* More lifetimes of one length than 32 bits can count. */
START_TEST(test_many)
{
	struct lifetimes l = { .short_time = 1 };
	struct lifetime_groups g = { 0 };
	const uint32_t of[] = { 0 };
	uint64_t octaves[LIFETIME_OCTAVES];
	int i;

	for (i = 0; i < 5; i++)
		lifetimes_add(&l, &(struct lifetime){ .time = 7, .nr = 3 }, 1U << 30);
	lifetimes_add(&l, &(struct lifetime){ .time = 100, .nr = 1 }, 1);
	ck_assert_int_eq(lifetime_groups_make(&g, &l, of, 1), 0);
	ck_assert_uint_eq(g.groups[0].nr, (15ULL << 30) + 1);
	ck_assert_uint_eq(g.groups[0].median, 7);
	ck_assert_uint_eq(lifetime_octaves(&g, 0, octaves), 7);
	ck_assert_uint_eq(octaves[2], 15ULL << 30);
	lifetime_groups_free(&g);
	lifetimes_free(&l);
}
END_TEST

Suite *test_lifetimes_suite(void);

Suite *test_lifetimes_suite(void)
{
	Suite *s = suite_create("analysis/lifetimes");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, test_steps);
	tcase_add_test(tc, test_groups);
	tcase_add_test(tc, test_many);
	suite_add_tcase(s, tc);
	return s;
}
