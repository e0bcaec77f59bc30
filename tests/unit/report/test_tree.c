// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: tables whose rows are a tree, report/tree.h and report/text_layout.h.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "render_widths.h"
#include "report/tree.h"

enum { BYTES, HIT, PCT, DEPTH, OTHERS, NAME };

static void add(struct table *t, const char *name, uint64_t depth, uint64_t bytes,
		uint64_t hit)
{
	struct cell *row = table_add_row(t);

	row[BYTES] = cell_uint(bytes);
	row[HIT] = cell_uint(hit);
	row[DEPTH] = cell_uint(depth);
	row[OTHERS] = cell_uint(!strncmp(name, "other", strlen("other")));
	row[NAME] = cell_text(t, name);
}

static struct table *empty(void)
{
	static const struct table_tree tree = { .depth = "depth", .rest = "others" };
	static const struct column columns[] = {
		{ .name = "bytes", .title = "Bytes", .unit = UNIT_BYTES },
		{ .name = "hit", .title = "Hit", .unit = UNIT_COUNT, .drop = 20 },
		{ .name = "pct",
		  .title = "%",
		  .unit = UNIT_SHARE,
		  .part = COLUMN_SHARE,
		  .drop = 10 },
		{ .name = "depth", .title = "Depth", .hidden = true, .level = true },
		{ .name = "others", .title = "Others", .hidden = true, .level = true },
		{ .name = "function", .title = "Function", .last = true },
	};
	struct table *t = table_new("page_tree", "Pages");

	table_set_by(t, "caller");
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	t->tree = &tree;
	return t;
}

static struct table *make(void)
{
	struct table *t = empty();

	add(t, "idle", 0, 50, 5);
	add(t, "entry", 0, 950, 10);
	add(t, "syscall", 1, 950, 10);
	add(t, "other (2 functions)", 2, 500, 1);
	add(t, "read", 2, 150, 2);
	add(t, "clone", 2, 300, 7);
	add(t, "copy", 3, 300, 7);
	add(t, "pte", 4, 200, 1);
	add(t, "pmd", 4, 100, 6);
	return t;
}

static void sort(struct table *t, const char *key)
{
	const struct sort_key keys[] = { { .name = key } };

	ck_assert_int_eq(table_sort(t, keys, 1), 0);
	table_fill_shares(t);
}

/* Checks the text of @t and frees @t. */
static void expect(struct table *t, unsigned int width, const char *wanted)
{
	struct report *r = report_new();
	struct strbuf sb = { 0 };

	report_add_table(r, t);
	widths_render(r, (struct render_options){ .width = width }, &sb);
	ck_assert_str_eq(strbuf_text(&sb), wanted);
	strbuf_free(&sb);
	report_free(r);
}

START_TEST(sorted_below_each_other)
{
	struct table *t = make();

	sort(t, "bytes");
	expect(t, 0,
	       "# Pages, sorted by bytes\n"
	       "#\n"
	       "# Bytes       %  Hit  Function\n"
	       "    950  95.00%   10  - entry\n"
	       "    950  95.00%   10    syscall\n"
	       "    300  30.00%    7    |- clone\n"
	       "    300  30.00%    7    |  copy\n"
	       "    200  20.00%    1    |  |- pte\n"
	       "    100  10.00%    6    |  `- pmd\n"
	       "    150  15.00%    2    |- read\n"
	       "    500  50.00%    1    `- other (2 functions)\n"
	       "     50   5.00%    5  - idle\n");
	t = make();
	sort(t, "function");
	ck_assert_str_eq(t->cells[NAME].s, "entry");
	ck_assert_str_eq(t->cells[4 * t->nr_columns + NAME].s, "pmd");
	ck_assert_str_eq(t->cells[7 * t->nr_columns + NAME].s, "other (2 functions)");
	table_free(t);
}
END_TEST

