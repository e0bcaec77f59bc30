// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: lib/analysis/page_owners.c: whose pages are live, by order and migratetype or without.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/compiler.h"

#define PAGE 4096

enum { UNMOVABLE, MOVABLE };

static const struct log silent = { 0 };

/* A recording whose events are not its own: it lends its time and types of events. */
struct fixture {
	struct recording *rec;
	struct event_formats *fmts;
	struct symbols *syms;
	struct callsite_rule *rule;
	struct event_stream *stream;
	struct migratetypes types;
	struct analysis_env env;
	struct report *report;
	struct kmem_event evs[32];
	size_t nr;
};

static void set_up(struct fixture *f)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	const char *path = "data/bookworm-amd64-small-stack.v7.dat";
	struct kmem_event ev;
	struct source src;

	*f = (struct fixture){ .report = report_new() };
	ck_assert(!source_open_file(&src, path));
	ck_assert(!recording_open(&f->rec, &src, path, &silent));
	ck_assert(!event_formats_new(&f->fmts, f->rec, &silent));
	ck_assert(!symbols_new(&f->syms, NULL, 0, NULL));
	ck_assert(!callsite_rule_new(&f->rule, NULL, 0, NULL));
	ck_assert(!event_stream_open(&f->stream, f->rec, f->fmts, &opts, &silent));
	while (event_stream_next(f->stream, &ev) > 0)
		;
	migratetypes_init(&f->types, NULL, "6.1");
	f->env = (struct analysis_env){ .rec = f->rec,
					.fmts = f->fmts,
					.stream = f->stream,
					.syms = f->syms,
					.rule = f->rule,
					.migratetypes = &f->types,
					.log = &silent,
					.page_size = PAGE };
}

static void tear_down(struct fixture *f)
{
	report_free(f->report);
	event_stream_close(f->stream);
	callsite_rule_free(f->rule);
	symbols_free(f->syms);
	event_formats_free(f->fmts);
	recording_close(f->rec);
}

static struct kmem_event *event(struct fixture *f, uint8_t type, uint64_t pfn,
				uint32_t order)
{
	struct kmem_event *ev = &f->evs[f->nr++];

	ck_assert_uint_le(f->nr, ARRAY_SIZE(f->evs));
	ev->type = type;
	ev->pid = 7;
	ev->ts = 1000 * f->nr;
	if (type == KMEM_PAGE_ALLOC) {
		ev->page_alloc.pfn = pfn;
		ev->page_alloc.order = order;
	} else {
		ev->page_free.pfn = pfn;
		ev->page_free.order = order;
	}
	return ev;
}

static struct kmem_event *alloc(struct fixture *f, int32_t pid, uint64_t pfn,
				uint32_t order)
{
	struct kmem_event *ev = event(f, KMEM_PAGE_ALLOC, pfn, order);

	ev->pid = pid;
	return ev;
}

/* Two tasks; blocks of two orders and migratetypes; of one, a part is freed; one is gone. */
static void some_blocks(struct fixture *f)
{
	alloc(f, 7, 0x100, 0);					 /* at 1000 */
	alloc(f, 7, 0x101, 0);					 /* at 2000 */
	alloc(f, 7, 0x108, 3);					 /* at 3000 */
	alloc(f, 7, 0x110, 0)->page_alloc.migratetype = MOVABLE; /* at 4000 */
	alloc(f, 8, 0x120, 0);					 /* at 5000 */
	event(f, KMEM_PAGE_FREE, 0x100, 0);
	event(f, KMEM_PAGE_FREE, 0x10c, 2);
}

static const struct table *owners_of(struct fixture *f,
				     const struct analysis_options *opts)
{
	const struct analysis *chosen = analysis_find("owners");
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = opts };
	struct analyses *all;

	ck_assert(!analyses_new(&all, &f->env, &set));
	analyses_observe(all, f->evs, f->nr);
	analyses_end(all);
	ck_assert(!analyses_view(all, f->report));
	analyses_free(all);
	ck_assert_uint_eq(f->report->nr_tables, 1);
	return f->report->tables[0];
}

static const struct cell *cell(const struct table *t, size_t row, const char *name)
{
	int column = table_column(t, name);

	ck_assert_int_ge(column, 0);
	ck_assert_uint_lt(row, t->nr_rows);
	return &t->cells[row * t->nr_columns + (size_t)column];
}

