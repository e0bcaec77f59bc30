// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the renderers, report/render.h, and values as text, report/text_cell.h.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/json.h"
#include "report/render.h"
#include "report/text_cell.h"

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static int refuse(void *ctx, const char *data, size_t size)
{
	++*(int *)ctx;
	return -ENOSPC;
}

static void expect(render_fn render, const struct report *r, struct render_options opts,
		   const char *want)
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };

	ck_assert_int_eq(render(r, &opts, &out), 0);
	ck_assert_str_eq(strbuf_text(&got), want);
	strbuf_free(&got);
}

static void add(struct table *t, uint64_t bytes, uint64_t hit, const char *callsite)
{
	struct cell *row = table_add_row(t);

	row[0] = cell_text(t, callsite);
	row[1] = cell_uint(bytes);
	row[2] = cell_uint(hit);
	row[3] = cell_real(hit ? 12.5 : 0);
}

static struct table *make_table(void)
{
	struct table *t = table_new("slab", "Slab allocations by callsite");
	const struct column columns[] = {
		{ .name = "callsite", .title = "Callsite", .last = true },
		{ .name = "bytes",
		  .title = "Bytes/Per",
		  .unit = UNIT_BYTES,
		  .per = "hit" },
		{ .name = "hit", .title = "Hit", .unit = UNIT_COUNT },
		{ .name = "frag", .title = "Frag", .unit = UNIT_PERCENT },
	};
	size_t i;

	table_set_by(t, "callsite");
	for (i = 0; i < 4; i++)
		table_add_column(t, &columns[i]);
	add(t, 2097152, 1, "vma_alloc_folio");
	add(t, 147456, 9, "allocate_slab");
	add(t, 100, 0, "a_function_with_a_rather_long_name");
	return t;
}

static struct report *make_report(void)
{
	struct report *r = report_new();
	struct table *t = make_table();

	table_add_summary(t, "total", "Total bytes", UNIT_BYTES, cell_uint(2244708),
			  false);
	table_add_summary(t, "net", "Net", UNIT_BYTES, cell_int(-5), true);
	table_add_note(t, "K: GFP_KERNEL");
	report_add_banner(r, false, "kmemx.dat: Linux 6.18");
	report_add_banner(r, true, "LOST 5 events");
	report_add_text_fact(r, "kernel", "6.18");
	report_add_fact(r, "duration_ns", (struct cell){ .type = CELL_NONE });
	report_add_table(r, t);
	return r;
}

START_TEST(text)
{
	struct report *r = make_report();
	const struct sort_key key = { "bytes", SORT_DEFAULT, NULL };

	ck_assert_int_eq(table_sort(r->tables[0], &key, 1), 0);
	expect(render_text, r, (struct render_options){ 0 },
	       "# kmemx.dat: Linux 6.18\n"
	       "# LOST 5 events\n"
	       "#\n"
	       "# Slab allocations by callsite, sorted by bytes\n"
	       "#\n"
	       "#       Bytes/Per  Hit     Frag  Callsite\n"
	       "  2097152/2097152    1  12.500%  vma_alloc_folio\n"
	       "   147456/16384      9  12.500%  allocate_slab\n"
	       "      100/-          0   0.000%  a_function_with_a_rather_long_name\n"
	       "# K: GFP_KERNEL\n"
	       "\n"
	       "SUMMARY\n"
	       "=======\n"
	       "Total bytes : 2244708\n"
	       "Net         :      -5 *\n"
	       "# * a bound only: events were lost\n");
	report_free(r);
}
END_TEST

