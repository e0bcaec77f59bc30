// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: lib/analysis/overview/summary.c: which rows are the largest, and the text of the notes.
 */
#include "made_events.h"

static const struct analysis_options usual = { 0 };

static struct kmem_event *object(struct fixture *f, uint64_t callsite, uint64_t ptr,
				 uint64_t req, uint64_t alloc)
{
	struct kmem_event *ev = event(f, KMEM_KMALLOC, 0, 0);

	ev->slab_alloc.ptr = ptr;
	ev->slab_alloc.callsite = callsite;
	ev->slab_alloc.bytes_req = req;
	ev->slab_alloc.bytes_alloc = alloc;
	return ev;
}

static uint64_t pointer(unsigned int i)
{
	return 0xffff888000000000ULL + i * 64ULL;
}

static void ck_row(const struct table *t, size_t row, const char *about, const char *of,
		   uint64_t bytes)
{
	ck_assert_str_eq(cell(t, row, "about")->s, about);
	ck_assert_str_eq(cell(t, row, "of")->s, of);
	ck_assert_uint_eq(cell(t, row, "bytes")->u, bytes);
}

static bool has_note(const struct table *t, const char *text)
{
	size_t i;

	for (i = 0; i < t->nr_notes && !strstr(t->notes[i], text); i++)
		;
	return i < t->nr_notes;
}

/* Four callsites and pages of two orders: the three largest rows are shown; pages of a callsite are
 * one row.
 */
START_TEST(the_three_largest)
{
	const struct table *t;
	struct fixture f;

	set_up(&f);
	object(&f, 0xc1, pointer(0), 60, 64);
	object(&f, 0xc2, pointer(1), 100, 128);
	object(&f, 0xc3, pointer(2), 20, 32);
	object(&f, 0xc4, pointer(3), 512, 512);
	event(&f, KMEM_PAGE_ALLOC, 0x100, 0);
	event(&f, KMEM_PAGE_ALLOC, 0x102, 1);
	event(&f, KMEM_KFREE, 0, 0)->slab_free.ptr = pointer(3);
	t = table_of(&f, "summary", &usual);
	ck_assert_uint_eq(t->nr_rows, 7);
	ck_row(t, 0, "allocated", "page", 3 * MADE_PAGE);
	ck_assert_uint_eq(cell(t, 0, "hit")->u, 2);
	ck_row(t, 1, "allocated", "slab", 512);
	ck_row(t, 2, "allocated", "slab", 128);
	ck_row(t, 3, "live", "page", 3 * MADE_PAGE);
	ck_row(t, 4, "live", "slab", 128);
	ck_row(t, 5, "live", "slab", 64);
	ck_row(t, 6, "wasted", "slab", 28);
	ck_assert_double_eq_tol(cell(t, 6, "part")->f, 28.0 * 100 / (4 + 28 + 12), 1e-9);
	ck_assert(has_note(t, "No event was lost"));
	ck_assert(has_note(t, "no page request failed"));
	ck_assert(!has_note(t, "Slab requests that failed"));
	tear_down(&f);
}
END_TEST

START_TEST(what_failed)
{
	const struct table *t;
	struct fixture f;

	set_up(&f);
	object(&f, 0xc1, pointer(0), 64, 64);
	object(&f, 0xc1, 0, 64, 64);
	event(&f, KMEM_PAGE_ALLOC, KMEM_NO_PFN, 3);
	t = table_of(&f, "summary", &usual);
	ck_row(t, t->nr_rows - 1, "failed", "page", 8 * MADE_PAGE);
	ck_assert(has_note(t, "Slab requests that failed: 1 "));
	ck_assert(!has_note(t, "no page request failed"));
	tear_down(&f);
}
END_TEST

/* Objects just over 512 bytes save more than those just over 64. */
START_TEST(the_first_advice)
{
	const struct table *t;
	struct fixture f;
	size_t last;

	set_up(&f);
	object(&f, 0xc1, pointer(0), 66, 96);
	object(&f, 0xc2, pointer(16), 520, 1024);
	object(&f, 0xc2, pointer(32), 520, 1024);
	object(&f, 0xc3, pointer(48), 512, 512); /* slabinfo has this size */
	object(&f, 0xc3, pointer(56), 64, 64);
	t = table_of(&f, "summary", &usual);
	last = t->nr_rows - 1;
	ck_assert_str_eq(cell(t, last, "about")->s, "advice");
	ck_assert_int_eq(cell(t, last, "of")->type, CELL_NONE);
	ck_assert_str_eq(cell(t, last, "more")->s, "kmemx advise");
	ck_assert_uint_eq(cell(t, last, "hit")->u, 2);
	ck_assert_uint_eq(cell(t, last, "bytes")->u, 2 * 512);
	ck_assert_int_eq(cell(t, last, "growth_min")->type, CELL_NONE);
	ck_assert(has_note(t, "Advice, shrink: 2 objects of 520 bytes live at once"));
	tear_down(&f);
}
END_TEST

/* The note if no row grows. */
START_TEST(nothing_grows)
{
	const struct table *t;
	struct fixture f;

	set_up(&f);
	object(&f, 0xc1, pointer(0), 64, 64);
	event(&f, KMEM_KFREE, 0, 0)->slab_free.ptr = pointer(0);
	t = table_of(&f, "summary", &usual);
	ck_assert(has_note(t, "Nothing is seen to grow."));
	ck_assert(!has_note(t, "too short"));
	tear_down(&f);
}
END_TEST

Suite *test_summary_suite(void);

Suite *test_summary_suite(void)
{
	Suite *s = suite_create("analysis/summary");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_three_largest);
	tcase_add_test(tc, what_failed);
	tcase_add_test(tc, the_first_advice);
	tcase_add_test(tc, nothing_grows);
	suite_add_tcase(s, tc);
	return s;
}
