// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/browse/stays.h, compared with a list of all lives.
 */
#include "analysis/browse/stays.h"

#include <check.h>

#include "base/array.h"

enum { LIVES = 3000, ROWS = 4, FIRST = 5000, BINS = 2048, WIDTH = 3 };

struct lived {
	uint64_t times[2];
	uint32_t row;
	uint64_t bytes;
};

ORDER(by_end, struct lived, UP(times[1]))

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 12;
}

/* Bytes of a row that were allocated in bin @from or later and freed in bin @to or earlier. */
static uint64_t sum_stays(const struct stays *s, uint32_t row, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->stays.nr; i++) {
		const struct web_stay *stay = &s->stays.of[i];

		if (stay->row == row && stay->begin >= from && stay->end <= to)
			sum += stay->bytes;
	}
	return sum;
}

static uint64_t sum_lives(const struct lived *all, uint32_t row, uint64_t from,
			  uint64_t end)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < LIVES; i++) {
		if (all[i].row == row && all[i].times[0] >= from && all[i].times[1] < end)
			sum += all[i].bytes;
	}
	return sum;
}

/* With a lower limit, bins are longer, but the sums over ranges of bins are the same. */
static void check_limit(size_t limit)
{
	const struct over_time time = { .first = FIRST, .width = WIDTH, .nr_bins = BINS };
	static struct lived all[LIVES];
	uint32_t seed = 7, row, from;
	struct stays s;

	stays_init(&s, &time, limit);
	for (size_t i = 0; i < LIVES; i++) {
		struct lived *l = &all[i];

		l->times[0] = FIRST + next(&seed) % (BINS * WIDTH);
		l->times[1] =
			l->times[0] + next(&seed) % (FIRST + BINS * WIDTH - l->times[0]);
		l->row = next(&seed) % ROWS;
		l->bytes = 1 + next(&seed) % 4096;
	}
	qsort(all, LIVES, sizeof(*all), by_end);
	for (size_t i = 0; i < LIVES; i++)
		stays_add(&s, all[i].row, all[i].times, all[i].bytes);
	ck_assert(!s.failed);
	ck_assert_uint_le(s.stays.nr, limit);
	ck_assert_uint_eq(s.width * s.nr_bins, BINS * WIDTH);
	ck_assert(limit < LIVES ? s.width > WIDTH : s.width == WIDTH);
	for (row = 0; row < ROWS; row++) {
		for (from = 0; from < s.nr_bins; from += s.nr_bins / 4) {
			uint32_t to = from + (s.nr_bins - from) / 2;

			ck_assert_uint_eq(sum_stays(&s, row, from, to),
					  sum_lives(all, row, FIRST + from * s.width,
						    FIRST + (to + 1) * s.width));
		}
	}
	stays_free(&s);
}

START_TEST(ranges)
{
	check_limit(LIVES);
	check_limit(LIVES / 2);
	check_limit(100);
}
END_TEST

/* Times outside the recording, and a free that seems to come before its allocation. */
START_TEST(odd_times)
{
	const struct over_time time = { .first = FIRST, .width = WIDTH, .nr_bins = BINS };
	const uint64_t before[] = { 0, FIRST }, after[] = { FIRST, UINT64_MAX };
	const uint64_t turned[] = { FIRST + 100 * WIDTH, FIRST };
	struct stays s;

	stays_init(&s, &time, 10);
	stays_add(&s, 1, before, 1);
	stays_add(&s, 1, before, 16);
	stays_add(&s, 2, before, 32);
	stays_add(&s, 1, turned, 4);
	stays_add(&s, 1, turned, 8);
	stays_add(&s, 1, after, 2);
	ck_assert_uint_eq(s.stays.nr, 4);
	ck_assert_uint_eq(sum_stays(&s, 1, 0, 0), 1 + 16);
	ck_assert_uint_eq(sum_stays(&s, 1, 0, BINS - 2), 1 + 4 + 8 + 16);
	ck_assert_uint_eq(sum_stays(&s, 1, 100, 100), 4 + 8);
	ck_assert_uint_eq(sum_stays(&s, 1, 0, BINS - 1), 1 + 2 + 4 + 8 + 16);
	/* The clock runs backwards. */
	stays_add(&s, 1, turned, 64);
	ck_assert_uint_eq(sum_stays(&s, 1, 100, 100), 4 + 8 + 64);
	stays_free(&s);
}
END_TEST

Suite *test_stays_suite(void);
Suite *test_stays_suite(void)
{
	Suite *s = suite_create("analysis/stays");
	TCase *tc = tcase_create("stays");

	tcase_add_test(tc, ranges);
	tcase_add_test(tc, odd_times);
	suite_add_tcase(s, tc);
	return s;
}
