// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: lib/analysis/time/peak.c: the first of several equal maxima is the peak; each kind of
 * memory has its own.
 */
#include "made_events.h"

START_TEST(equal_maxima)
{
	const struct analysis_options opts = { .needs = NEEDS_PAGE, .by = SUBJECT_PID };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	event(&f, KMEM_PAGE_ALLOC, 0x100, 0);	       /* at 1000 */
	event(&f, KMEM_PAGE_ALLOC, 0x101, 0)->pid = 8; /* at 2000 */
	event(&f, KMEM_PAGE_FREE, 0x101, 0)->pid = 8;
	event(&f, KMEM_PAGE_ALLOC, 0x102, 0)->pid = 9; /* at 4000, as much as before */
	t = table_of(&f, "peak", &opts);
	ck_assert_uint_eq(summary(t, "time"), 2000);
	ck_assert_uint_eq(summary(t, "time_most"), 2000);
	ck_assert_uint_eq(summary(t, "bytes_live"), 2 * MADE_PAGE);
	ck_assert_uint_eq(t->nr_rows, 2);
	ck_assert_int_eq(cell(t, 1, "pid")->i, 8);
	tear_down(&f);
}
END_TEST

START_TEST(each_kind_has_its_own)
{
	const struct analysis_options opts = { .by = SUBJECT_PID };
	const struct report *report;
	struct kmem_event *ev;
	struct fixture f;

	set_up(&f);
	ev = event(&f, KMEM_KMALLOC, 0, 0); /* at 1000: most objects */
	ev->slab_alloc.ptr = 0x9000;
	ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = 128;
	event(&f, KMEM_PAGE_ALLOC, 0x100, 0); /* at 2000 */
	event(&f, KMEM_KFREE, 0, 0)->slab_free.ptr = 0x9000;
	event(&f, KMEM_PAGE_ALLOC, 0x101, 0)->pid =
		8; /* at 4000: most pages, and most of both */
	event(&f, KMEM_PAGE_FREE, 0x101, 0)->pid = 8;
	ev = event(&f, KMEM_KMALLOC, 0, 0);
	ev->slab_alloc.ptr = 0x9000;
	ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = 64;
	report = report_of(&f, "peak", &opts);
	ck_assert_uint_eq(report->nr_tables, 2);
	ck_assert_uint_eq(summary(report->tables[0], "time"), 1000);
	ck_assert_uint_eq(summary(report->tables[0], "bytes_live"), 128);
	ck_assert_uint_eq(summary(report->tables[1], "time"), 4000);
	ck_assert_uint_eq(summary(report->tables[1], "bytes_live"), 2 * MADE_PAGE);
	tear_down(&f);
}
END_TEST

Suite *test_peak_suite(void);

Suite *test_peak_suite(void)
{
	Suite *s = suite_create("analysis/peak");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, equal_maxima);
	tcase_add_test(tc, each_kind_has_its_own);
	suite_add_tcase(s, tc);
	return s;
}
