// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the columns that a narrow line keeps, report/text_layout.h.
 */
#include <check.h>
#include <string.h>

#include "render_widths.h"
#include "report/text_layout.h"

static const struct column columns[] = {
	{ .name = "bytes", .title = "Total/Per", .unit = UNIT_BYTES, .per = "hit" },
	{ .name = "hit", .title = "Hit", .unit = UNIT_COUNT, .drop = 10 },
	{ .name = "least", .title = "Least", .unit = UNIT_BYTES, .drop = 30 },
	{ .name = "most", .title = "Most", .unit = UNIT_BYTES, .drop = 30 },
	{ .name = "flags", .title = "A rather wide title", .drop = 90 },
	{ .name = "callsite", .title = "Callsite", .last = true },
};

static void add(struct table *t, const char *callsite)
{
	struct cell *row = table_add_row(t);

	row[0] = cell_uint(1000000);
	row[1] = cell_uint(10);
	row[2] = cell_uint(5);
	row[3] = cell_uint(77777);
	row[4] = cell_text(t, "K|C");
	row[5] = cell_text(t, callsite);
}

static struct report *make(const char *callsite)
{
	struct report *r = report_new();
	struct table *t = table_new("slab", "Slab");

	table_set_by(t, "callsite");
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	add(t, callsite);
	report_add_table(r, t);
	return r;
}

static void expect(const struct report *r, unsigned int width, const char *wanted)
{
	struct strbuf sb = { 0 };

	widths_render(r, (struct render_options){ .width = width }, &sb);
	ck_assert_str_eq(strbuf_text(&sb), wanted);
	strbuf_free(&sb);
}

#define HIDDEN_AT_30                      \
	"# 5 columns hidden at 30\n"      \
	"#   columns: Per, Hit, Least,\n" \
	"#   Most, A rather wide title\n" \
	"#   (--wide)\n"

START_TEST(columns_leave_in_their_order)
{
	struct report *r = make("do_anonymous_page");

	expect(r, 75,
	       "# Slab\n#\n"
	       "#      Total/Per  Hit  Least   Most  A rather wide title  Callsite\n"
	       "  1000000/100000   10      5  77777  K|C                  "
	       "do_anonymous_page\n");
	/* Quotients are omitted first. */
	expect(r, 74,
	       "# Slab\n#\n"
	       "#   Total  Hit  Least   Most  A rather wide title  Callsite\n"
	       "  1000000   10      5  77777  K|C                  do_anonymous_page\n"
	       "# 1 column hidden at 74 columns: Per (--wide)\n");
	/* Then the widest number is; now the quotients fit again. */
	expect(r, 67,
	       "# Slab\n#\n"
	       "#      Total/Per  Hit  Least   Most  Callsite\n"
	       "  1000000/100000   10      5  77777  do_anonymous_page\n"
	       "# 1 column hidden at 67 columns: A rather wide title (--wide)\n");
	/* Both ends of a range are omitted together. */
	expect(r, 46,
	       "# Slab\n#\n"
	       "#      Total/Per  Hit  Callsite\n"
	       "  1000000/100000   10  do_anonymous_page\n"
	       "# 3 columns hidden at 46 columns: Least, Most,\n"
	       "#   A rather wide title (--wide)\n");
	expect(r, 30,
	       "# Slab\n#\n"
	       "#   Total  Callsite\n"
	       "  1000000  do_anonymous_page\n" HIDDEN_AT_30);
	report_free(r);
}
END_TEST

START_TEST(what_orders_the_rows_stays)
{
	struct report *r = make("do_anonymous_page");
	const struct sort_key keys[] = { { "flags", SORT_DESCENDING, NULL },
					 { "hit", SORT_DEFAULT, NULL } };

	ck_assert_int_eq(table_sort(r->tables[0], keys, 2), 0);
	expect(r, 42,
	       "# Slab, sorted by -flags, hit\n#\n"
	       "#   Total  A rather wide title  Callsite\n"
	       "  1000000  K|C\n"
	       "      do_anonymous_page\n"
	       "# 4 columns hidden at 42 columns: Per,\n"
	       "#   Hit, Least, Most (--wide)\n");
	/* A line of its own for the name does not make enough room for the total. */
	expect(r, 37,
	       "# Slab, sorted by -flags, hit\n#\n"
	       "# Hit  A rather wide title  Callsite\n"
	       "   10  K|C\n"
	       "      do_anonymous_page\n"
	       "# 3 columns hidden at 37 columns:\n"
	       "#   Total, Least, Most (--wide)\n");
	report_free(r);
}
END_TEST

/* Figures are omitted before a column that alone tells two rows apart, if that makes enough room.
 */
START_TEST(what_tells_rows_apart_stays)
{
	struct report *r = make("do_anonymous_page");
	struct table *t = r->tables[0];

	add(t, "do_anonymous_page");
	t->cells[t->nr_columns + 4] = cell_text(t, "K");
	expect(r, 67,
	       "# Slab\n#\n"
	       "#      Total/Per  Hit  A rather wide title  Callsite\n"
	       "  1000000/100000   10  K|C                  do_anonymous_page\n"
	       "  1000000/100000   10  K                    do_anonymous_page\n"
	       "# 2 columns hidden at 67 columns: Least, Most (--wide)\n");
	expect(r, 30,
	       "# Slab\n#\n"
	       "#   Total  Callsite\n"
	       "  1000000  do_anonymous_page\n"
	       "  1000000  do_anonymous_page\n" HIDDEN_AT_30);
	report_free(r);
}
END_TEST

