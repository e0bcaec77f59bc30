// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: building tables and reports, report/table.h.
 */
#include <check.h>
#include <stdio.h>

#include "report/table.h"

static void fill(struct table *t, uint64_t rows)
{
	struct cell *row;
	char name[32];
	uint64_t i;

	table_add_column(t, &(struct column){ .name = "callsite", .last = true });
	table_add_column(t, &(struct column){ .name = "bytes", .unit = UNIT_BYTES });
	for (i = 0; i < rows; i++) {
		snprintf(name, sizeof(name), "function_%lu", (unsigned long)(i % 100));
		row = table_add_row(t);
		ck_assert_ptr_nonnull(row);
		row[0] = cell_text(t, name);
		row[1] = cell_uint(i);
	}
}

START_TEST(rows_and_texts_stay)
{
	struct table *t = table_new("slab", NULL);
	char name[32];
	uint64_t i;

	fill(t, 5000);
	ck_assert(table_ok(t));
	ck_assert_uint_eq(t->nr_rows, 5000);
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "function_%lu", (unsigned long)(i % 100));
		ck_assert_str_eq(t->cells[2 * i].s, name);
		ck_assert_ptr_eq(t->cells[2 * i].s, t->cells[2 * (i % 100)].s);
		ck_assert_uint_eq(t->cells[2 * i + 1].u, i);
	}
	ck_assert_int_eq(table_column(t, "bytes"), 1);
	ck_assert_int_eq(table_column(t, "byte"), -1);
	ck_assert_str_eq(t->columns[0].title, "callsite");
	table_free(t);
}
END_TEST

START_TEST(a_new_row_holds_nothing)
{
	struct table *t = table_new("slab", NULL);
	struct cell *row;

	fill(t, 0);
	row = table_add_row(t);
	ck_assert_int_eq(row[0].type, CELL_NONE);
	ck_assert_int_eq(row[1].type, CELL_NONE);
	ck_assert_int_eq(cell_text(t, NULL).type, CELL_NONE);
	ck_assert(table_ok(t));
	table_free(t);
}
END_TEST

START_TEST(a_column_after_a_row_fails_the_table)
{
	struct table *t = table_new("slab", NULL);

	fill(t, 1);
	table_add_column(t, &(struct column){ .name = "late" });
	ck_assert(!table_ok(t));
	table_free(t);
}
END_TEST

START_TEST(limit_remembers_what_was_cut)
{
	struct table *t = table_new("slab", NULL);

	fill(t, 10);
	table_limit(t, 3); /* rows with an order of their own are never cut */
	ck_assert_uint_eq(t->nr_rows, 10);
	table_set_by(t, "callsite");
	table_limit(t, 0);
	table_limit(t, 10);
	ck_assert_uint_eq(t->nr_rows, 10);
	ck_assert_uint_eq(t->nr_rows_total, 0);
	table_limit(t, 4);
	ck_assert_uint_eq(t->nr_rows, 4);
	ck_assert_uint_eq(t->nr_rows_total, 10);
	ck_assert_int_eq(t->share, 1);
	ck_assert_uint_eq(t->kept, 0 + 1 + 2 + 3);
	ck_assert_uint_eq(t->total, 45);
	table_free(t);
}
END_TEST

START_TEST(what_is_live_can_be_unknown)
{
	const struct summary_line lines[] = {
		{ "bytes", NULL, UNIT_BYTES, 7 },
		{ "bytes_live", NULL, UNIT_BYTES, 5, SUMMARY_DETAIL, true },
	};
	struct table *t = table_new("slab", "Slab");
	struct cell *row;

	table_add_column(t, &(struct column){ .name = "net", .live = true });
	table_add_column(t, &(struct column){ .name = "network" });
	row = table_add_row(t);
	row[0] = cell_uint(5);
	row[1] = cell_uint(7);
	table_add_summary_lines(t, lines, 2, true);
	ck_assert(t->summary[0].bound && t->summary[1].bound);
	table_blank_live(t);
	ck_assert_int_eq(t->cells[0].type, CELL_NONE);
	ck_assert_uint_eq(t->cells[1].u, 7);
	ck_assert_uint_eq(t->summary[0].value.u, 7);
	ck_assert_int_eq(t->summary[1].value.type, CELL_NONE);
	table_free(t);
}
END_TEST

START_TEST(a_report_owns_what_it_is_given)
{
	struct report *r = report_new();
	char text[] = "6.1.0";
	struct table *t = table_new("slab", "Slab");

	report_add_text_fact(r, "kernel", text);
	text[0] = '7';
	ck_assert_str_eq(r->facts[0].value.s, "6.1.0");
	report_add_banner(r, true, "LOST %d", 5);
	report_banner_if(r, false, true, "not so");
	report_add_banner(r, false, "calm");
	ck_assert_str_eq(r->banner[0], "!LOST 5");
	ck_assert_str_eq(r->banner[1], "calm");
	table_note_if(NULL, false, "not so");
	table_note_if(t, false, "not so");
	table_note_if(t, true, "%d rows", 2);
	ck_assert_uint_eq(t->nr_notes, 1);
	ck_assert_str_eq(t->notes[0], "2 rows");
	report_add_table(r, t);
	ck_assert(report_ok(r));
	report_add_table(r, NULL);
	ck_assert(!report_ok(r));
	report_free(r);
	report_free(NULL);
	table_free(NULL);
	ck_assert(!report_ok(NULL));
	ck_assert(!table_ok(NULL));
}
END_TEST

/* If a column could not be allocated, its rows have no cell for it. */
START_TEST(test_failed)
{
	struct table *t = table_new("slab", NULL);

	ck_assert_ptr_nonnull(t);
	t->failed = true;
	ck_assert_ptr_null(table_add_row(t));
	ck_assert_uint_eq(t->nr_rows, 0);
	table_free(t);
}
END_TEST

Suite *test_table_suite(void)
{
	Suite *s = suite_create("report/table");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rows_and_texts_stay);
	tcase_add_test(tc, a_new_row_holds_nothing);
	tcase_add_test(tc, a_column_after_a_row_fails_the_table);
	tcase_add_test(tc, limit_remembers_what_was_cut);
	tcase_add_test(tc, what_is_live_can_be_unknown);
	tcase_add_test(tc, a_report_owns_what_it_is_given);
	tcase_add_test(tc, test_failed);
	suite_add_tcase(s, tc);
	return s;
}
