// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: lib/analysis/life/page_owners.c: which tasks own live pages, with and without order and
 * migratetype.
 */
#include "made_events.h"

enum { UNMOVABLE, MOVABLE };

static struct kmem_event *alloc(struct fixture *f, int32_t pid, uint64_t pfn,
				uint32_t order)
{
	struct kmem_event *ev = event(f, KMEM_PAGE_ALLOC, pfn, order);

	ev->pid = pid;
	return ev;
}

/* Two tasks have blocks of two orders and migratetypes; one block is freed in part, one as a whole.
 */
static void some_blocks(struct fixture *f)
{
	alloc(f, 7, 0x100, 0);					 /* at 1000 */
	alloc(f, 7, 0x101, 0);					 /* at 2000 */
	alloc(f, 7, 0x108, 3);					 /* at 3000 */
	alloc(f, 7, 0x110, 0)->page_alloc.migratetype = MOVABLE; /* at 4000 */
	alloc(f, 8, 0x120, 0);					 /* at 5000 */
	event(f, KMEM_PAGE_FREE, 0x100, 0);
	event(f, KMEM_PAGE_FREE, 0x10c, 2);
}

static void ck_row(const struct table *t, size_t row, uint64_t times, uint64_t pages,
		   uint64_t oldest)
{
	ck_assert_uint_eq(cell(t, row, "times")->u, times);
	ck_assert_uint_eq(cell(t, row, "pages")->u, pages);
	ck_assert_uint_eq(cell(t, row, "bytes")->u, pages * MADE_PAGE);
	ck_assert_uint_eq(cell(t, row, "alloc_ts")->u, oldest);
}

static void ck_kind(const struct table *t, size_t row, int64_t pid, uint64_t order,
		    const char *migratetype)
{
	ck_assert_int_eq(cell(t, row, "pid")->i, pid);
	ck_assert_uint_eq(cell(t, row, "order")->u, order);
	ck_assert_str_eq(cell(t, row, "migtype")->s, migratetype);
}

/* Rows are in the order of their first allocations. */
START_TEST(by_order_and_migratetype)
{
	const struct analysis_options opts = { .by = SUBJECT_PID };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	some_blocks(&f);
	t = table_of(&f, "owners", &opts);
	ck_assert_str_eq(t->by, "pid,order,migtype");
	ck_assert_uint_eq(t->nr_rows, 4);
	ck_row(t, 0, 1, 1, 2000);
	ck_kind(t, 0, 7, 0, "UNMOVABLE");
	ck_row(t, 1, 1, 4, 3000);
	ck_kind(t, 1, 7, 3, "UNMOVABLE");
	ck_row(t, 2, 1, 1, 4000);
	ck_kind(t, 2, 7, 0, "MOVABLE");
	ck_row(t, 3, 1, 1, 5000);
	ck_kind(t, 3, 8, 0, "UNMOVABLE");
	tear_down(&f);
}
END_TEST

START_TEST(culled)
{
	const struct analysis_options opts = { .by = SUBJECT_PID,
					       .any_order = true,
					       .any_migratetype = true };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	some_blocks(&f);
	t = table_of(&f, "owners", &opts);
	ck_assert_str_eq(t->by, "pid");
	ck_assert_uint_eq(t->nr_rows, 2);
	ck_row(t, 0, 3, 6, 2000);
	ck_row(t, 1, 1, 1, 5000);
	ck_assert_int_eq(cell(t, 0, "order")->type, CELL_NONE);
	ck_assert_int_eq(cell(t, 0, "migtype")->type, CELL_NONE);
	ck_assert(t->columns[table_column(t, "order")].hidden);
	tear_down(&f);
}
END_TEST

START_TEST(culled_but_for_the_order)
{
	const struct analysis_options opts = { .by = SUBJECT_PID,
					       .any_migratetype = true };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	some_blocks(&f);
	t = table_of(&f, "owners", &opts);
	ck_assert_str_eq(t->by, "pid,order");
	ck_assert_uint_eq(t->nr_rows, 3);
	ck_row(t, 0, 2, 2, 2000);
	ck_assert_int_eq(cell(t, 0, "migtype")->type, CELL_NONE);
	tear_down(&f);
}
END_TEST

/* Blocks that were live when events were lost may have been freed. */
START_TEST(lost_events)
{
	const struct analysis_options opts = { .by = SUBJECT_PID };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	alloc(&f, 7, 0x100, 0);
	f.evs[f.nr++] = (struct kmem_event){ .type = KMEM_LOSS,
					     .ts = 1500,
					     .loss = { .count = 3 } };
	alloc(&f, 8, 0x101, 0);
	t = table_of(&f, "owners", &opts);
	ck_assert_uint_eq(t->nr_rows, 2);
	ck_assert_str_eq(cell(t, 0, "net_reason")->s, "lost");
	ck_assert_uint_eq(cell(t, 0, "net_min")->u, 0);
	ck_assert_ptr_null(strstr(cell(t, 1, "net_reason")->s, "lost"));
	tear_down(&f);
}
END_TEST

Suite *test_page_owners_suite(void);

Suite *test_page_owners_suite(void)
{
	Suite *s = suite_create("analysis/page_owners");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, by_order_and_migratetype);
	tcase_add_test(tc, culled);
	tcase_add_test(tc, culled_but_for_the_order);
	tcase_add_test(tc, lost_events);
	suite_add_tcase(s, tc);
	return s;
}
