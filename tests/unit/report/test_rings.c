// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: report/web/rings.h, and the rows that it draws.
 */
#include "report/web/rings.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

static const struct rings_options options = {
	.size = "bytes",
	.name = "name",
	.title = "a <title> & \"more\"",
	.what = "Sizes",
};

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static int refuse(void *ctx, const char *data, size_t size)
{
	return -ENOSPC;
}

static struct table *empty(void)
{
	static const struct table_tree tree = { .depth = "depth", .rest = "others" };
	static const struct column columns[] = {
		{ .name = "bytes", .unit = UNIT_BYTES },
		{ .name = "depth", .hidden = true, .level = true },
		{ .name = "others", .hidden = true, .level = true },
		{ .name = "name", .last = true },
	};
	struct table *t = table_new("footprint", "Footprint");

	table_add_columns(t, columns, ARRAY_SIZE(columns));
	t->tree = &tree;
	return t;
}

static void add(struct table *t, const char *name, uint64_t depth, uint64_t bytes)
{
	struct cell *row = table_add_row(t);

	row[0] = cell_uint(bytes);
	row[1] = cell_uint(depth);
	row[2] = cell_uint(0);
	row[3] = cell_text(t, name);
}

static struct table *make(void)
{
	struct table *t = empty();

	add(t, "fs", 0, 600);
	add(t, "ext4", 1, 400);
	add(t, "inode.c", 2, 300);
	add(t, "namei.c", 2, 100);
	add(t, "xfs", 1, 150);
	add(t, "net", 0, 300);
	add(t, "(unknown)", 0, 100);
	return t;
}

/* The output of @draw for @t; the caller frees it. */
static char *drawn(const struct table *t,
		   int (*draw)(const struct table *t, const struct rings_options *o,
			       const struct render_out *out))
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };

	ck_assert_int_eq(draw(t, &options, &out), 0);
	return strbuf_detach(&got);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		nr++;
	}
	return nr;
}

START_TEST(rows_know_what_is_below)
{
	static const uint32_t behind[] = { 5, 4, 3, 4, 5, 6, 7 };
	struct table *t = make();
	struct rings_rows r;
	uint32_t i;

	ck_assert_int_eq(rings_rows_init(&r, t, &options), 0);
	ck_assert_uint_eq(r.nr, 7);
	ck_assert_uint_eq(r.total, 1000);
	for (i = 0; i < r.nr; i++)
		ck_assert_uint_eq(r.rows[i].behind, behind[i]);
	ck_assert_str_eq(r.rows[2].name, "inode.c");
	rings_rows_free(&r);
	table_free(t);
}
END_TEST

START_TEST(only_trees_are_drawn)
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got }, full = { refuse, NULL };
	struct rings_options other = options;
	struct table *t = make();

	other.size = "pages";
	ck_assert_int_eq(rings_svg(t, &other, &out), -EINVAL);
	ck_assert_int_eq(rings_html(t, &other, &out), -EINVAL);
	ck_assert_int_eq(rings_svg(t, &options, &full), -ENOSPC);
	ck_assert_int_eq(rings_html(t, &options, &full), -ENOSPC);
	t->tree = NULL;
	ck_assert_int_eq(rings_svg(t, &options, &out), -EINVAL);
	ck_assert_uint_eq(got.size, 0);
	strbuf_free(&got);
	table_free(t);
}
END_TEST

START_TEST(each_row_is_an_arc)
{
	struct table *t = make();
	char *svg = drawn(t, rings_svg);

	/* The rest of fs, without ext4 and xfs, is an arc without a title. */
	ck_assert_uint_eq(count(svg, "<title>"), 7 + 1);
	ck_assert_uint_eq(count(svg, " few\""), 1);
	ck_assert_ptr_nonnull(strstr(svg, "<title>ext4: 400 B, 40.0 %</title>"));
	ck_assert_ptr_nonnull(strstr(svg, "class=\"c1 d0\""));
	ck_assert_ptr_nonnull(strstr(svg, "class=\"cx d0\""));
	ck_assert_ptr_nonnull(strstr(svg, "class=\"c0 d2\""));
	ck_assert_ptr_nonnull(strstr(svg, "a &lt;title&gt; &amp; &quot;more&quot;"));
	ck_assert_ptr_null(strstr(svg, "<script"));
	ck_assert_uint_eq(count(svg, "://"), count(svg, "http://www.w3.org/2000/svg"));
	free(svg);
	table_free(t);
}
END_TEST

START_TEST(a_long_title_has_two_lines)
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };
	struct rings_options other = options;
	struct table *t = make();

	other.what = "Current footprint (static, and live slab objects)";
	ck_assert_int_eq(rings_svg(t, &other, &out), 0);
	ck_assert_uint_eq(count(strbuf_text(&got), ">Current footprint<"), 1);
	ck_assert_uint_eq(count(strbuf_text(&got), ">(static, and live slab objects)<"),
			  1);
	strbuf_free(&got);
	table_free(t);
}
END_TEST

