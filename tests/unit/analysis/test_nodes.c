// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/balance/balance.h and memory_lines.h: lines of the kernel's counters add up.
 */
#include <check.h>
#include <string.h>

#include "analysis/balance/balance.h"
#include "cells.h"

enum { PAGE = 4096, LINES = 11 };

static char before[] = "Node 0, zone   Normal\n"
		       "  per-node stats\n"
		       "      nr_anon_pages 100\n"
		       "      nr_file_pages 90\n"
		       "      nr_shmem     20\n"
		       "      nr_swapcached 3\n"
		       "      nr_slab_reclaimable 11\n"
		       "      nr_slab_unreclaimable 12\n"
		       "      nr_kernel_stack 64\n"
		       "      nr_page_table_pages 7\n"
		       "      nr_sec_page_table_pages 2\n"
		       "  pages free     300\n"
		       "        managed  1000\n"
		       "    cpu: 0\n"
		       "              count:    5\n"
		       "    cpu: 1\n"
		       "              count:    6\n"
		       "Node 0, zone  Movable\n"
		       "  pages free     30\n"
		       "        managed  100\n";
static char after[] = "Node 0, zone   Normal\n"
		      "      nr_anon_pages 140\n"
		      "  pages free     260\n"
		      "        managed  1000\n"
		      "Node 7, zone   Normal\n"
		      "        managed  50\n";

/* The row of @line of the node at place @node. */
static size_t row_of(const struct table *t, size_t node, const char *line)
{
	for (size_t row = node * LINES; row < (node + 1) * LINES; row++) {
		if (!strcmp(cell(t, row, "line")->s, line))
			return row;
	}
	ck_abort_msg("no line %s", line);
}

START_TEST(lines_of_nodes)
{
	static const struct {
		const char *line;
		int64_t before, after;
	} lines[] = {
		{ "free", 330 * PAGE, 260 * PAGE },
		{ "free_cpus", 11 * PAGE, 0 },
		{ "anonymous", 100 * PAGE, 140 * PAGE },
		{ "page_cache", (90 - 20 - 3) * PAGE, 0 },
		{ "shmem", 20 * PAGE, 0 },
		{ "swap_cache", 3 * PAGE, 0 },
		{ "slab_reclaimable", 11 * PAGE, 0 },
		{ "slab_unreclaimable", 12 * PAGE, 0 },
		{ "stacks", 64 * 1024, 0 },
		{ "page_tables", 9 * PAGE, 0 },
		/* managed, less all others */
		{ "rest", (1100 - 330 - 11 - 100 - 67 - 20 - 3 - 11 - 12 - 16 - 9) * PAGE,
		  (1000 - 260 - 140) * PAGE },
	};
	struct recording_text meta[] = {
		{ .name = (char *)"zoneinfo.before", .text = before },
		{ .name = (char *)"zoneinfo.after", .text = after }
	};
	struct recording rec = { .meta = meta, .nr_meta = ARRAY_SIZE(meta) };
	struct report *report = report_new();
	struct balance_nodes n = { 0 };
	const struct table *t;

	ck_assert_int_eq(balance_nodes_read(&n, &rec, PAGE), 0);
	ck_assert(balance_nodes_any(&n));
	balance_nodes_report(&n, report);
	t = report->tables[0];
	ck_assert_uint_eq(t->nr_rows, 2 * LINES);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		size_t row = row_of(t, 0, lines[i].line);

		ck_assert_uint_eq(cell(t, row, "node")->u, 0);
		ck_assert_int_eq(cell(t, row, "before")->i, lines[i].before);
		ck_assert_int_eq(cell(t, row, "after")->i, lines[i].after);
		ck_assert_int_eq(cell(t, row, "change")->i,
				 lines[i].after - lines[i].before);
		/* No page event has explained any of it. */
		ck_assert_int_eq(cell(t, row, "explained")->type, CELL_NONE);
	}
	ck_assert_uint_eq(cell(t, LINES, "node")->u, 7);
	ck_assert_int_eq(cell(t, row_of(t, 1, "rest"), "after")->i, 50 * PAGE);
	ck_assert_int_eq(cell(t, row_of(t, 1, "free"), "after")->i, 0);
	report_free(report);
	balance_nodes_free(&n);
}
END_TEST