START_TEST(what_stands_below_a_row)
{
	const struct column bytes = { .name = "bytes",
				      .title = "Bytes",
				      .unit = UNIT_BYTES };
	const struct column net = { .name = "net", .title = "Net", .hidden = true };
	const struct column site = { .name = "callsite",
				     .title = "Callsite",
				     .last = true };
	const struct column stack = { .name = "stack", .title = "Stack", .below = true };
	struct report *r = report_new();
	struct table *t = table_new("slab", "Slab");
	struct cell *row;

	table_add_column(t, &bytes);
	table_add_column(t, &net);
	table_add_column(t, &site);
	table_add_column(t, &stack);
	row = table_add_row(t);
	row[0] = cell_uint(64);
	row[2] = cell_text(t, "a");
	row[3] = cell_text(t, "a;b \033;c");
	row = table_add_row(t);
	row[0] = cell_uint(8);
	row[2] = cell_text(t, "d");
	row[3] = cell_text(t, "d");
	table_add_note(t, "!listen");
	report_add_table(r, t);
	ck_assert(!table_has_value(t, "net"));
	ck_assert(table_has_value(t, "stack"));
	ck_assert(!table_has_value(t, "none"));
	expect(render_text, r, (struct render_options){ 0 },
	       "# Slab\n#\n"
	       "# Bytes  Callsite\n"
	       "     64  a\n"
	       "#     <- b \\x1b\n"
	       "#     <- c\n"
	       "      8  d\n"
	       "# listen\n");
	row[1] = cell_uint(3);
	table_show_column(t, "net");
	table_show_column(t, "none");
	ck_assert(table_has_value(t, "net"));
	expect(render_csv, r, (struct render_options){ 0 },
	       "bytes,net,callsite,stack\n64,,a,a;b \\x1b;c\n8,3,d,d\n");
	t->nr_rows = 1;
	expect(render_text, r, (struct render_options){ .color = true },
	       "# Slab\n#\n"
	       "# Bytes  Net  Callsite\n"
	       "     64    -  a\n"
	       "\033[2m#     <- b \\x1b\033[0m\n"
	       "\033[2m#     <- c\033[0m\n"
	       "\033[31m# listen\033[0m\n");
	report_free(r);
}
END_TEST

START_TEST(what_is_told_below_a_row)
{
	const struct column bytes = { .name = "bytes",
				      .title = "Bytes",
				      .unit = UNIT_BYTES };
	const struct column why = { .name = "why", .title = "Why", .remark = true };
	const struct column more = { .name = "more", .title = "More", .remark = true };
	struct report *r = report_new();
	struct table *t = table_new("advice", "Advice");
	struct cell *row;

	table_add_column(t, &bytes);
	table_add_column(t, &why);
	table_add_column(t, &more);
	row = table_add_row(t);
	row[0] = cell_uint(64);
	row[1] = cell_text(t, "a; b \033");
	row[2] = cell_text(t, "");
	row = table_add_row(t);
	row[0] = cell_uint(8);
	row[2] = cell_text(t, "c");
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ .width = 80 },
	       "# Advice\n#\n"
	       "# Bytes\n"
	       "     64\n"
	       "#   Why: a; b \\x1b\n"
	       "      8\n"
	       "#   More: c\n");
	expect(render_csv, r, (struct render_options){ 0 },
	       "bytes,why,more\n64,a; b \\x1b,\n8,,c\n");
	report_free(r);
}
END_TEST

START_TEST(text_cut_human_and_coloured)
{
	struct report *r = make_report();

	table_limit(r->tables[0], 1);
	expect(render_text, r, (struct render_options){ .human = true, .color = true },
	       "# kmemx.dat: Linux 6.18\n"
	       "\033[31m# LOST 5 events\033[0m\n"
	       "#\n"
	       "# Slab allocations by callsite (1 of 3 rows, 93.4 % of bytes)\n"
	       "#\n"
	       "#     Bytes/Per  Hit     Frag  Callsite\n"
	       "  2.0MiB/2.0MiB    1  12.500%  vma_alloc_folio\n"
	       "\033[2m# K: GFP_KERNEL\033[0m\n"
	       "\n"
	       "SUMMARY\n"
	       "=======\n"
	       "Total bytes : 2.1 MiB\n"
	       "Net         :    -5 B *\n"
	       "\033[31m# * a bound only: events were lost\033[0m\n");
	report_free(r);
}
END_TEST

