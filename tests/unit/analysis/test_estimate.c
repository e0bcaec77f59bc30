// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/row/estimate.h.
 * In: units made here. Out: checks.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/row/estimate.h"

Suite *test_estimate_suite(void);

static void add(struct unit_pieces *p, uint32_t row, uint64_t unit, uint64_t value)
{
	ck_assert_int_eq(unit_pieces_add(p, row, unit, value), 0);
}

/* Estimates @nr rows, where row n is sum n. @of: what is estimated. */
static void estimate(const struct unit_pieces *p, uint32_t one_in, enum estimate_of of,
		     struct estimate *out, size_t nr)
{
	static const uint32_t apart[] = { 0, 1, 2, 3, 4 };
	struct estimate_rule rule = { .of = of };
	struct sample s;

	sample_init(&s, one_in, 0, 4096);
	rule.sample = &s;
	ck_assert_uint_le(nr, ARRAY_SIZE(apart));
	ck_assert_int_eq(unit_pieces_estimate(p, &rule, apart, out, nr), 0);
}

static struct estimate estimate_of(const struct unit_pieces *p, uint32_t one_in)
{
	struct estimate e;

	estimate(p, one_in, ESTIMATE_PAGES, &e, 1);
	return e;
}

static void near(double value, double wanted)
{
	ck_assert_double_ge(value, 0.9995 * wanted);
	ck_assert_double_le(value, 1.0005 * wanted);
}

/* If all units weigh the same, the upper end is the mid-P one of the Poisson distribution, as in
 * published tables (OpenEpi); the lower end is that of the same distribution without zero: for two,
 * where 1 - exp(-x) (1 + x + x^2 / 4) is 0.025 (1 - exp(-x)).
 */
START_TEST(units_alike_have_mid_p_intervals)
{
	static const struct {
		unsigned int nr;
		double low, high;
	} known[] = { { 0, 0, 3 * 2.99573 },	 { 1, 1.0 / 256, 4.93189 },
		      { 2, 0.0984632, 6.60796 }, { 3, 0.552971, 8.16447 },
		      { 5, 1.74121, 11.0824 },	 { 10, 5.07414, 17.8249 },
		      { 20, 12.5597, 30.3396 },	 { 50, 37.5098, 65.3865 },
		      { 100, 81.7918, 121.103 } };
	const double unit = 256e6; /* what one sampled unit stands for */

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct unit_pieces p = { 0 };
		struct estimate e[5];

		for (unsigned int n = 0; n < known[i].nr; n++)
			add(&p, 0, 10 + n, 1000000);
		for (unsigned int n = 0; n < 20000;
		     n++) /* other rows, which show that units are alike */
			add(&p, 1 + n % 4, n, 1000000);
		estimate(&p, 256, ESTIMATE_PAGES, e, 5);
		near((double)e[0].low / unit, known[i].low);
		near((double)e[0].high / unit, known[i].high);
		near((double)e[0].missing / unit, 3 * 2.99573);
		near(e[0].even, known[i].nr);
		unit_pieces_free(&p);
	}
}
END_TEST

/* A row of few units says how few. */
START_TEST(few_units_with_most_are_told)
{
	struct unit_pieces p = { 0 };
	struct estimate e;

	for (uint64_t unit = 0; unit < 10; unit++)
		add(&p, 0, unit, 1000);
	e = estimate_of(&p, 16);
	near(e.even, 10);
	near(e.largest, 0.1);
	add(&p, 0, 3, 989000);
	e = estimate_of(&p, 16);
	near(e.even, 999000.0 * 999000 / (990000.0 * 990000 + 9 * 1e6));
	near(e.largest, 990.0 / 999);
	unit_pieces_free(&p);
}
END_TEST

