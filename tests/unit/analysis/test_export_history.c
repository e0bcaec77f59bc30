// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/rows_out/export_history.h: objects have numbers, and each ends once.
 */
#include "analysis/rows_out/export_history.h"

#include <check.h>
#include <stdlib.h>

#include "base/compiler.h"

/* Adds a change of @bytes of the object that was allocated at @begin; @at: its address. */
static void change(struct export_history *h, bool more, uint64_t at, uint64_t begin,
		   uint64_t bytes)
{
	const struct history_change c = {
		.ts = h->nr, .bytes = bytes, .row = 1, .memory = MEMORY_PAGE, .more = more
	};

	export_history_add(h, &c, at, begin);
}

/* A block that is freed in parts ends with the last of them, an address is allocated again, and a
 * free without an allocation adds no object.
 */
START_TEST(objects)
{
	static const struct {
		bool more;
		uint64_t at, begin, bytes;
		uint32_t object, last; /* object 0: no change */
	} cases[] = {
		{ true, 100, 1, 4096, 1, 0 },
		{ false, 100, 1, 1024, 1, 0 },
		{ false, 100, 1, 2048, 1, 0 },
		{ true, 300, 1, 8, 2, 0 }, /* at the same time elsewhere */
		{ false, 100, 1, 1024, 1, 1 },
		{ false, 200, 1, 1, 0, 0 },
		{ true, 100, 2, 4096, 3, 0 },
		{ false, 100, 9, 4096, 3, 1 }, /* the latest one there */
		{ false, 300, 1, 9, 2, 1 },    /* more than it had */
	};
	struct export_history h = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		change(&h, cases[i].more, cases[i].at, cases[i].begin, cases[i].bytes);
		nr += cases[i].object != 0;
		ck_assert_uint_eq(h.nr, nr);
		if (!cases[i].object)
			continue;
		ck_assert_uint_eq(h.changes[nr - 1].object, cases[i].object);
		ck_assert_uint_eq(h.changes[nr - 1].last, cases[i].last);
		ck_assert_uint_eq(h.changes[nr - 1].bytes, cases[i].bytes);
	}
	ck_assert(!h.failed);
	export_history_free(&h);
}
END_TEST

/* Changes without an event have a defined order; those before keep theirs. */
START_TEST(order_at_the_end)
{
	static const struct {
		uint64_t at, bytes;
		uint32_t object, last;
	} sorted[] = { { 2, 8, 2, 0 },	{ 1, 4, 1, 0 },	 { 1, 6, 1, 0 },
		       { 1, 90, 1, 1 }, { 2, 92, 2, 1 }, { 3, 50, 3, 1 } };
	struct export_history h = { 0 };

	for (uint64_t at = 1; at <= 3; at++)
		change(&h, true, at, 0, at == 3 ? 50 : 100);
	change(&h, false, 2, 0, 8);
	h.nr_told = 4;
	change(&h, false, 3, 0, 50);
	change(&h, false, 2, 0, 92);
	change(&h, false, 1, 0, 6);
	change(&h, false, 1, 0, 4);
	change(&h, false, 1, 0, 90);
	export_history_end(&h);
	ck_assert_uint_eq(h.nr, 3 + ARRAY_SIZE(sorted));
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		ck_assert_uint_eq(h.changes[3 + i].object, sorted[i].object);
		ck_assert_uint_eq(h.changes[3 + i].bytes, sorted[i].bytes);
		ck_assert_uint_eq(h.changes[3 + i].last, sorted[i].last);
	}
	export_history_free(&h);
}
END_TEST

/* Tables follow each other in the order of the kinds of memory. */
START_TEST(rows)
{
	const uint32_t slab[] = { 1, UINT32_MAX, 0 }, page[] = { 4 };
	struct history_change c = { .memory = MEMORY_SLAB };
	struct export_history h = { 0 };

	export_history_rows(&h, MEMORY_SLAB,
			    memcpy(malloc(sizeof(slab)), slab, sizeof(slab)), 3, 2);
	export_history_rows(&h, MEMORY_PAGE,
			    memcpy(malloc(sizeof(page)), page, sizeof(page)), 1, 5);
	ck_assert_uint_eq(history_row(&h, &c), 1);
	c.row = 1;
	ck_assert_uint_eq(history_row(&h, &c), UINT32_MAX);
	c.row = 2;
	ck_assert_uint_eq(history_row(&h, &c), 0);
	c.row = 3; /* the table has no such row */
	ck_assert_uint_eq(history_row(&h, &c), UINT32_MAX);
	c.memory = MEMORY_PAGE;
	c.row = 0;
	ck_assert_uint_eq(history_row(&h, &c), 2 + 4);
	ck_assert_uint_eq(h.first_row[MEMORY_KINDS - 1], 2 + 5);
	export_history_free(&h);
}
END_TEST

START_TEST(moments_are_limited)
{
	struct export_history h = { 0 };
	struct history_moment moment = { .what = HISTORY_LOST };

	for (moment.ts = 0; moment.ts < HISTORY_MOMENTS_MAX + 3; moment.ts++)
		export_history_moment(&h, &moment);
	ck_assert_uint_eq(h.nr_moments, HISTORY_MOMENTS_MAX);
	ck_assert_uint_eq(h.moments_left_out, 3);
	ck_assert_uint_eq(h.moments[HISTORY_MOMENTS_MAX - 1].ts, HISTORY_MOMENTS_MAX - 1);
	export_history_free(&h);
}
END_TEST

Suite *test_export_history_suite(void);
Suite *test_export_history_suite(void)
{
	Suite *s = suite_create("analysis/export_history");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, objects);
	tcase_add_test(tc, order_at_the_end);
	tcase_add_test(tc, rows);
	tcase_add_test(tc, moments_are_limited);
	suite_add_tcase(s, tc);
	return s;
}