/* Shows the eight highest-ranking lines with a number, below the lines they belong to. */
START_TEST(a_short_summary)
{
	static const struct summary_line lines[] = {
		{ "a", "Asked for", UNIT_COUNT, 10, SUMMARY_USUAL },
		{ "b", "Allocated", UNIT_COUNT, 11, SUMMARY_TOTAL },
		{ "c", "  in vain", UNIT_COUNT, 12 },
		{ "d", "Freed", UNIT_COUNT, 0, SUMMARY_TOTAL },
		{ "e", "Frees", UNIT_COUNT, 13 },
		{ "f", "  matched", UNIT_COUNT, 14 },
		{ "g", "    late", UNIT_COUNT, 15, SUMMARY_DOUBT },
		{ "h", "  unmatched", UNIT_COUNT, 16, SUMMARY_DOUBT },
		{ "i", "Failed", UNIT_COUNT, 17, SUMMARY_FAILED },
		{ "j", "Left out", UNIT_COUNT, 18, SUMMARY_DOUBT },
		{ "k", "Other", UNIT_COUNT, 19 },
	};
	struct report *r = report_new();
	struct table *t = table_new("x", "x");

	table_add_summary_lines(t, lines, 11, false);
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ 0 },
	       "# x\n#\n# (no rows)\n\nSUMMARY\n=======\n"
	       "Asked for   : 10\n"
	       "Allocated   : 11\n"
	       "Frees       : 13\n"
	       "  matched   : 14\n"
	       "    late    : 15\n"
	       "  unmatched : 16\n"
	       "Failed      : 17\n"
	       "Left out    : 18\n"
	       "# 3 more lines: --summary\n");
	expect(render_text, r, (struct render_options){ .summary = SUMMARY_ALL },
	       "# x\n#\n# (no rows)\n\nSUMMARY\n=======\n"
	       "Asked for   : 10\n"
	       "Allocated   : 11\n"
	       "  in vain   : 12\n"
	       "Freed       :  0\n"
	       "Frees       : 13\n"
	       "  matched   : 14\n"
	       "    late    : 15\n"
	       "  unmatched : 16\n"
	       "Failed      : 17\n"
	       "Left out    : 18\n"
	       "Other       : 19\n");
	expect(render_text, r, (struct render_options){ .summary = SUMMARY_NONE },
	       "# x\n#\n# (no rows)\n");
	report_free(r);
}
END_TEST

START_TEST(text_narrow)
{
	struct report *r = report_new();
	struct table *t = make_table();

	table_add_note(t, "these are some words that do not fit into one line of 50");
	table_add_summary(t, "x", "A title that is much too long for a narrow terminal",
			  UNIT_COUNT, cell_uint(7), true);
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ .width = 50 },
	       "# Slab allocations by callsite\n"
	       "#\n"
	       "#       Bytes/Per  Hit     Frag  Callsite\n"
	       "  2097152/2097152    1  12.500%  vma_alloc_folio\n"
	       "   147456/16384      9  12.500%  allocate_slab\n"
	       "      100/-          0   0.000%\n"
	       "      a_function_with_a_rather_long_name\n"
	       "# these are some words that do not fit into one\n"
	       "#   line of 50\n"
	       "\n"
	       "SUMMARY\n"
	       "=======\n"
	       "A title that is much too long for a narrow\n"
	       "  terminal                                   : 7 *\n"
	       "# * a bound only: events were lost\n");
	report_free(r);
}
END_TEST

START_TEST(text_is_safe_on_a_terminal)
{
	struct report *r = report_new();
	struct table *t = table_new("x", "t");

	table_add_column(t, &(struct column){ .name = "n", .last = true });
	table_add_row(t)[0] = cell_text(t, "a\033[31mb\nc\x7f\xc2\x9b"
					   "d\xc3\xa9");
	report_add_banner(r, false, "file\033]0;x\a.dat");
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ 0 },
	       "# file\\x1b]0;x\\x07.dat\n"
	       "#\n"
	       "# t\n"
	       "#\n"
	       "# n\n"
	       "  a\\x1b[31mb\\x0ac\\x7f\\xc2\\x9bd\xc3\xa9\n");
	report_free(r);
}
END_TEST

static struct report *with_properties(void)
{
	struct report *r = report_new();

	report_add_property(r, "file", false, "%s", "a.dat");
	report_add_property(r, "buffers", false, "'%s', %d CPUs with data", "x\033[31m",
			    2);
	report_add_property(r, "", false, "%s", "(top), 1 CPU with data, sub-buffers");
	report_add_property(r, "lost", true, "7 events in 2 gaps");
	ck_assert(report_ok(r));
	return r;
}

START_TEST(text_of_properties)
{
	struct report *r = with_properties();
	struct table *t = table_new("x", NULL);

	expect(render_text, r, (struct render_options){ 0 },
	       "file         a.dat\n"
	       "buffers      'x\\x1b[31m', 2 CPUs with data\n"
	       "             (top), 1 CPU with data, sub-buffers\n"
	       "lost         7 events in 2 gaps\n");
	/* A long name widens its column; a blank line separates a table. */
	report_add_property(r, "a name of 20 letters", false, "v");
	report_add_banner(r, false, "banner");
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ 0 },
	       "# banner\n"
	       "#\n"
	       "file                 a.dat\n"
	       "buffers              'x\\x1b[31m', 2 CPUs with data\n"
	       "                     (top), 1 CPU with data, sub-buffers\n"
	       "lost                 7 events in 2 gaps\n"
	       "a name of 20 letters v\n"
	       "\n"
	       "# x\n#\n# (no rows)\n");
	expect(render_csv, r, (struct render_options){ 0 }, "\n");
	report_free(r);
}
END_TEST

