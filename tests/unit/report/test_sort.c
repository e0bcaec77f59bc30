// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: sort keys and the order of rows, report/sort.c.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "report/table.h"

/* Columns n (number), s (text), a (address), id (order of insertion). */
static struct table *make(void)
{
	struct table *t = table_new("t", NULL);

	table_set_by(t, "s");
	table_add_column(t, &(struct column){ .name = "n" });
	table_add_column(t, &(struct column){ .name = "s" });
	table_add_column(t, &(struct column){ .name = "a", .unit = UNIT_ADDRESS });
	table_add_column(t, &(struct column){ .name = "id" });
	return t;
}

static void add(struct table *t, struct cell n, const char *s, uint64_t a)
{
	uint64_t id = t->nr_rows;
	struct cell *row = table_add_row(t);

	row[0] = n;
	row[1] = cell_text(t, s);
	row[2] = cell_address(a);
	row[3] = cell_uint(id);
}

/* Sorts by @spec and compares the order of the ids, one character each. */
static void expect(struct table *t, const char *spec, const char *ids)
{
	struct sort_keys keys;
	char got[16] = "";
	size_t i;

	ck_assert_int_eq(sort_keys_parse(&keys, spec), 0);
	ck_assert_int_eq(table_sort(t, keys.keys, keys.nr), 0);
	for (i = 0; i < t->nr_rows && i < sizeof(got) - 1; i++)
		got[i] = (char)('0' + t->cells[i * t->nr_columns + 3].u);
	ck_assert_msg(!strcmp(got, ids), "%s: got %s, want %s", spec, got, ids);
	sort_keys_free(&keys);
}

static struct table *make_five(void)
{
	struct table *t = make();

	add(t, cell_uint(5), "b", 0xffffffff81000000);
	add(t, cell_uint(UINT64_MAX), "a", 0x10);
	add(t, cell_uint(5), "c", 0x20);
	add(t, (struct cell){ .type = CELL_NONE }, "a", 0x30);
	add(t, cell_uint(0), NULL, 0);
	return t;
}

START_TEST(default_directions)
{
	struct table *t = make_five();

	expect(t, "n", "10243");
	expect(t, "id", "43210");
	expect(t, "+id", "01234");
	expect(t, "s", "13024");
	expect(t, "a", "41230");
	table_free(t);
}
END_TEST

START_TEST(given_directions_and_none_last)
{
	struct table *t = make_five();

	expect(t, "+n", "40213");
	expect(t, "+id", "01234");
	expect(t, "-n", "10243");
	expect(t, "+id", "01234");
	expect(t, "-s", "20134");
	table_free(t);
}
END_TEST

START_TEST(further_keys_break_ties_and_sorting_is_stable)
{
	struct table *t = make_five();

	expect(t, "n,-s", "12043");
	ck_assert_str_eq(t->sorted_by, "n, -s");
	expect(t, "unknown,n,+s", "10243");
	ck_assert_str_eq(t->sorted_by, "n, s");
	expect(t, "+id", "01234");
	ck_assert_str_eq(t->sorted_by, "+id");
	table_free(t);
}
END_TEST

/* The table names a key by the user's word, not by the column's name. */
START_TEST(keys_are_said_as_asked)
{
	struct table *t = make_five();
	const struct sort_key keys[] = { { "n", SORT_DEFAULT, "number" },
					 { "s", SORT_DESCENDING, NULL } };

	ck_assert_int_eq(table_sort(t, keys, 2), 0);
	ck_assert_str_eq(t->sorted_by, "number, -s");
	table_free(t);
}
END_TEST

START_TEST(unknown_keys_alone_change_nothing)
{
	struct table *t = make_five();

	expect(t, "unknown", "01234");
	ck_assert_ptr_null(t->sorted_by);
	table_free(t);
}
END_TEST

START_TEST(mixed_number_types)
{
	struct table *t = make();

	add(t, cell_int(-5), "x", 0);
	add(t, cell_uint(3), "x", 0);
	add(t, cell_real(-5.5), "x", 0);
	add(t, cell_real(2.5), "x", 0);
	add(t, cell_real(__builtin_nan("")), "x", 0);
	expect(t, "+n", "20314");
	table_free(t);
}
END_TEST

START_TEST(rows_of_their_own_order_stay)
{
	struct table *t = make_five();

	table_set_by(t, NULL);
	expect(t, "n", "01234");
	table_free(t);
}
END_TEST

START_TEST(many_rows)
{
	struct table *t = make();
	uint64_t i, n = 20000, x = 1;

	for (i = 0; i < n; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		add(t, cell_uint(x >> 60), "x", i);
	}
	ck_assert_int_eq(
		table_sort(t, &(struct sort_key){ "n", SORT_ASCENDING, NULL }, 1), 0);
	for (i = 1; i < n; i++) {
		const struct cell *a = t->cells + (i - 1) * 4, *b = a + 4;

		ck_assert(a[0].u < b[0].u || (a[0].u == b[0].u && a[3].u < b[3].u));
	}
	table_free(t);
}
END_TEST

START_TEST(bad_key_lists)
{
	struct sort_keys keys;

	ck_assert_int_eq(sort_keys_parse(&keys, ""), -EINVAL);
	ck_assert_int_eq(sort_keys_parse(&keys, "a,,b"), -EINVAL);
	ck_assert_int_eq(sort_keys_parse(&keys, "a,"), -EINVAL);
	ck_assert_int_eq(sort_keys_parse(&keys, "a,-"), -EINVAL);
	ck_assert_int_eq(sort_keys_parse(&keys, "1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7"),
			 -E2BIG);
	ck_assert_int_eq(sort_keys_parse(&keys, "a, ,b"), -EINVAL);
	ck_assert_int_eq(sort_keys_parse(&keys, " - "), -EINVAL);
	ck_assert_int_eq(sort_keys_parse(&keys, " a , -b c,+d "), 0);
	ck_assert_uint_eq(keys.nr, 3);
	ck_assert_str_eq(keys.keys[0].name, "a");
	ck_assert_str_eq(keys.keys[1].name, "b c");
	ck_assert_int_eq(keys.keys[1].direction, SORT_DESCENDING);
	ck_assert_str_eq(keys.keys[2].name, "d");
	sort_keys_free(&keys);
	ck_assert_int_eq(sort_keys_parse(&keys, "+a,-b,c"), 0);
	ck_assert_uint_eq(keys.nr, 3);
	ck_assert_str_eq(keys.keys[0].name, "a");
	ck_assert_int_eq(keys.keys[0].direction, SORT_ASCENDING);
	ck_assert_int_eq(keys.keys[1].direction, SORT_DESCENDING);
	ck_assert_int_eq(keys.keys[2].direction, SORT_DEFAULT);
	sort_keys_free(&keys);
}
END_TEST

Suite *test_sort_suite(void)
{
	Suite *s = suite_create("report/sort");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, default_directions);
	tcase_add_test(tc, given_directions_and_none_last);
	tcase_add_test(tc, further_keys_break_ties_and_sorting_is_stable);
	tcase_add_test(tc, keys_are_said_as_asked);
	tcase_add_test(tc, unknown_keys_alone_change_nothing);
	tcase_add_test(tc, mixed_number_types);
	tcase_add_test(tc, rows_of_their_own_order_stay);
	tcase_add_test(tc, many_rows);
	tcase_add_test(tc, bad_key_lists);
	suite_add_tcase(s, tc);
	return s;
}