/* Values of Fay and Kim's formula, by tests/reference/sample.py, rounded outwards. */
START_TEST(known_intervals)
{
	struct unit_pieces p = { 0 };
	struct estimate e;

	add(&p, 0, 7, 1000);
	e = estimate_of(&p, 16);
	ck_assert_uint_eq(e.seen, 1000);
	ck_assert_uint_eq(e.value, 16000);
	ck_assert_uint_eq(e.low, 1000); /* what was seen; the formula would give less */
	ck_assert_uint_ge(e.high, 163100);
	ck_assert_uint_le(e.high, 163300);
	ck_assert_uint_eq(e.units, 1);
	for (uint64_t unit = 100; unit < 199; unit++)
		add(&p, 0, unit, 1000);
	e = estimate_of(&p, 16);
	ck_assert_uint_eq(e.value, 1600000);
	/* 100 rare events: 81.8 to 121.1 of them, and slightly more because unseen ones may be
	 * heavier.
	 */
	ck_assert_uint_ge(e.low, 1308000);
	ck_assert_uint_le(e.low, 1309500);
	ck_assert_uint_ge(e.high, 1938000);
	ck_assert_uint_le(e.high, 1990000);
	ck_assert_uint_eq(e.units, 100);
	unit_pieces_free(&p);
}
END_TEST

/* What every sample contains is exact, but says nothing about the rest: there may be as much of
 * that as in an empty row.
 */
START_TEST(what_is_recorded_in_any_case)
{
	struct unit_pieces p = { 0 };
	struct estimate e, rows[2];

	add(&p, 0, SAMPLE_CERTAIN, 1 << 20);
	add(&p, 0, SAMPLE_CERTAIN, 1 << 20);
	e = estimate_of(&p, 16);
	ck_assert_uint_eq(e.value, 2 << 20);
	ck_assert_uint_eq(e.low, 2 << 20);
	/* With no unit to estimate from, assumes a full one. */
	near((double)(e.high - e.low), 2.99573 * 3 * 16 * 32768);
	near((double)e.missing, 2.99573 * 3 * 16 * 32768);
	ck_assert_uint_eq(e.units, 0);
	add(&p, 1, 9, 200);
	add(&p, 1, 8, 100);
	estimate(&p, 16, ESTIMATE_PAGES, rows, 2);
	ck_assert_uint_eq(rows[0].low, 2 << 20);
	near((double)(rows[0].high - rows[0].low), 2.99573 * 3 * 16 * 200);
	near((double)rows[1].missing, 2.99573 * 3 * 16 * 200);
	unit_pieces_free(&p);
	add(&p, 0, SAMPLE_CERTAIN, 2 << 20);
	add(&p, 0, 1, 64);
	e = estimate_of(&p, 16);
	ck_assert_uint_eq(e.value, (2 << 20) + 1024);
	ck_assert_uint_eq(e.low, (2 << 20) + 64);
	ck_assert_uint_gt(e.high, e.value);
	unit_pieces_free(&p);
}
END_TEST

/* Two rows of one sum that share a unit are one draw, not two: the interval is as wide as that of
 * one row with all bytes.
 */
START_TEST(rows_share_units)
{
	static const uint32_t groups[] = { 0, 1, 1, UINT32_MAX };
	struct sample sample;
	const struct estimate_rule rule = { &sample, ESTIMATE_PAGES };
	struct unit_pieces p = { 0 };
	struct estimate e[3];

	add(&p, 0, 5, 300);
	add(&p, 1, 5, 100);
	add(&p, 2, 5, 150);
	add(&p, 1, 5, 50);
	add(&p, 3, 5, 1);
	sample_init(&sample, 4, 0, 4096);
	ck_assert_int_eq(unit_pieces_estimate(&p, &rule, groups, e, 3), 0);
	ck_assert_uint_eq(e[1].seen, 300);
	ck_assert_uint_eq(e[1].value, e[0].value);
	ck_assert_uint_eq(e[1].high, e[0].high);
	ck_assert_uint_eq(e[1].units, 1);
	ck_assert_uint_eq(e[2].seen + e[2].value + e[2].low + e[2].units, 0);
	ck_assert_uint_gt(e[2].high, 0);
	unit_pieces_free(&p);
}
END_TEST

START_TEST(absurd_sums_are_bounded)
{
	struct unit_pieces p = { 0 };
	struct estimate e;

	add(&p, 0, 1, UINT64_MAX - 1);
	add(&p, 0, 1, 2);
	add(&p, 0, 2, UINT64_MAX);
	e = estimate_of(&p, 256);
	ck_assert_uint_eq(e.seen, UINT64_MAX);
	ck_assert_uint_eq(e.value, UINT64_MAX);
	ck_assert_uint_eq(e.high, UINT64_MAX);
	unit_pieces_free(&p);
}
END_TEST