START_TEST(properties_on_a_terminal)
{
	struct report *r = with_properties();

	expect(render_text, r, (struct render_options){ .width = 40, .color = true },
	       "file         a.dat\n"
	       "buffers      'x\\x1b[31m', 2 CPUs with\n"
	       "             data\n"
	       "             (top), 1 CPU with data,\n"
	       "             sub-buffers\n"
	       "lost         \033[31m7 events in 2 gaps\033[0m\n");
	/* Words are not split, however narrow the terminal is. */
	expect(render_text, r, (struct render_options){ .width = 1 },
	       "file         a.dat\n"
	       "buffers      'x\\x1b[31m', 2\n"
	       "             CPUs with data\n"
	       "             (top), 1 CPU\n"
	       "             with data,\n"
	       "             sub-buffers\n"
	       "lost         7 events in 2\n"
	       "             gaps\n");
	report_free(r);
}
END_TEST

static struct report *make_few_rows(void)
{
	struct report *r = report_new();
	struct table *t = table_new("x", "X");
	uint64_t i;

	table_add_column(t, &(struct column){ .name = "a" });
	table_add_column(t, &(struct column){ .name = "b", .unit = UNIT_TIME });
	table_add_column(t, &(struct column){ .name = "c" });
	table_add_column(t, &(struct column){ .name = "d" });
	for (i = 1; i <= 1000; i *= 10) {
		struct cell *row = table_add_row(t);

		row[0] = cell_uint(i);
		row[1] = cell_uint(i * 1002000003);
		row[2] = cell_text(t, "c");
		row[3] = cell_uint(i + 1);
	}
	report_add_table(r, t);
	return r;
}

START_TEST(few_rows)
{
	struct report *r = make_few_rows();
	struct table *t = r->tables[0];

	t->text_rows = 2;
	/* The columns are only as wide as the shown rows need. */
	expect(render_text, r, (struct render_options){ .human = true },
	       "# X (2 of 4 rows)\n"
	       "#\n"
	       "#  a             b  c   d\n"
	       "   1   1.002000003  c   2\n"
	       "  10  10.020000030  c  11\n");
	t->text_rows = 4;
	expect(render_text, r, (struct render_options){ 0 },
	       "# X\n"
	       "#\n"
	       "#    a               b  c     d\n"
	       "     1     1.002000003  c     2\n"
	       "    10    10.020000030  c    11\n"
	       "   100   100.200000300  c   101\n"
	       "  1000  1002.000003000  c  1001\n");
	report_free(r);
}
END_TEST

/* JSON of one table, "x". */
static const struct json_layout only_x = {
	(const char *const[]){ NULL },
	(const struct json_table[]){ { JSON_ROWS, "x" }, { .name = NULL } },
};

START_TEST(all_rows_for_machines)
{
	struct report *r = make_few_rows();
	struct table *t = r->tables[0];

	t->text_rows = 1;
	expect(render_csv, r, (struct render_options){ 0 },
	       "a,b,c,d\n1,1002000003,c,2\n10,10020000030,c,11\n100,100200000300,c,101\n1000,1002000003000,c,1001\n");
	r->layout = &only_x;
	expect(render_json, r, (struct render_options){ 0 },
	       "{\n"
	       "  \"schema_version\": 2,\n"
	       "  \"x\": [\n"
	       "    {\"a\": 1, \"b\": 1002000003, \"c\": \"c\", \"d\": 2},\n"
	       "    {\"a\": 10, \"b\": 10020000030, \"c\": \"c\", \"d\": 11},\n"
	       "    {\"a\": 100, \"b\": 100200000300, \"c\": \"c\", \"d\": 101},\n"
	       "    {\"a\": 1000, \"b\": 1002000003000, \"c\": \"c\", \"d\": 1001}\n"
	       "  ]\n"
	       "}\n");
	r->layout = NULL;
	t->nr_rows = 0;
	expect(render_json, r, (struct render_options){ 0 },
	       "{\n"
	       "  \"schema_version\": 2,\n"
	       "  \"recording\": {\n"
	       "  },\n"
	       "  \"notes\": [],\n"
	       "  \"reports\": [\n"
	       "    {\n"
	       "      \"name\": \"x\",\n"
	       "      \"by\": null,\n"
	       "      \"rows_total\": 0,\n"
	       "      \"sorted_by\": null,\n"
	       "      \"columns\": [\n"
	       "        {\"name\": \"a\", \"unit\": \"none\"},\n"
	       "        {\"name\": \"b\", \"unit\": \"ns\"},\n"
	       "        {\"name\": \"c\", \"unit\": \"none\"},\n"
	       "        {\"name\": \"d\", \"unit\": \"none\"}\n"
	       "      ],\n"
	       "      \"rows\": [\n"
	       "      ],\n"
	       "      \"summary\": {\n"
	       "      },\n"
	       "      \"bounds\": [],\n"
	       "      \"notes\": []\n"
	       "    }\n"
	       "  ]\n"
	       "}\n");
	report_free(r);
}
END_TEST