/* The first arc begins at the top; an arc of 100 % ends where it begins. */
START_TEST(a_single_row_is_a_whole_ring)
{
	struct table *t = empty();
	char *svg;

	add(t, "all", 0, 5);
	svg = drawn(t, rings_svg);
	ck_assert_ptr_nonnull(strstr(svg, "d=\"M460 5A455 455 0 0 1 460 915L460 552A92"));
	ck_assert_uint_eq(count(svg, "Z"), 2);
	free(svg);
	table_free(t);
	t = empty();
	svg = drawn(t, rings_svg);
	ck_assert_uint_eq(count(svg, "<path"), 0);
	free(svg);
	table_free(t);
}
END_TEST

static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	"]]>&amp;",
	"\"><svg onload=alert(1)>",
	"--><!--",
	"\x1b[31m\n\t\x80\xff",
	"",
	"@DATA@",
};

/* Names are only text: any names give the same elements. */
START_TEST(names_are_text)
{
	struct table *plain = empty(), *t = empty();
	char *page, *other;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hostile); i++) {
		add(t, hostile[i], 0, 100 - i);
		add(plain, "name", 0, 100 - i);
	}
	page = drawn(t, rings_html);
	other = drawn(plain, rings_html);
	ck_assert_uint_eq(count(page, "<"), count(other, "<"));
	ck_assert_uint_eq(count(page, "</script"), 2);
	ck_assert_ptr_nonnull(strstr(page, "\\u003c/script>\\u003cscript>alert(1)"));
	ck_assert_ptr_nonnull(strstr(page, "\"@DATA@\""));
	ck_assert_ptr_null(strchr(page, '\x1b'));
	free(page);
	free(other);
	page = drawn(t, rings_svg);
	other = drawn(plain, rings_svg);
	/* All elements have titles, and labels if there is room; names appear nowhere else. */
	ck_assert_uint_eq(count(page, "<script") + count(page, "<img"), 0);
	ck_assert_uint_eq(count(page, "<title>"), count(other, "<title>"));
	ck_assert_uint_eq(count(page, "<svg"), 1);
	ck_assert_ptr_null(strchr(page, '\x1b'));
	free(page);
	free(other);
	table_free(t);
	table_free(plain);
}
END_TEST

/* Only the page's own style and script are allowed. */
START_TEST(a_page_names_its_own_parts)
{
	struct table *t = make();
	char *page = drawn(t, rings_html);
	const struct {
		const char *begin, *end, *what;
	} parts[] = {
		{ "<style>", "</style>", "style-src 'sha256-" },
		{ "<script>", "</script>", "script-src 'sha256-" },
	};
	size_t i;

	ck_assert_ptr_nonnull(strstr(page, "default-src 'none'"));
	ck_assert_ptr_null(strstr(page, "unsafe"));
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *begin = strstr(page, parts[i].begin) + strlen(parts[i].begin);
		const char *end = strstr(begin, parts[i].end);
		const char *named = strstr(page, parts[i].what);

		ck_assert(named && end);
		ck_assert_uint_eq(strcspn(named + strlen(parts[i].what), "'"), 44);
	}
	ck_assert_ptr_nonnull(strstr(page, "[2,300,\"inode.c\"]"));
	ck_assert_ptr_nonnull(strstr(page, "\"total\":1000"));
	/* The page fetches nothing: its only URLs are namespaces. */
	ck_assert_uint_eq(count(page, "://"), count(page, "http://www.w3.org/"));
	ck_assert_ptr_null(strchr(strstr(page, "</style>"), '@'));
	free(page);
	table_free(t);
}
END_TEST

START_TEST(the_largest_rows_are_kept)
{
	struct table *t = empty();
	char name[32], padded[1000] = "", *page;
	struct rings_rows r;
	int i;

	for (i = 0; i < RINGS_ROWS_MAX + 100; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		add(t, name, 0, (uint64_t)(RINGS_ROWS_MAX + 100 - i));
	}
	ck_assert_int_eq(rings_rows_init(&r, t, &options), 0);
	ck_assert_uint_eq(r.nr, RINGS_ROWS_MAX);
	ck_assert_str_eq(r.rows[0].name, "f0");
	ck_assert_uint_eq(r.rows[r.nr - 1].size, 101);
	rings_rows_free(&r);
	table_free(t);
	/* Fewer rows are shown if their names are long, so that no page exceeds 2 MB. */
	t = empty();
	for (i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		memset(padded, 'x', sizeof(padded) - 1);
		memcpy(padded, name, strlen(name));
		add(t, padded, 0, (uint64_t)(10000 - i));
	}
	page = drawn(t, rings_html);
	ck_assert_uint_gt(strlen(page), 500000);
	ck_assert_uint_lt(strlen(page), 2000000);
	free(page);
	table_free(t);
}
END_TEST

Suite *test_rings_suite(void);
Suite *test_rings_suite(void)
{
	Suite *s = suite_create("report/rings");
	TCase *tc = tcase_create("rings");

	tcase_add_test(tc, rows_know_what_is_below);
	tcase_add_test(tc, only_trees_are_drawn);
	tcase_add_test(tc, each_row_is_an_arc);
	tcase_add_test(tc, a_long_title_has_two_lines);
	tcase_add_test(tc, a_single_row_is_a_whole_ring);
	tcase_add_test(tc, names_are_text);
	tcase_add_test(tc, a_page_names_its_own_parts);
	tcase_add_test(tc, the_largest_rows_are_kept);
	suite_add_tcase(s, tc);
	return s;
}
