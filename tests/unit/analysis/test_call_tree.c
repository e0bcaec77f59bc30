// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: callchains as a tree of functions, analysis/row/call_tree.h.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/row/call_tree.h"
#include "base/strbuf.h"
#include "cells.h"

static const struct {
	const char *folded;
	uint64_t bytes, hit;
} chains[] = {
	{ "alloc;read;entry", 60, 3 }, { "alloc;write;entry", 30, 1 },
	{ "read;entry", 5, 1 },	       { "alloc;entry", 4, 4 },
	{ "[no stack]", 1, 1 },
};

static const struct tree_options caller = { .roots = TREE_CALLER };
static const struct tree_options callee = { .roots = TREE_CALLEE };

/* The table of @tree, which the caller frees. */
static struct table *made(struct call_tree *tree, const struct table_type *type,
			  const char *what, bool live)
{
	struct report *r = report_new();
	struct table *t = call_tree_table(tree, type, what, live, r);

	ck_assert_uint_eq(r->nr_tables, 1);
	r->nr_tables = 0;
	report_free(r);
	return t;
}

static struct table *make(const struct tree_options *opts)
{
	struct call_tree tree = { .opts = opts };
	struct table *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(chains); i++)
		ck_assert_int_eq(call_tree_add(&tree, chains[i].folded, chains[i].bytes,
					       chains[i].hit),
				 0);
	t = made(&tree, &tree_types[MEMORY_PAGE], "Pages", false);
	ck_assert(table_ok(t));
	call_tree_free(&tree);
	return t;
}

/* "entry 99/0 9" lines, indented by depth: bytes, self, hit. */
static void expect(const struct tree_options *opts, const char *wanted)
{
	struct table *t = make(opts);
	struct strbuf sb = { 0 };
	size_t i;

	ck_assert_int_eq(table_sort_usual(t), 0);
	for (i = 0; i < t->nr_rows; i++)
		strbuf_printf(&sb, "%*s%s %" PRIu64 "/%" PRIu64 " %" PRIu64 "\n",
			      (int)cell(t, i, "depth")->u, "", cell(t, i, "function")->s,
			      cell(t, i, "bytes")->u, cell(t, i, "self")->u,
			      cell(t, i, "hit")->u);
	ck_assert_str_eq(strbuf_text(&sb), wanted);
	strbuf_free(&sb);
	table_free(t);
}

START_TEST(from_either_end)
{
	expect(&caller, "entry 99/0 9\n"
			" read 65/5 4\n"
			"  alloc 60/60 3\n"
			" write 30/0 1\n"
			"  alloc 30/30 1\n"
			" alloc 4/4 4\n"
			"[no stack] 1/1 1\n");
	expect(&callee, "alloc 94/0 8\n"
			" read 60/0 3\n"
			"  entry 60/60 3\n"
			" write 30/0 1\n"
			"  entry 30/30 1\n"
			" entry 4/4 4\n"
			"read 5/0 1\n"
			" entry 5/5 1\n"
			"[no stack] 1/1 1\n");
}
END_TEST

START_TEST(small_ones_are_added_up)
{
	struct tree_options opts = caller;

	/* 31 of 100. */
	opts.min_share = 310000;
	expect(&opts, "entry 99/0 9\n"
		      " read 65/5 4\n"
		      "  alloc 60/60 3\n"
		      " other (2 functions) 34/34 5\n"
		      "other (1 function) 1/1 1\n");
	/* 30 is not below 30. */
	opts.min_share = 300000;
	expect(&opts, "entry 99/0 9\n"
		      " read 65/5 4\n"
		      "  alloc 60/60 3\n"
		      " write 30/0 1\n"
		      "  alloc 30/30 1\n"
		      " other (1 function) 4/4 4\n"
		      "other (1 function) 1/1 1\n");
	opts.min_share = 1000000;
	expect(&opts, "other (2 functions) 100/100 10\n");
}
END_TEST