START_TEST(text_of_nothing)
{
	struct report *r = report_new();
	struct table *t = table_new("x", NULL);

	expect(render_text, r, (struct render_options){ 0 }, "");
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ 0 }, "# x\n#\n# (no rows)\n");
	report_free(r);
}
END_TEST

START_TEST(hidden_and_limits)
{
	struct report *r = report_new();
	struct table *t = table_new("x", "x");
	struct cell *row;

	table_add_column(t, &(struct column){ .name = "a", .hidden = true });
	table_add_column(t, &(struct column){ .name = "u" });
	table_add_column(t, &(struct column){ .name = "i" });
	table_add_column(t, &(struct column){ .name = "p", .unit = UNIT_ADDRESS });
	row = table_add_row(t);
	row[0] = cell_uint(1);
	row[1] = cell_uint(UINT64_MAX);
	row[2] = cell_int(INT64_MIN);
	row[3] = cell_address(UINT64_MAX);
	table_add_row(t);
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ 0 },
	       "# x\n#\n"
	       "#                    u                     i                   p\n"
	       "  18446744073709551615  -9223372036854775808  0xffffffffffffffff\n"
	       "                     -                     -                   -\n");
	expect(render_csv, r, (struct render_options){ 0 },
	       "a,u,i,p\n"
	       "1,18446744073709551615,-9223372036854775808,0xffffffffffffffff\n"
	       ",,,\n");
	report_free(r);
}
END_TEST

START_TEST(json)
{
	struct report *r = make_report();
	const struct sort_key key = { "bytes", SORT_DEFAULT, NULL };

	ck_assert_int_eq(table_sort(r->tables[0], &key, 1), 0);
	table_limit(r->tables[0], 2);
	expect(render_json, r, (struct render_options){ .width = 20 },
	       "{\n"
	       "  \"schema_version\": 2,\n"
	       "  \"recording\": {\n"
	       "    \"kernel\": \"6.18\",\n"
	       "    \"duration_ns\": null\n"
	       "  },\n"
	       "  \"notes\": [\n"
	       "    \"LOST 5 events\"\n"
	       "  ],\n"
	       "  \"reports\": [\n"
	       "    {\n"
	       "      \"name\": \"slab\",\n"
	       "      \"by\": \"callsite\",\n"
	       "      \"rows_total\": 3,\n"
	       "      \"sorted_by\": \"bytes\",\n"
	       "      \"columns\": [\n"
	       "        {\"name\": \"callsite\", \"unit\": \"none\"},\n"
	       "        {\"name\": \"bytes\", \"unit\": \"bytes\"},\n"
	       "        {\"name\": \"hit\", \"unit\": \"count\"},\n"
	       "        {\"name\": \"frag\", \"unit\": \"percent\"}\n"
	       "      ],\n"
	       "      \"rows\": [\n"
	       "        {\"callsite\": \"vma_alloc_folio\", \"bytes\": 2097152, \"hit\": 1, \"frag\": 12.5},\n"
	       "        {\"callsite\": \"allocate_slab\", \"bytes\": 147456, \"hit\": 9, \"frag\": 12.5}\n"
	       "      ],\n"
	       "      \"summary\": {\n"
	       "        \"total\": 2244708,\n"
	       "        \"net\": -5\n"
	       "      },\n"
	       "      \"bounds\": [\"net\"],\n"
	       "      \"notes\": [\n"
	       "        \"K: GFP_KERNEL\"\n"
	       "      ]\n"
	       "    }\n"
	       "  ]\n"
	       "}\n");
	report_free(r);
}
END_TEST