/* Takes every sample of made-up memory in which few units hold most bytes: intervals must contain
 * the truth as often as they claim, and more units must make them narrower.
 */
START_TEST(intervals_hold_the_truth_as_often_as_they_say)
{
	uint64_t inside = 0, all = 0, few = 0;

	for (uint32_t row = 0; row < 200; row++) {
		uint64_t nr = 20 + hash_u64(row) % 2000, truth = 0;
		struct unit_pieces parts[16] = { 0 };
		struct sample s;

		sample_init(&s, 16, 0, 4096);
		for (uint64_t i = 0; i < nr; i++) {
			uint64_t unit = hash_u64(row * 100000ULL + i) & 0xfffff;
			uint64_t value = 64 << hash_u64(unit) % 9;

			truth += value;
			add(&parts[sample_part(&s, unit)], 0, unit, value);
		}
		for (unsigned int p = 0; p < 16; p++) {
			struct estimate e = estimate_of(&parts[p], 16);

			all++;
			inside += e.low <= truth && truth <= e.high;
			few += e.units < 3;
			ck_assert(e.low <= e.value && e.value <= e.high &&
				  e.low < e.high);
			if (e.units > 60)
				ck_assert_uint_lt(e.high - e.low, 5 * e.value / 2);
			unit_pieces_free(&parts[p]);
		}
	}
	ck_assert_uint_gt(few, 0);
	ck_assert_uint_ge(inside * 100, all * ESTIMATE_PERCENT);
	/* They must not be so wide that they always contain it. */
	ck_assert_uint_lt(inside, all);
}
END_TEST

/* If a sample of one in 64 has only one unit of a row, the interval must not begin above that
 * unit's value.
 */
START_TEST(a_row_of_one_unit_has_at_least_that)
{
	struct unit_pieces p = { 0 };
	struct estimate e[2];

	add(&p, 0, 7, 1000);
	for (uint64_t unit = 100; unit < 140; unit++)
		add(&p, 1, unit, 1000);
	estimate(&p, 64, ESTIMATE_PAGES, e, 2);
	ck_assert_uint_eq(e[0].low, 1000);
	ck_assert_uint_eq(e[0].value, 64000);
	ck_assert_uint_gt(e[1].low, 40000);
	unit_pieces_free(&p);
}
END_TEST

/* If some units of other rows weigh ten times as much as the rest, the only sampled unit of a row
 * may be a light one. If the units of other rows are alike, the intervals stay narrow.
 */
START_TEST(other_rows_tell_how_units_differ)
{
	struct estimate differ[5], alike[5];

	for (unsigned int apart = 0; apart < 2; apart++) {
		struct unit_pieces p = { 0 };

		add(&p, 0, 7, 1000);
		for (uint64_t unit = 100; unit < 140; unit++)
			add(&p, 1, unit, apart && unit % 2 ? 10000 : 1000);
		for (uint64_t unit = 200; unit < 320; unit++) /* three more such rows */
			add(&p, 2 + unit % 3, unit, apart && unit % 2 ? 10000 : 1000);
		estimate(&p, 16, ESTIMATE_OWN, apart ? differ : alike, 5);
		unit_pieces_free(&p);
	}
	ck_assert_uint_gt(differ[0].high, 3 * alike[0].high);
	/* The interval of units alike ends at 4.93 times what the unit stands for. */
	ck_assert_uint_ge(alike[0].high, 4931 * 16);
	ck_assert_uint_lt(alike[0].high, 9000 * 16);
	/* With many units, their own weights count. */
	ck_assert_uint_lt(alike[1].high, 3 * alike[1].value / 2);
	ck_assert_uint_lt(differ[1].high, 2 * differ[1].value);
}
END_TEST

/* Makes a unit of a row and its weight, like that of objects that are freed soon: few addresses
 * have most of them.
 */
static uint64_t made_unit(uint32_t row, uint64_t n, uint64_t *value)
{
	uint64_t random = hash_u64(row * UINT64_C(100000) + n + 1),
		 unit = random & 0xfffff;

	*value = UINT64_C(16) << (__builtin_popcountll(random >> 40) +
				  hash_u64(row + 1000) % 4);
	return unit;
}

#define MADE_ROWS 100