START_TEST(deep_ones_are_left_out)
{
	struct tree_options opts = { .roots = TREE_CALLER, .depth = 1 };
	struct table *t = make(&opts);

	ck_assert_uint_eq(t->nr_notes, 1);
	ck_assert_str_eq(t->notes[0],
			 "3 functions of the next level are not shown (--depth 1).");
	table_free(t);
	expect(&opts, "entry 99/99 9\n[no stack] 1/1 1\n");
	opts.depth = 2;
	opts.min_share = 310000;
	expect(&opts, "entry 99/0 9\n"
		      " read 65/65 4\n"
		      " other (2 functions) 34/34 5\n"
		      "other (1 function) 1/1 1\n");
}
END_TEST

START_TEST(recursion_is_nodes)
{
	const struct tree_options opts = { .roots = TREE_CALLEE };
	struct call_tree tree = { .opts = &opts };
	struct table *t;

	ck_assert_int_eq(call_tree_add(&tree, "f;f;;f", 8, 1), 0);
	ck_assert_int_eq(call_tree_add(&tree, "f", UINT64_MAX - 8, 1), 0);
	t = made(&tree, &tree_types[MEMORY_SLAB], "Slab", false);
	ck_assert(table_ok(t));
	ck_assert_uint_eq(t->nr_rows, 4);
	ck_assert_uint_eq(cell(t, 0, "bytes")->u, UINT64_MAX);
	ck_assert_uint_eq(cell(t, 3, "bytes")->u, 8);
	ck_assert_uint_eq(cell(t, 3, "depth")->u, 3);
	ck_assert_uint_eq(cell(t, 3, "parent")->u, cell(t, 2, "id")->u);
	ck_assert_int_eq(cell(t, 0, "parent")->type, CELL_NONE);
	ck_assert_str_eq(cell(t, 2, "function")->s, "");
	table_free(t);
	call_tree_free(&tree);
}
END_TEST

START_TEST(without_callchains_there_are_no_rows)
{
	const struct tree_options opts = { .roots = TREE_CALLER };
	struct call_tree tree = { .opts = &opts };
	struct table *t = made(&tree, &tree_types[MEMORY_SLAB], "Slab", true);

	ck_assert(table_ok(t));
	ck_assert_uint_eq(t->nr_rows, 0);
	table_free(t);
	call_tree_free(&tree);
}
END_TEST

/* 100 000 callchains of 16 functions; most nodes belong to one callchain only. */
START_TEST(many)
{
	const struct tree_options opts = { .roots = TREE_CALLER, .min_share = 1 };
	struct call_tree tree = { .opts = &opts };
	char folded[512];
	struct table *t;
	uint64_t all = 0;
	clock_t begin = clock();
	unsigned int i, k;
	size_t row;

	for (i = 0; i < 100000; i++) {
		int used = snprintf(folded, sizeof(folded), "alloc");

		for (k = 1; k < 16; k++)
			used += snprintf(folded + used, sizeof(folded) - (size_t)used,
					 ";function_%u", i >> k & 0xfff);
		ck_assert_int_eq(call_tree_add(&tree, folded, i, 1), 0);
	}
	t = made(&tree, &tree_types[MEMORY_PAGE], "Pages", false);
	ck_assert(table_ok(t));
	ck_assert_int_eq(table_sort_usual(t), 0);
	for (row = 0; row < t->nr_rows; row++)
		all += cell(t, row, "self")->u;
	ck_assert_uint_eq(all, UINT64_C(100000) * 99999 / 2);
	/* Much more than this takes even on a busy machine, and much less than a quadratic
	 * algorithm would.
	 */
	ck_assert_double_le((double)(clock() - begin) / CLOCKS_PER_SEC, 30);
	table_free(t);
	call_tree_free(&tree);
}
END_TEST

Suite *test_call_tree_suite(void);

Suite *test_call_tree_suite(void)
{
	Suite *s = suite_create("analysis/call_tree");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, from_either_end);
	tcase_add_test(tc, small_ones_are_added_up);
	tcase_add_test(tc, deep_ones_are_left_out);
	tcase_add_test(tc, recursion_is_nodes);
	tcase_add_test(tc, without_callchains_there_are_no_rows);
	tcase_add_test(tc, many);
	suite_add_tcase(s, tc);
	return s;
}
