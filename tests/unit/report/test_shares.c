// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: shares of the total, report/shares.c.
 */
#include <check.h>

#include "render_widths.h"
#include "report/table.h"

enum { NAME, BYTES, HIT, SIZE, PCT, CUM_PCT };

static void add(struct table *t, const char *name, uint64_t bytes, uint64_t hit)
{
	struct cell *row = table_add_row(t);

	row[NAME] = cell_text(t, name);
	row[BYTES] = cell_uint(bytes);
	row[HIT] = cell_uint(hit);
	row[SIZE] = cell_uint(bytes);
}

static struct table *make(void)
{
	static const struct column columns[] = {
		{ .name = "callsite", .title = "Callsite", .last = true },
		{ .name = "bytes", .title = "Bytes", .unit = UNIT_BYTES },
		{ .name = "hit", .title = "Hit", .unit = UNIT_COUNT },
		{ .name = "size", .title = "Size", .unit = UNIT_BYTES, .level = true },
		{ .name = "pct", .title = "%", .unit = UNIT_SHARE, .part = COLUMN_SHARE },
		{ .name = "cum_pct",
		  .title = "cum %",
		  .unit = UNIT_SHARE,
		  .part = COLUMN_CUMULATIVE },
	};
	struct table *t = table_new("slab", "Slab");

	table_set_by(t, "callsite");
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	add(t, "a", 100, 7);
	add(t, "b", 600, 1);
	add(t, "c", 300, 2);
	return t;
}

/* The shares of the rows sorted by @key: three shares, then three running sums. */
static void expect(const char *key, const double *wanted)
{
	const struct sort_key keys[] = { { .name = key } };
	struct table *t = make();
	size_t i;

	ck_assert_int_eq(table_sort(t, keys, 1), 0);
	table_fill_shares(t);
	for (i = 0; i < 3; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];

		ck_assert_double_eq(row[PCT].f, wanted[i]);
		ck_assert_double_eq(row[CUM_PCT].f, wanted[3 + i]);
	}
	table_free(t);
}

START_TEST(shares_are_of_what_orders_the_rows)
{
	expect("bytes", (const double[]){ 60, 30, 10, 60, 90, 100 });
	expect("hit", (const double[]){ 70, 20, 10, 70, 90, 100 });
	/* Names and sizes do not add up. */
	expect("callsite", (const double[]){ 10, 60, 30, 10, 70, 100 });
	expect("size", (const double[]){ 60, 30, 10, 60, 90, 100 });
}
END_TEST

START_TEST(of_nothing_there_is_no_share)
{
	struct table *t = make();
	size_t i;

	for (i = 0; i < 3; i++)
		t->cells[i * t->nr_columns + BYTES].type = CELL_NONE;
	table_fill_shares(t);
	ck_assert_int_eq(t->cells[PCT].type, CELL_NONE);
	ck_assert_int_eq(t->cells[CUM_PCT].type, CELL_NONE);
	table_free(t);
}
END_TEST

/* Text shows shares next to their column, and says how many rows it omits. */
START_TEST(a_limit_for_text_alone)
{
	const struct sort_key keys[] = { { "hit", SORT_DEFAULT, NULL } };
	struct report *r = report_new();
	struct table *t = make();
	struct strbuf sb = { 0 };

	ck_assert_int_eq(table_sort(t, keys, 1), 0);
	table_fill_shares(t);
	table_limit_text(t, 3);
	ck_assert_uint_eq(t->text_rows, 0);
	table_limit_text(t, 2);
	ck_assert_uint_eq(t->nr_rows, 3);
	report_add_table(r, t);
	widths_render(r, (struct render_options){ 0 }, &sb);
	ck_assert_str_eq(strbuf_text(&sb),
			 "# Slab, sorted by hit (2 of 3 rows, 90.0 % of hit)\n"
			 "#\n"
			 "# Bytes  Hit       %   cum %  Size  Callsite\n"
			 "    100    7  70.00%  70.00%   100  a\n"
			 "    300    2  20.00%  90.00%   300  c\n");
	strbuf_free(&sb);
	report_free(r);
}
END_TEST

Suite *test_shares_suite(void)
{
	Suite *s = suite_create("report/shares");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, shares_are_of_what_orders_the_rows);
	tcase_add_test(tc, of_nothing_there_is_no_share);
	tcase_add_test(tc, a_limit_for_text_alone);
	suite_add_tcase(s, tc);
	return s;
}