START_TEST(json_values)
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };
	struct json j = json_begin(&out);
	const struct cell address = cell_address(0xffff000000000010);

	json_open(&j, '[');
	json_string(&j, "a\"b\\c\nd\te\x01\x7f");
	json_string(&j, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	/* stray byte, overlong, surrogate, too large, truncated */
	json_string(&j, "\x80|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82");
	/* C1, writing direction, a tag outside of the first plane */
	json_string(&j, "\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81");
	json_string(&j, NULL);
	json_uint(&j, UINT64_MAX);
	json_int(&j, INT64_MIN);
	json_real(&j, 0.1);
	json_real(&j, 1.0 / 3);
	json_real(&j, 12513280);
	json_real(&j, 9007199254740992.0);
	json_real(&j, 12513280.5);
	json_real(&j, __builtin_inf());
	json_real(&j, __builtin_nan(""));
	json_cell(&j, &address);
	json_close(&j, ']');
	ck_assert_int_eq(json_end(&j), 0);
	ck_assert_str_eq(
		strbuf_text(&got),
		"[\"a\\\"b\\\\c\\nd\\te\\u0001\\u007f\", "
		"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", "
		"\"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\", "
		"\"\\u009b\\u202e\\udb40\\udc01\", "
		"null, 18446744073709551615, -9223372036854775808, 0.1, 0.3333333333333333, "
		"12513280, 9007199254740992, 12513280.5, "
		"null, null, \"0xffff000000000010\"]\n");
	strbuf_free(&got);
}
END_TEST

/* A column of lists is an array in JSON (empty for NULL), and the text itself in CSV. */
START_TEST(lists)
{
	static const char *const texts[] = { "", "A", "A|\"|0x8", NULL };
	struct report *r = report_new();
	struct table *t = table_new("x", NULL);
	size_t i;

	table_add_column(t, &(struct column){ .name = "l", .list = true });
	table_add_column(t, &(struct column){ .name = "t" });
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct cell *row = table_add_row(t);

		row[0] = cell_text(t, texts[i]);
		row[1] = cell_text(t, texts[i]);
	}
	report_add_table(r, t);
	r->layout = &only_x;
	expect(render_json, r, (struct render_options){ 0 },
	       "{\n"
	       "  \"schema_version\": 2,\n"
	       "  \"x\": [\n"
	       "    {\"l\": [], \"t\": \"\"},\n"
	       "    {\"l\": [\"A\"], \"t\": \"A\"},\n"
	       "    {\"l\": [\"A\", \"\\\"\", \"0x8\"], \"t\": \"A|\\\"|0x8\"},\n"
	       "    {\"l\": null, \"t\": null}\n"
	       "  ]\n"
	       "}\n");
	expect(render_csv, r, (struct render_options){ 0 },
	       "l,t\n,\nA,A\n\"A|\"\"|0x8\",\"A|\"\"|0x8\"\n,\n");
	report_free(r);
}
END_TEST

START_TEST(csv)
{
	struct report *r = report_new();
	struct table *t = make_table(), *second = table_new("matrix", NULL);

	add(t, 1, 1, "a \"quoted\", b");
	add(t, 1, 1, "two\nlines");
	add(t, 1, 1, "# no comment");
	add(t, 1, 1, "=1+cmd|' /C calc'!A0");
	add(t, 1, 1, "@SUM(1)");
	add(t, 1, 1, "-2+3");
	add(t, 1, 1, "+a, \"b\"");
	add(t, 1, 1, "-");
	add(t, 1, 1, "-12.5%");
	add(t, 1, 1, "\t=1");
	add(t, 1, 1, "\033[31m");
	table_add_column(second, &(struct column){ .name = "x" });
	table_add_row(second)[0] = cell_real(0.1);
	report_add_table(r, t);
	report_add_table(r, second);
	expect(render_csv, r, (struct render_options){ 0 },
	       "table,callsite,bytes,hit,frag\n"
	       "slab,vma_alloc_folio,2097152,1,12.5\n"
	       "slab,allocate_slab,147456,9,12.5\n"
	       "slab,a_function_with_a_rather_long_name,100,0,0\n"
	       "slab,\"a \"\"quoted\"\", b\",1,1,12.5\n"
	       "slab,two\\x0alines,1,1,12.5\n"
	       "slab,\"# no comment\",1,1,12.5\n"
	       "slab,\"'=1+cmd|' /C calc'!A0\",1,1,12.5\n"
	       "slab,\"'@SUM(1)\",1,1,12.5\n"
	       "slab,\"'-2+3\",1,1,12.5\n"
	       "slab,\"'+a, \"\"b\"\"\",1,1,12.5\n"
	       "slab,-,1,1,12.5\n"
	       "slab,-12.5%,1,1,12.5\n"
	       "slab,\\x09=1,1,1,12.5\n"
	       "slab,\\x1b[31m,1,1,12.5\n"
	       "\n"
	       "table,x\n"
	       "matrix,0.1\n");
	report_free(r);
}
END_TEST