/* Samples one in 16 of a table in which few addresses have most of each row: intervals must contain
 * the truth as often as they claim even for rows with one, two, or three to five sampled units.
 */
START_TEST(rows_of_few_units_hold_the_truth_too)
{
	static uint64_t truths[MADE_ROWS];
	static uint32_t groups[MADE_ROWS];
	static struct estimate e[MADE_ROWS];
	struct unit_pieces parts[16] = { 0 };
	unsigned int all[4] = { 0 }, inside[4] = { 0 };
	struct estimate_rule rule = { .of = ESTIMATE_OWN };
	struct sample s;

	sample_init(&s, 16, 0, 4096);
	rule.sample = &s;
	for (uint32_t row = 0; row < MADE_ROWS; row++) {
		groups[row] = row;
		for (uint64_t n = 0; n < 16 + hash_u64(row + 1) % 64; n++) {
			uint64_t value, unit = made_unit(row, n, &value);

			truths[row] += value;
			add(&parts[sample_part(&s, unit)], row, unit, value);
		}
	}
	for (unsigned int p = 0; p < 16; p++) {
		ck_assert_int_eq(
			unit_pieces_estimate(&parts[p], &rule, groups, e, MADE_ROWS), 0);
		for (uint32_t row = 0; row < MADE_ROWS; row++) {
			unsigned int class = e[row].units > 2 ? 3 : e[row].units;

			all[class]++;
			inside[class] +=
				e[row].low <= truths[row] && truths[row] <= e[row].high;
		}
		unit_pieces_free(&parts[p]);
	}
	for (unsigned int class = 0; class < 4; class ++) {
		ck_assert_uint_gt(all[class], 100);
		ck_assert_uint_ge(inside[class] * 100, all[class] * ESTIMATE_PERCENT);
	}
}
END_TEST

/* Rows by task: each has light units of its own, but most of its bytes in two units that all rows
 * share. Of 16 samples, at most two have one of these. Estimates that know about shared units allow
 * for that; estimates by callsite are rarely right.
 */
START_TEST(rows_share_few_hot_units)
{
	static const enum estimate_of of[] = { ESTIMATE_SHARED, ESTIMATE_OWN };
	const uint64_t hot = 100000, light = 100, truth = 300 * light + 2 * hot;
	unsigned int inside[2] = { 0 }, all = 0;
	struct sample s;

	sample_init(&s, 16, 0, 4096);
	for (uint32_t part = 0; part < 16; part++) {
		struct unit_pieces p = { 0 };
		struct estimate e[5];

		for (uint64_t n = 0; n < 5 * 300ULL; n++) {
			if (sample_part(&s, 100 + n) == part)
				add(&p, n % 5, 100 + n, light);
		}
		for (uint32_t n = 0; n < 10; n++) {
			if (sample_part(&s, 7 + n % 2) == part)
				add(&p, n / 2, 7 + n % 2, hot);
		}
		for (int i = 0; i < 2; i++) {
			estimate(&p, 16, of[i], e, 5);
			for (int row = 0; row < 5; row++)
				inside[i] += e[row].low <= truth && truth <= e[row].high;
		}
		all += 5;
		unit_pieces_free(&p);
	}
	ck_assert_uint_ge(inside[0] * 100, all * ESTIMATE_PERCENT);
	ck_assert_uint_lt(inside[1] * 2, all);
}
END_TEST

Suite *test_estimate_suite(void)
{
	Suite *s = suite_create("estimate");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, units_alike_have_mid_p_intervals);
	tcase_add_test(tc, few_units_with_most_are_told);
	tcase_add_test(tc, known_intervals);
	tcase_add_test(tc, what_is_recorded_in_any_case);
	tcase_add_test(tc, rows_share_units);
	tcase_add_test(tc, rows_share_few_hot_units);
	tcase_add_test(tc, absurd_sums_are_bounded);
	tcase_add_test(tc, a_row_of_one_unit_has_at_least_that);
	tcase_add_test(tc, other_rows_tell_how_units_differ);
	tcase_add_test(tc, rows_of_few_units_hold_the_truth_too);
	tcase_add_test(tc, intervals_hold_the_truth_as_often_as_they_say);
	suite_add_tcase(s, tc);
	return s;
}