static void ck_row(const struct table *t, size_t row, uint64_t times, uint64_t pages,
		   uint64_t oldest)
{
	ck_assert_uint_eq(cell(t, row, "times")->u, times);
	ck_assert_uint_eq(cell(t, row, "pages")->u, pages);
	ck_assert_uint_eq(cell(t, row, "bytes")->u, pages * PAGE);
	ck_assert_uint_eq(cell(t, row, "alloc_ts")->u, oldest);
}

static void ck_kind(const struct table *t, size_t row, int64_t pid, uint64_t order,
		    const char *migratetype)
{
	ck_assert_int_eq(cell(t, row, "pid")->i, pid);
	ck_assert_uint_eq(cell(t, row, "order")->u, order);
	ck_assert_str_eq(cell(t, row, "migtype")->s, migratetype);
}

/* Rows are in the order of their first allocations. */
START_TEST(by_order_and_migratetype)
{
	const struct analysis_options opts = { .by = SUBJECT_PID };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	some_blocks(&f);
	t = owners_of(&f, &opts);
	ck_assert_str_eq(t->by, "pid,order,migtype");
	ck_assert_uint_eq(t->nr_rows, 4);
	ck_row(t, 0, 1, 1, 2000);
	ck_kind(t, 0, 7, 0, "UNMOVABLE");
	ck_row(t, 1, 1, 4, 3000);
	ck_kind(t, 1, 7, 3, "UNMOVABLE");
	ck_row(t, 2, 1, 1, 4000);
	ck_kind(t, 2, 7, 0, "MOVABLE");
	ck_row(t, 3, 1, 1, 5000);
	ck_kind(t, 3, 8, 0, "UNMOVABLE");
	tear_down(&f);
}
END_TEST

START_TEST(culled)
{
	const struct analysis_options opts = { .by = SUBJECT_PID,
					       .any_order = true,
					       .any_migratetype = true };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	some_blocks(&f);
	t = owners_of(&f, &opts);
	ck_assert_str_eq(t->by, "pid");
	ck_assert_uint_eq(t->nr_rows, 2);
	ck_row(t, 0, 3, 6, 2000);
	ck_row(t, 1, 1, 1, 5000);
	ck_assert_int_eq(cell(t, 0, "order")->type, CELL_NONE);
	ck_assert_int_eq(cell(t, 0, "migtype")->type, CELL_NONE);
	ck_assert(t->columns[table_column(t, "order")].hidden);
	tear_down(&f);
}
END_TEST

START_TEST(culled_but_for_the_order)
{
	const struct analysis_options opts = { .by = SUBJECT_PID,
					       .any_migratetype = true };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	some_blocks(&f);
	t = owners_of(&f, &opts);
	ck_assert_str_eq(t->by, "pid,order");
	ck_assert_uint_eq(t->nr_rows, 3);
	ck_row(t, 0, 2, 2, 2000);
	ck_assert_int_eq(cell(t, 0, "migtype")->type, CELL_NONE);
	tear_down(&f);
}
END_TEST

/* What was live when events were lost may have been freed. */
START_TEST(lost_events)
{
	const struct analysis_options opts = { .by = SUBJECT_PID };
	const struct table *t;
	struct fixture f;

	set_up(&f);
	alloc(&f, 7, 0x100, 0);
	f.evs[f.nr++] = (struct kmem_event){ .type = KMEM_LOSS,
					     .ts = 1500,
					     .loss = { .count = 3 } };
	alloc(&f, 8, 0x101, 0);
	t = owners_of(&f, &opts);
	ck_assert_uint_eq(t->nr_rows, 2);
	ck_assert_str_eq(cell(t, 0, "net_reason")->s, "lost");
	ck_assert_uint_eq(cell(t, 0, "net_min")->u, 0);
	ck_assert_ptr_null(strstr(cell(t, 1, "net_reason")->s, "lost"));
	tear_down(&f);
}
END_TEST

Suite *test_page_owners_suite(void);

Suite *test_page_owners_suite(void)
{
	Suite *s = suite_create("analysis/page_owners");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, by_order_and_migratetype);
	tcase_add_test(tc, culled);
	tcase_add_test(tc, culled_but_for_the_order);
	tcase_add_test(tc, lost_events);
	suite_add_tcase(s, tc);
	return s;
}