/* Two properties, a table of two columns and one of one. */
static struct report *two_lists(void)
{
	const struct column columns[] = { { .name = "k" }, { .name = "v" } };
	struct report *r = report_new();
	struct table *map = table_new("map", NULL), *list = table_new("list", NULL);
	struct table *line = table_new("line", NULL);
	struct cell *row;

	report_add_fact(r, "b", cell_uint(2));
	report_add_text_fact(r, "a", "x");
	table_add_columns(map, columns, 2);
	row = table_add_row(map);
	row[0] = cell_text(map, "one");
	row[1] = cell_uint(1);
	row = table_add_row(map);
	row[0] = cell_uint(7);
	table_add_columns(list, columns, 1);
	table_add_row(list)[0] = cell_text(list, "t");
	table_add_row(list)[0] = cell_text(list, "u");
	report_add_table(r, map);
	report_add_table(r, list);
	table_add_columns(line, columns, 1);
	table_add_row(line)[0] = cell_text(line, "t");
	table_add_row(line)[0] = cell_text(line, "u");
	report_add_table(r, line);
	return r;
}

/* A report with its own layout is one object, in the order of the layout. */
START_TEST(json_of_one_object)
{
	static const char *const facts[] = { "a", "b", "unknown", NULL };
	const struct json_layout layout = {
		facts,
		(const struct json_table[]){ { JSON_MAP, "map" },
					     { JSON_ROWS, "none" },
					     { JSON_TEXTS, "list" },
					     { JSON_TEXTS_LINE, "line" },
					     { .name = NULL } },
	};
	struct report *r = two_lists();

	r->layout = &layout;
	expect(render_json, r, (struct render_options){ 0 },
	       "{\n"
	       "  \"schema_version\": 2,\n"
	       "  \"a\": \"x\",\n"
	       "  \"b\": 2,\n"
	       "  \"unknown\": null,\n"
	       "  \"map\": {\n"
	       "    \"one\": 1,\n"
	       "    \"7\": null\n"
	       "  },\n"
	       "  \"none\": [\n"
	       "  ],\n"
	       "  \"list\": [\n"
	       "    \"t\",\n"
	       "    \"u\"],\n"
	       "  \"line\": [\"t\", \"u\"]\n"
	       "}\n");
	report_free(r);
}
END_TEST

START_TEST(a_failing_write_ends_the_rendering)
{
	const struct render_options opts = { 0 };
	struct report *r = make_report();
	static const render_fn all[] = { render_json, render_csv, render_text };
	size_t i;

	for (i = 0; i < 20000; i++)
		add(r->tables[0], 1, 1, "some_function");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		int calls = 0;
		const struct render_out out = { refuse, &calls };

		ck_assert_int_eq(all[i](r, &opts, &out), -ENOSPC);
		ck_assert_int_eq(calls, 1);
	}
	report_free(r);
}
END_TEST

START_TEST(units_for_people)
{
	static const struct {
		uint64_t value;
		const char *bytes, *duration;
	} cases[] = {
		{ 0, "0 B", "0 ns" },
		{ 999, "999 B", "999 ns" },
		{ 1023, "1023 B", "1.02 us" },
		{ 1024, "1.0 KiB", "1.02 us" },
		{ 1048575, "1.0 MiB", "1.05 ms" },
		{ 999499, "976.1 KiB", "999 us" },
		{ 999500, "976.1 KiB", "1 ms" },
		{ 999499999, "953.2 MiB", "999 ms" },
		{ 999500000, "953.2 MiB", "1.00 s" },
		{ 999999999, "953.7 MiB", "1.00 s" },
		{ 3210000000, "3.0 GiB", "3.21 s" },
		{ UINT64_MAX, "16.0 EiB", "18446744073.71 s" },
	};
	struct strbuf sb = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf_reset(&sb);
		text_bytes(&sb, cases[i].value, " ");
		ck_assert_str_eq(strbuf_text(&sb), cases[i].bytes);
		strbuf_reset(&sb);
		text_duration(&sb, cases[i].value, " ");
		ck_assert_str_eq(strbuf_text(&sb), cases[i].duration);
	}
	strbuf_free(&sb);
}
END_TEST

START_TEST(shortening)
{
	static const char *const want[] = { "",		 "a",	       "ab",
					    "abc",	 "a..j",       "a..ij",
					    "ab..ij",	 "ab..hij",    "abc..hij",
					    "abc..ghij", "abcdefghij", "abcdefghij" };
	struct strbuf sb = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		strbuf_reset(&sb);
		text_shorten(&sb, "abcdefghij", 10, i);
		ck_assert_str_eq(strbuf_text(&sb), want[i]);
	}
	strbuf_free(&sb);
}
END_TEST

