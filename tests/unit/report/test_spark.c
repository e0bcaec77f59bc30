// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: report/spark.h, and columns of histograms in every format.
 */
#include <check.h>
#include <string.h>

#include "report/render.h"
#include "report/spark.h"

START_TEST(marks)
{
	static const struct {
		const char *fit[2], *levels, *axis;
	} cases[] = {
		{ { "0|0|5|1", NULL }, "82", "4 to 16, a mark for every power of 2" },
		{ { "3", "0|0|0|3" }, "8000", "0 to 16, a mark for every power of 2" },
		{ { "0|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|100", NULL },
		  "100000008",
		  "2 to 524288, a mark for every power of 4" },
		{ { "7", NULL }, "8", "0 to 2, a mark for every power of 2" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf levels = { 0 }, axis = { 0 };
		struct spark s = { 0 };

		spark_fit(&s, cases[i].fit[0]);
		if (cases[i].fit[1])
			spark_fit(&s, cases[i].fit[1]);
		ck_assert(s.any);
		spark_levels(&s, cases[i].fit[0], &levels);
		spark_axis(&s, UNIT_COUNT, &axis);
		ck_assert_str_eq(strbuf_text(&levels), cases[i].levels);
		ck_assert_str_eq(strbuf_text(&axis), cases[i].axis);
		strbuf_free(&levels);
		strbuf_free(&axis);
	}
}
END_TEST

/* However far apart the values are, there are few marks, and each count is in exactly one. */
static void check_marks(int first, int last)
{
	char counts[64 * 2];
	struct strbuf levels = { 0 };
	struct spark s = { 0 };
	int i;

	for (i = 0; i < 64; i++) {
		counts[2 * i] = i == first || i == last ? '1' : '0';
		counts[2 * i + 1] = i < 63 ? '|' : '\0';
	}
	spark_fit(&s, counts);
	spark_levels(&s, counts, &levels);
	ck_assert_uint_le(levels.size, SPARK_MARKS);
	ck_assert_int_eq(strbuf_text(&levels)[0], '8');
	ck_assert_int_eq(strbuf_text(&levels)[levels.size - 1], '8');
	ck_assert_uint_eq(strspn(strbuf_text(&levels), "08"), levels.size);
	strbuf_free(&levels);
}

START_TEST(few_marks)
{
	int first, last;

	for (first = 0; first < 64; first++) {
		for (last = first; last < 64; last++)
			check_marks(first, last);
	}
}
END_TEST

START_TEST(series)
{
	static const struct {
		const char *numbers, *levels;
	} cases[] = {
		{ "0|1|2|4|8|8|0", "0124880" },
		{ "5", "8" },
		{ "0|0", "00" },
		{ "", "" },
		{ "18446744073709551615|1", "81" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf levels = { 0 };

		spark_series(cases[i].numbers, &levels);
		ck_assert_str_eq(strbuf_text(&levels), cases[i].levels);
		strbuf_free(&levels);
	}
}
END_TEST

START_TEST(no_count)
{
	struct strbuf levels = { 0 };
	struct spark s = { 0 };

	spark_fit(&s, "");
	spark_fit(&s, "0|0");
	ck_assert(!s.any);
	spark_levels(&s, "0", &levels);
	ck_assert_uint_eq(levels.size, 0);
	strbuf_free(&levels);
}
END_TEST

static int append(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static void expect(render_fn render, const struct report *r,
		   const struct render_options *opts, const char *text)
{
	struct strbuf sb = { 0 };

	ck_assert_int_eq(render(r, opts, &(struct render_out){ append, &sb }), 0);
	ck_assert_msg(strstr(strbuf_text(&sb), text), "%s", strbuf_text(&sb));
	strbuf_free(&sb);
}

START_TEST(in_every_format)
{
	static const struct column columns[] = {
		{ .name = "h", .title = "Times", .unit = UNIT_NS, .histogram = true },
		{ .name = "s", .title = "Series", .unit = UNIT_BYTES, .series = true },
		{ .name = "name", .title = "Name", .last = true },
	};
	struct report *r = report_new();
	struct table *t = table_new("t", "T");
	struct render_options opts = { 0 };
	struct cell *row;

	table_add_columns(t, columns, 3);
	row = table_add_row(t);
	row[0] = cell_text(t, "0|0|0|0|0|0|0|0|1|8|2");
	row[1] = cell_text(t, "1|2|0");
	row[2] = cell_text(t, "one");
	row = table_add_row(t);
	row[0] = cell_text(t, "0|0|0|0|0|0|0|0|0|0|0|4");
	row[2] = cell_text(t, "two");
	report_add_table(r, t);
	ck_assert(report_ok(r));
	expect(render_text, r, &opts,
	       "# Times  Series  Name\n   .@:      =@   one\n      @          two\n"
	       "# Times: 256 ns to 4.1 us, a mark for every power of 2\n");
	opts.utf8 = true;
	expect(render_text, r, &opts,
	       "# Times  Series  Name\n   \xe2\x96\x81\xe2\x96\x88\xe2\x96\x82      "
	       "\xe2\x96\x84\xe2\x96\x88   one\n      \xe2\x96\x88          two\n");
	expect(render_json, r, &opts,
	       "{\"h\": [0, 0, 0, 0, 0, 0, 0, 0, 1, 8, 2], \"s\": [1, 2, 0], "
	       "\"name\": \"one\"}");
	expect(render_json, r, &opts, "\"s\": null, \"name\": \"two\"}");
	expect(render_csv, r, &opts, "h,s,name\n0|0|0|0|0|0|0|0|1|8|2,1|2|0,one\n");
	report_free(r);
}
END_TEST

Suite *test_spark_suite(void);

Suite *test_spark_suite(void)
{
	Suite *s = suite_create("report/spark");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, marks);
	tcase_add_test(tc, few_marks);
	tcase_add_test(tc, series);
	tcase_add_test(tc, no_count);
	tcase_add_test(tc, in_every_format);
	suite_add_tcase(s, tc);
	return s;
}
