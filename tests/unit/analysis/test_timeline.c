// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/time/peak.h, compared with a list of all changes.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/time/peak.h"

enum { CHANGES = 2000, ROWS_NR = 3 };

struct change {
	uint64_t ts, bytes; /* bytes allocated */
	uint32_t row;
};

static uint64_t lived(const struct change *changes, uint32_t row, uint64_t before)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CHANGES; i++)
		sum += changes[i].row == row && changes[i].ts < before ? changes[i].bytes
								       : 0;
	return sum;
}

START_TEST(bins)
{
	struct change *changes = calloc(CHANGES, sizeof(*changes));
	struct timeline t = { 0 };
	uint64_t first = 1000000, ts = first;
	unsigned int nr = 1 + 13 * (unsigned int)_i, bin;
	uint32_t seed = 9, i;

	for (i = 0; i < CHANGES; i++) {
		seed = seed * 1103515245 + 12345;
		changes[i] = (struct change){ ts, seed >> 20, (seed >> 8) % ROWS_NR };
		ts += (seed >> 12) % 977;
	}
	timeline_init(&t, first, ts, nr);
	for (i = 0; i < CHANGES; i++)
		timeline_change(&t, changes[i].row, changes[i].ts, changes[i].bytes, 0);
	for (i = 0; i < ROWS_NR; i++) {
		for (bin = 0; bin < nr; bin++)
			ck_assert_uint_eq(timeline_at(&t, i, bin),
					  lived(changes, i, first + (bin + 1) * t.width));
	}
	ck_assert(!t.failed);
	ck_assert_uint_eq(timeline_at(&t, ROWS_NR, 0), 0);
	timeline_free(&t);
	free(changes);
}
END_TEST

/* Times beyond both ends, and corrections at the end. */
START_TEST(ends)
{
	struct timeline t = { 0 };

	timeline_init(&t, 100, 199, 4);
	timeline_change(&t, 0, 50, 10, 0);
	timeline_change(&t, 0, 500, 5, 0);
	timeline_change(&t, 0, 500, 0, 1);
	timeline_settle(&t, 0, 4);
	ck_assert_uint_eq(timeline_at(&t, 0, 0), 10);
	ck_assert_uint_eq(timeline_at(&t, 0, 2), 10);
	ck_assert_uint_eq(timeline_at(&t, 0, 3), 10);
	timeline_free(&t);
	timeline_init(&t, 100, 199, 4);
	timeline_change(&t, 0, 100, 8, 0);
	timeline_settle(&t, 0, 8);
	ck_assert_uint_eq(timeline_at(&t, 0, 2), 8);
	ck_assert_uint_eq(timeline_at(&t, 0, 3), 0);
	timeline_free(&t);
	/* With 0 bins. */
	timeline_init(&t, 1, 2, 0);
	timeline_change(&t, 0, 1, 8, 0);
	timeline_settle(&t, 0, 8);
	ck_assert_uint_eq(t.nr, 0);
	timeline_free(&t);
}
END_TEST

Suite *test_timeline_suite(void);

Suite *test_timeline_suite(void)
{
	Suite *s = suite_create("analysis/timeline");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, bins, 0, 10);
	tcase_add_test(tc, ends);
	suite_add_tcase(s, tc);
	return s;
}