/* A name that does not fit gets a line of its own and takes no space from columns. */
START_TEST(names_that_are_too_long)
{
	struct report *r = make("do_anonymous_page");

	add(r->tables[0], "a_name_that_is_longer_than_the_line_has_room_for+0x14f");
	expect(r, 48,
	       "# Slab\n#\n"
	       "#   Total  Hit  Least   Most  Callsite\n"
	       "  1000000   10      5  77777  do_anonymous_page\n"
	       "  1000000   10      5  77777\n"
	       "      a_name_that_is_longe..e_has_room_for+0x14f\n"
	       "# 2 columns hidden at 48 columns: Per, A rather\n"
	       "#   wide title (--wide)\n");
	expect(r, 60,
	       "# Slab\n#\n"
	       "#      Total/Per  Hit  Least   Most  Callsite\n"
	       "  1000000/100000   10      5  77777  do_anonymous_page\n"
	       "  1000000/100000   10      5  77777\n"
	       "      a_name_that_is_longer_than_the_line_has_room_for+0x14f\n"
	       "# 1 column hidden at 60 columns: A rather wide title\n"
	       "#   (--wide)\n");
	report_free(r);
}
END_TEST

/* A mark follows its number, in a column of one character if any row has a mark. It stays when the
 * quotients of other columns are omitted.
 */
START_TEST(marks_behind_numbers)
{
	const struct column marked[] = {
		{ .name = "bytes", .title = "Total/Per", .per = "old" },
		{ .name = "old", .title = "Old", .drop = 10 },
		{ .name = "chg", .title = "Chg", .mark = "sure", .change = true },
		{ .name = "sure", .hidden = true },
		{ .name = "callsite", .title = "Callsite", .last = true },
	};
	static const char *const marks[] = { "", "~", NULL };
	struct report *r = report_new();
	struct table *t = table_new("slab", "Slab");
	size_t i;

	table_set_by(t, "callsite");
	table_add_columns(t, marked, ARRAY_SIZE(marked));
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		struct cell *row = table_add_row(t);

		row[0] = cell_uint(1000000);
		row[1] = cell_uint(10);
		row[2] = cell_int(i ? -5 : 12345);
		row[3] = cell_text(t, marks[i]);
		row[4] = cell_text(t, "do_anonymous_page");
	}
	report_add_table(r, t);
	expect(r, 80,
	       "# Slab\n#\n"
	       "#      Total/Per  Old      Chg  Callsite\n"
	       "  1000000/100000   10  +12345   do_anonymous_page\n"
	       "  1000000/100000   10      -5~  do_anonymous_page\n"
	       "  1000000/100000   10      -5   do_anonymous_page\n");
	expect(r, 42,
	       "# Slab\n#\n"
	       "#   Total  Old      Chg  Callsite\n"
	       "  1000000   10  +12345   do_anonymous_page\n"
	       "  1000000   10      -5~  do_anonymous_page\n"
	       "  1000000   10      -5   do_anonymous_page\n"
	       "# 1 column hidden at 42 columns: Per\n"
	       "#   (--wide)\n");
	report_free(r);
}
END_TEST

START_TEST(wide_hides_nothing)
{
	struct report *r = make("do_anonymous_page");
	struct strbuf sb = { 0 };

	table_add_note(r->tables[0], "words that are wrapped all the same");
	widths_render(r, (struct render_options){ .width = 30, .wide = true }, &sb);
	ck_assert_str_eq(
		strbuf_text(&sb),
		"# Slab\n#\n"
		"#      Total/Per  Hit  Least   Most  A rather wide title  Callsite\n"
		"  1000000/100000   10      5  77777  K|C                  do_anonymous_page\n"
		"# words that are wrapped all\n"
		"#   the same\n");
	strbuf_free(&sb);
	report_free(r);
}
END_TEST

START_TEST(words_are_wrapped)
{
	const struct column two[] = {
		{ .name = "cache", .title = "Cache" },
		{ .name = "why", .title = "Why", .last = true, .words = true },
	};
	struct report *r = report_new();
	struct table *t = table_new("ledger", "L");
	struct cell *row;

	table_set_by(t, "cache");
	table_add_columns(t, two, ARRAY_SIZE(two));
	row = table_add_row(t);
	row[0] = cell_text(t, "kmalloc-64");
	row[1] = cell_text(t, "no event: in bulk, or the recorder's own");
	report_add_table(r, t);
	expect(r, 40,
	       "# L\n#\n"
	       "# Cache       Why\n"
	       "  kmalloc-64  no event: in bulk, or the\n"
	       "              recorder's own\n");
	report_free(r);
}
END_TEST

/* At any width, only long names and numbers exceed the terminal. */
START_TEST(every_width)
{
	struct report *r = make("a_function_with_a_rather_long_name");
	struct strbuf sb = { 0 };
	unsigned int width;
	const char *line, *end;

	for (width = 1; width < 120; width++) {
		widths_render(r, (struct render_options){ .width = width }, &sb);
		for (line = strbuf_text(&sb); width >= 30 && *line; line = end + 1) {
			end = strchr(line, '\n');
			ck_assert_int_le(end - line, width);
		}
		if (width >= 42)
			ck_assert_ptr_nonnull(strstr(
				strbuf_text(&sb), "a_function_with_a_rather_long_name"));
	}
	strbuf_free(&sb);
	report_free(r);
}
END_TEST

Suite *test_text_layout_suite(void)
{
	Suite *s = suite_create("report/text_layout");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, columns_leave_in_their_order);
	tcase_add_test(tc, what_orders_the_rows_stays);
	tcase_add_test(tc, what_tells_rows_apart_stays);
	tcase_add_test(tc, names_that_are_too_long);
	tcase_add_test(tc, marks_behind_numbers);
	tcase_add_test(tc, wide_hides_nothing);
	tcase_add_test(tc, words_are_wrapped);
	tcase_add_test(tc, every_width);
	suite_add_tcase(s, tc);
	return s;
}