static struct table *make_flags(void)
{
	const struct column flags = { .name = "gfp", .title = "Flags", .drop = 1 };
	const struct column site = { .name = "site", .title = "Site", .last = true };
	const char *const texts[] = { "K|NW", "K|Z", NULL, "NW|0x80", "KAC" };
	struct table *t = table_new("page", "Pages");
	size_t i;

	table_add_column(t, &flags);
	table_add_column(t, &site);
	table_set_by(t, "site");
	t->legend_of = "gfp";
	t->legend_title = "GFP";
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct cell *row = table_add_row(t);

		row[0] = cell_text(t, texts[i]);
		row[1] = cell_text(t, "where");
	}
	table_add_legend(t, "KAC", "GFP_KERNEL_ACCOUNT");
	table_add_legend(t, "K", "GFP_KERNEL");
	table_add_legend(t, "N", "__GFP_NONE");
	table_add_legend(t, "NW", "GFP_NOWAIT");
	table_add_legend(t, "Z", "__GFP_ZERO");
	return t;
}

START_TEST(a_legend_explains_the_words_shown)
{
	static const char *const want[] = {
		"", "GFP: K GFP_KERNEL  NW GFP_NOWAIT",
		"GFP: K GFP_KERNEL  NW GFP_NOWAIT  Z __GFP_ZERO"
	};
	struct table *t = make_flags();
	struct report *r = report_new();
	struct strbuf sb = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		strbuf_reset(&sb);
		ck_assert_int_eq(table_legend(t, i, &sb), i > 0);
		ck_assert_str_eq(strbuf_text(&sb), want[i]);
	}
	strbuf_free(&sb);
	table_limit_text(t, 1);
	table_add_note(t, "a note");
	report_add_table(r, t);
	expect(render_text, r, (struct render_options){ 0 },
	       "# Pages (1 of 5 rows)\n#\n# Flags  Site\n  K|NW   where\n"
	       "# GFP: K GFP_KERNEL  NW GFP_NOWAIT\n# a note\n");
	expect(render_text, r, (struct render_options){ .width = 10 },
	       "# Pages (1 of 5 rows)\n#\n# Site\n  where\n"
	       "# 1 column hidden at 10 columns: Flags (--wide)\n# a note\n");
	report_free(r);
}
END_TEST

START_TEST(json_has_the_legend_of_all_rows)
{
	struct report *r = report_new();
	struct table *t = make_flags();
	struct strbuf got = { 0 };
	const struct render_options opts = { 0 };
	const struct render_out out = { collect, &got };

	table_limit_text(t, 1);
	report_add_table(r, t);
	ck_assert_int_eq(render_json(r, &opts, &out), 0);
	ck_assert_ptr_nonnull(strstr(
		strbuf_text(&got),
		"\"GFP: KAC GFP_KERNEL_ACCOUNT  K GFP_KERNEL  NW GFP_NOWAIT  Z __GFP_ZERO\"\n"));
	strbuf_free(&got);
	report_free(r);
}
END_TEST

Suite *test_render_suite(void)
{
	Suite *s = suite_create("report/render");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, text);
	tcase_add_test(tc, what_stands_below_a_row);
	tcase_add_test(tc, what_is_told_below_a_row);
	tcase_add_test(tc, text_cut_human_and_coloured);
	tcase_add_test(tc, a_short_summary);
	tcase_add_test(tc, text_narrow);
	tcase_add_test(tc, text_is_safe_on_a_terminal);
	tcase_add_test(tc, text_of_properties);
	tcase_add_test(tc, properties_on_a_terminal);
	tcase_add_test(tc, few_rows);
	tcase_add_test(tc, all_rows_for_machines);
	tcase_add_test(tc, text_of_nothing);
	tcase_add_test(tc, hidden_and_limits);
	tcase_add_test(tc, json);
	tcase_add_test(tc, json_values);
	tcase_add_test(tc, lists);
	tcase_add_test(tc, csv);
	tcase_add_test(tc, json_of_one_object);
	tcase_add_test(tc, a_failing_write_ends_the_rendering);
	tcase_add_test(tc, a_legend_explains_the_words_shown);
	tcase_add_test(tc, json_has_the_legend_of_all_rows);
	tcase_add_test(tc, units_for_people);
	tcase_add_test(tc, shortening);
	suite_add_tcase(s, tc);
	return s;
}