/* Live memory explains a line of its own node. No use explains free memory. */
START_TEST(explained)
{
	static const struct {
		enum page_use use;
		const char *line;
	} uses[] = { { USE_ANONYMOUS, "anonymous" },
		     { USE_PAGE_CACHE, "page_cache" },
		     { USE_SHMEM, "shmem" },
		     { USE_SLAB_RECLAIMABLE, "slab_reclaimable" },
		     { USE_SLAB_UNRECLAIMABLE, "slab_unreclaimable" },
		     { USE_STACK, "stacks" },
		     { USE_PAGE_TABLE, "page_tables" },
		     { USE_VMALLOC, "rest" },
		     { USE_PERCPU, "rest" },
		     { USE_HUGETLB, "rest" },
		     { USE_UNCOUNTED, "rest" } };
	struct recording_text meta[] = { { .name = (char *)"zoneinfo.after",
					   .text = after } };
	struct recording rec = { .meta = meta, .nr_meta = 1 };
	struct report *report = report_new();
	struct balance_nodes n = { 0 };
	const struct table *t;

	ck_assert_int_eq(balance_nodes_read(&n, &rec, PAGE), 0);
	for (uint64_t i = 0; i < ARRAY_SIZE(uses); i++) {
		balance_nodes_explain(&n, 7, uses[i].use, 1ULL << i);
		balance_nodes_explain(&n, 7, uses[i].use, 1ULL << i);
		balance_nodes_explain(&n, 3, uses[i].use, 1000); /* no such node */
	}
	balance_nodes_report(&n, report);
	t = report->tables[0];
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		int64_t bytes = i < 7 ? 2 << i : 2 * ((1 << 11) - (1 << 7));

		ck_assert_int_eq(cell(t, row_of(t, 1, uses[i].line), "explained")->i,
				 bytes);
		ck_assert_int_eq(cell(t, row_of(t, 0, uses[i].line), "explained")->i, 0);
	}
	ck_assert_int_eq(cell(t, row_of(t, 1, "free"), "explained")->type, CELL_NONE);
	report_free(report);
	balance_nodes_free(&n);
}
END_TEST

static const char meminfo[] =
	"MemTotal: 10000 kB\nMemFree: 1000 kB\nBuffers: 40 kB\n"
	"Cached: 500 kB\nSwapCached: 6 kB\nAnonPages: 700 kB\n"
	"Shmem: 80 kB\nKReclaimable: 350 kB\nSReclaimable: 300 kB\n"
	"SUnreclaim: 200 kB\nKernelStack: 48 kB\nPageTables: 20 kB\n"
	"SecPageTables: 3 kB\nVmallocUsed: 90 kB\nPercpu: 70 kB\n"
	"Hugetlb: 2048 kB\nBounce: 1 kB\n";

static void check_lines(bool inside, int64_t vmalloc, int64_t rest)
{
	const int64_t kib[MEMORY_LINES] = { 1000, 88, 700,     460, 80,	  6,  300, 200,
					    48,	  23, vmalloc, 70,  2048, 51, rest };
	struct memory_counters c = memory_counters_text(
		meminfo, "Node 0, zone DMA\n count: 20\n count: 2\n", PAGE);
	int64_t figures[MEMORY_LINES], sum = 0;

	ck_assert_int_eq(memory_lines_read(&c, inside, figures), 10000 * 1024);
	for (size_t i = 0; i < MEMORY_LINES; i++) {
		ck_assert_msg(figures[i] == kib[i] * 1024, "%s", memory_lines[i].name);
		sum += figures[i];
	}
	ck_assert_int_eq(sum, 10000 * 1024);
}

/* The lines add up to all memory; stacks are in only one of them. */
START_TEST(lines_of_all_memory)
{
	check_lines(true, 90 - 48, 10000 - 5116);
	check_lines(false, 90, 10000 - 5116 - 48);
}
END_TEST

/* Kernels before 4.20 have no KReclaimable: then SReclaimable is no part of it. */
START_TEST(lines_of_an_old_kernel)
{
	static const char text[] =
		"MemTotal: 1000 kB\nSReclaimable: 300 kB\nBounce: 5 kB\n"
		"VmallocUsed: 40 kB\nKernelStack: 40 kB\n";
	struct memory_counters c = memory_counters_text(text, "", PAGE);
	int64_t figures[MEMORY_LINES];

	ck_assert_int_eq(memory_lines_read(&c, false, figures), 1000 * 1024);
	ck_assert_int_eq(figures[6], 300 * 1024);
	ck_assert_int_eq(figures[13], 5 * 1024);
	ck_assert_int_eq(figures[MEMORY_LINE_CPUS], 0);
	ck_assert(memory_counters_stacks(&c)); /* as many as fit */
	c.from = "VmallocUsed: 39 kB\nKernelStack: 40 kB\n";
	ck_assert(!memory_counters_stacks(&c));
	c.from = "VmallocUsed: 39 kB\n";
	ck_assert(!memory_counters_stacks(&c));
	c.from = "KernelStack: 0 kB\n";
	ck_assert(!memory_counters_stacks(&c));
}
END_TEST

Suite *test_nodes_suite(void);
Suite *test_nodes_suite(void)
{
	Suite *s = suite_create("analysis/nodes");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, lines_of_nodes);
	tcase_add_test(tc, explained);
	tcase_add_test(tc, lines_of_all_memory);
	tcase_add_test(tc, lines_of_an_old_kernel);
	suite_add_tcase(s, tc);
	return s;
}
