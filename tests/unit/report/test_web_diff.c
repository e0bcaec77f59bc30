// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: report/web/web_diff.h: the rows of a page that compares two sides, and the page itself.
 */
#include "report/web/web_diff.h"

#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char evil[] = "</script><img src=x onerror=alert(1)>";

static const struct diff_metric metrics[] = {
	{ .name = "bytes", .title = "Bytes", .unit = UNIT_BYTES },
};

static const struct diff_options options = {
	.metrics = metrics, .nr_metrics = 1, .nr_shown = 1, .alpha = 0.05, .all = true
};

/* The columns of diff_tables() for several runs that a page reads. */
static struct table *table(const char *by)
{
	static const char *const names[] = { "bytes_old", "bytes_new",
					     "bytes_uncertainty", "bytes_q",
					     "bytes_mark" };
	struct table *t = table_new("page_stack", "Pages");
	size_t i;

	table_set_by(t, by);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		table_add_column(t, &(struct column){ .name = names[i] });
	table_add_column(t, &(struct column){ .name = by, .last = true });
	return t;
}

static void add(struct table *t, const char *name, uint64_t old, uint64_t new,
		const char *mark)
{
	struct cell *c = table_add_row(t);

	c[0] = cell_uint(old);
	c[1] = cell_uint(new);
	c[2] = cell_uint(1);
	c[3] = cell_real(0.25);
	c[4] = cell_text(t, mark);
	c[5] = cell_text(t, name);
}

static const struct web_diff_value *find(const struct web_diff_rows *r,
					 struct web_report *names, const char *chain)
{
	uint32_t node = web_report_chain(names, chain);
	size_t i;

	for (i = 0; i < r->nr && r->of[i] != node; i++)
		;
	ck_assert_uint_lt(i, r->nr);
	return &r->values[i];
}

START_TEST(rows)
{
	struct table *t = table("stack");
	struct web_report names = { 0 };
	const struct web_diff_value *v;
	struct web_diff_rows r;

	add(t, "a;b", 10, 30, "~");
	add(t, "c", 5, 0, "?");
	add(t, "d;b", 0, 7, "");
	t->cells[2 * t->nr_columns + 2].type = CELL_NONE; /* losses unknown */
	ck_assert(!web_diff_rows_init(&r, t, &options, &names));
	ck_assert(r.stacks);
	ck_assert_uint_eq(r.nr, 3);
	v = find(&r, &names, "a;b");
	ck_assert_double_eq(v->old, 10);
	ck_assert_double_eq(v->new, 30);
	ck_assert_double_eq(v->uncertainty, 1);
	ck_assert_double_eq(v->q, 0.25);
	ck_assert_int_eq(v->mark, WEB_DIFF_CHANCE);
	ck_assert_int_eq(find(&r, &names, "c")->mark, WEB_DIFF_TOO_FEW);
	v = find(&r, &names, "d;b");
	ck_assert_int_eq(v->mark, WEB_DIFF_PLAIN);
	ck_assert(isinf(v->uncertainty));
	web_diff_rows_free(&r);
	web_report_free(&names);
	table_free(t);
}
END_TEST

enum { MORE = 60 };

static struct table *large(const char *by)
{
	struct table *t = table(by);
	unsigned int i;
	char name[32];

	for (i = 0; i < WEB_DIFF_ROWS + MORE; i++) {
		snprintf(name, sizeof(name), "site%u;caller%u", i % 2, i);
		add(t, name, i, 2 * i, "");
	}
	return t;
}

/* Rows beyond the limit are summed up by callsite, without a test. */
START_TEST(too_many)
{
	struct table *t = large("stack");
	struct web_report names = { 0 };
	const struct web_diff_value *v;
	struct web_diff_rows r;
	double old = 0;
	size_t i;

	ck_assert(!web_diff_rows_init(&r, t, &options, &names));
	ck_assert_uint_eq(r.nr, WEB_DIFF_ROWS + 2);
	ck_assert_uint_eq(r.left_out, 0);
	for (i = 0; i < r.nr; i++)
		old += r.values[i].old;
	ck_assert_double_eq(old,
			    (WEB_DIFF_ROWS + MORE - 1) * (WEB_DIFF_ROWS + MORE) / 2.);
	v = find(&r, &names, "site1;[other callchains]");
	ck_assert_double_eq(v->old, MORE / 2 * MORE / 2);
	ck_assert_double_eq(v->new, 2 * v->old);
	ck_assert_double_eq(v->uncertainty, MORE / 2.);
	ck_assert(isnan(v->q));
	ck_assert_int_eq(v->mark, WEB_DIFF_ADDED_UP);
	web_diff_rows_free(&r);
	web_report_free(&names);
	table_free(t);

	t = large("callsite");
	names = (struct web_report){ 0 };
	ck_assert(!web_diff_rows_init(&r, t, &options, &names));
	ck_assert_uint_eq(r.nr, WEB_DIFF_ROWS);
	ck_assert_uint_eq(r.left_out, MORE);
	web_diff_rows_free(&r);
	web_report_free(&names);
	table_free(t);
}
END_TEST

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static int refuse(void *ctx, const char *data, size_t size)
{
	return -ENOSPC;
}

static size_t count(const char *text, const char *word)
{
	size_t nr = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		nr++;
	return nr;
}

/* Names are only text wherever they appear, and write errors are returned. */
START_TEST(page)
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got }, full = { refuse, NULL };
	struct report *report = report_new();
	struct table *t = table("stack");
	const struct table *tables[] = { t };
	const struct web_diff_run run = { .file = evil };
	const struct web_diff w = { .tables = tables,
				    .nr_tables = 1,
				    .runs = &run,
				    .nr_runs = 1,
				    .options = &options,
				    .report = report,
				    .command = evil };

	add(t, evil, 1, 2, "");
	report_add_banner(report, true, "%s", evil);
	ck_assert(!web_diff_html(&w, &out));
	ck_assert_uint_eq(count(got.data, "<script"), 2);
	ck_assert_uint_eq(count(got.data, "</script>"), 2);
	ck_assert_uint_eq(count(got.data, "<img"), 0);
	ck_assert_uint_eq(count(got.data, "&lt;img"), 1);
	ck_assert_int_eq(web_diff_html(&w, &full), -ENOSPC);
	strbuf_free(&got);
	report_free(report);
	table_free(t);
}
END_TEST

Suite *test_web_diff_suite(void);
Suite *test_web_diff_suite(void)
{
	Suite *s = suite_create("report/web_diff");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, rows);
	tcase_add_test(tc, too_many);
	tcase_add_test(tc, page);
	suite_add_tcase(s, tc);
	return s;
}