START_TEST(the_largest_rows_stay)
{
	struct table *t = make();
	uint64_t lines;

	sort(t, "bytes");
	table_limit(t, 5);
	expect(t, 0,
	       "# Pages, sorted by bytes (5 of 9 rows, 95.0 % of bytes)\n"
	       "#\n"
	       "# Bytes       %  Hit  Function\n"
	       "    950  95.00%   10  entry\n"
	       "    950  95.00%   10  syscall\n"
	       "    300  30.00%    7  |- clone\n"
	       "    300  30.00%    7  |  copy\n"
	       "    500  50.00%    1  `- other (2 functions)\n");
	/* No row is shown without its parent. */
	for (lines = 1; lines < 9; lines++) {
		size_t i;

		t = make();
		sort(t, "hit");
		table_limit(t, lines);
		ck_assert_uint_eq(t->nr_rows, lines);
		ck_assert_uint_eq(t->nr_rows_total, 9);
		ck_assert_uint_eq(t->cells[DEPTH].u, 0);
		for (i = 1; i < t->nr_rows; i++)
			ck_assert_uint_le(t->cells[i * t->nr_columns + DEPTH].u,
					  t->cells[(i - 1) * t->nr_columns + DEPTH].u +
						  1);
		table_free(t);
	}
}
END_TEST

START_TEST(text_alone_leaves_rows_out)
{
	struct table *t = make();

	sort(t, "hit");
	table_limit_text(t, 4);
	ck_assert_uint_eq(t->nr_rows, 9);
	expect(t, 0,
	       "# Pages, sorted by hit (4 of 9 rows, 66.7 % of hit)\n"
	       "#\n"
	       "# Bytes  Hit       %  Function\n"
	       "    950   10  66.67%  entry\n"
	       "    950   10  66.67%  syscall\n"
	       "    300    7  46.67%  clone\n"
	       "    300    7  46.67%  copy\n");
}
END_TEST

START_TEST(names_without_room_have_a_line)
{
	struct table *t = empty();

	t->columns[PCT].hidden = true;
	add(t, "a", 0, 3, 2);
	add(t, "a_name_for_which_a_narrow_line_has_no_room", 1, 2, 1);
	add(t, "b", 1, 1, 1);
	add(t, "c", 0, 2, 1);
	expect(t, 44,
	       "# Pages\n"
	       "#\n"
	       "# Bytes  Hit  Function\n"
	       "      3    2  - a\n"
	       "      2    1    |-\n"
	       "      a_name_for_which_a..w_line_has_no_room\n"
	       "      1    1    `- b\n"
	       "      2    1  - c\n");
}
END_TEST

START_TEST(any_depths_are_some_tree)
{
	struct table *t = empty();
	size_t *parents;

	add(t, "deep", 7, 1, 1);
	add(t, "deeper", 70, 1, 1);
	add(t, "up", 3, 1, 1);
	add(t, "root", 0, 1, 1);
	parents = tree_parents(t);
	ck_assert(parents[0] == TREE_ROOT);
	ck_assert(parents[1] == 0);
	ck_assert(parents[2] == TREE_ROOT);
	ck_assert(parents[3] == TREE_ROOT);
	free(parents);
	sort(t, "bytes");
	ck_assert_uint_eq(t->nr_rows, 4);
	table_free(t);
	t = empty();
	sort(t, "bytes");
	expect(t, 0,
	       "# Pages, sorted by bytes\n#\n# Bytes  %  Hit  Function\n# (no rows)\n");
}
END_TEST

START_TEST(trees_are_cut)
{
	struct table *t = make();
	size_t i, rows = t->nr_rows;

	ck_assert_uint_eq(tree_cut(t, 9), 0);
	ck_assert_uint_eq(t->nr_rows, rows);
	ck_assert_uint_eq(tree_cut(t, 2), 3);
	ck_assert_uint_eq(t->nr_rows, 3);
	for (i = 0; i < t->nr_rows; i++)
		ck_assert_uint_lt(t->cells[i * t->nr_columns + DEPTH].u, 2);
	ck_assert_str_eq(t->cells[2 * t->nr_columns + NAME].s, "syscall");
	table_free(t);
}
END_TEST

Suite *test_tree_suite(void);

Suite *test_tree_suite(void)
{
	Suite *s = suite_create("report/tree");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, sorted_below_each_other);
	tcase_add_test(tc, the_largest_rows_stay);
	tcase_add_test(tc, text_alone_leaves_rows_out);
	tcase_add_test(tc, names_without_room_have_a_line);
	tcase_add_test(tc, any_depths_are_some_tree);
	tcase_add_test(tc, trees_are_cut);
	suite_add_tcase(s, tc);
	return s;
}
