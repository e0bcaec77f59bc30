// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: pairs as a matrix, report/text_layout.h, and when text shows a matrix.
 */
#include <check.h>
#include <string.h>

#include "render_widths.h"
#include "report/text_layout.h"

static const struct table_cross cross = { "from", "to", "pages", "CPU",
					  "Pages, a matrix" };

/* Makes a report of pages that went from one CPU to another, from triples of numbers. */
static struct report *make(const uint64_t (*pairs)[3], size_t nr)
{
	static const struct column columns[] = {
		{ .name = "pages", .title = "Pages", .unit = UNIT_PAGES },
		{ .name = "from", .title = "From" },
		{ .name = "to", .title = "To" },
	};
	struct report *r = report_new();
	struct table *t = table_new("pairs", "Pages, a list");
	size_t i, k;

	t->cross = &cross;
	table_set_by(t, "from,to");
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	for (i = 0; i < nr; i++) {
		struct cell *row = table_add_row(t);

		for (k = 0; k < 3; k++)
			row[k] = cell_uint(pairs[i][k]);
	}
	report_add_table(r, t);
	return r;
}

static void expect(struct report *r, unsigned int width, const char *wanted)
{
	struct strbuf sb = { 0 };

	widths_render(r, (struct render_options){ .width = width }, &sb);
	ck_assert_str_eq(strbuf_text(&sb), wanted);
	strbuf_free(&sb);
}

static const uint64_t three[][3] = {
	{ 70, 5, 0 }, { 9, 0, 5 }, { 1, 5, 0 }, { 4, 63, 63 }
};

static bool can_cross(const struct table *t)
{
	struct table *matrix;
	bool can;

	ck_assert_int_eq(table_cross(t, &matrix), 0);
	can = matrix;
	table_free(matrix);
	return can;
}

START_TEST(a_matrix)
{
	struct report *r = make(three, ARRAY_SIZE(three));

	expect(r, 0,
	       "# Pages, a matrix\n#\n"
	       "# CPU   0  5  63\n"
	       "    0   0  9   0\n"
	       "    5  71  0   0\n"
	       "   63   0  0   4\n");
	report_free(r);
}
END_TEST

/* The matrix needs 16 columns. */
START_TEST(a_list_where_there_is_no_room)
{
	struct report *r = make(three, ARRAY_SIZE(three));
	struct strbuf sb = { 0 };

	widths_render(r, (struct render_options){ .width = 16 }, &sb);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&sb), "# CPU   0  5  63\n"));
	widths_render(r, (struct render_options){ .width = 15 }, &sb);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&sb), "a list"));
	ck_assert_ptr_null(strstr(strbuf_text(&sb), "CPU"));
	strbuf_free(&sb);
	report_free(r);
}
END_TEST

/* A matrix of only the first rows would mislead. Rows that only text omits are all in the matrix.
 */
START_TEST(a_list_where_rows_are_cut)
{
	struct report *r = make(three, ARRAY_SIZE(three));

	table_limit_text(r->tables[0], 1);
	ck_assert(can_cross(r->tables[0]));
	table_limit(r->tables[0], 2);
	ck_assert(!can_cross(r->tables[0]));
	expect(r, 0,
	       "# Pages, a list (1 of 4 rows)\n#\n"
	       "# Pages  From  To\n"
	       "     70     5   0\n");
	report_free(r);
}
END_TEST

START_TEST(many_numbers)
{
	uint64_t pairs[CROSS_MAX][3];
	struct report *r;
	struct table *t;
	uint64_t i;

	for (i = 0; i < CROSS_MAX; i++) {
		pairs[i][0] = 1;
		pairs[i][1] = UINT64_MAX - i;
		pairs[i][2] = UINT64_MAX;
	}
	r = make(pairs, CROSS_MAX);
	ck_assert_int_eq(table_cross(r->tables[0], &t), 0);
	ck_assert_uint_eq(t->nr_rows, CROSS_MAX);
	ck_assert_uint_eq(t->nr_columns, CROSS_MAX + 1);
	ck_assert_uint_eq(t->cells[CROSS_MAX].u, 1);
	table_free(t);
	report_free(r);
	pairs[0][2] = 0;
	r = make(pairs, CROSS_MAX);
	ck_assert(!can_cross(r->tables[0]));
	report_free(r);
	r = make(pairs, 0);
	ck_assert(!can_cross(r->tables[0]));
	report_free(r);
}
END_TEST

Suite *test_cross_suite(void);
Suite *test_cross_suite(void)
{
	Suite *s = suite_create("report/cross");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_matrix);
	tcase_add_test(tc, a_list_where_there_is_no_room);
	tcase_add_test(tc, a_list_where_rows_are_cut);
	tcase_add_test(tc, many_numbers);
	suite_add_tcase(s, tc);
	return s;
}
