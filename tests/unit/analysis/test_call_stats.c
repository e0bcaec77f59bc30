// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: what one system call allocates, analysis/stat/calls.c.
 */
#include <check.h>
#include <stdio.h>

#include "analysis/filter/alloc_filter.h"
#include "made_events.h"

#define FIELDS                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PFN                                                           \
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
#define CALL  "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
#define PRINT "\nprint fmt: \"\"\n"

/* Formats of a recording that has system calls; the caller frees them. */
static struct event_formats *with_calls(struct fixture *f)
{
	static const char call[] = "name: sys_enter\nID: 1\n" FIELDS CALL PRINT;
	char page[1024];
	struct recording_text texts[] = {
		{ (char *)"kmem", page, 0 },
		{ (char *)"raw_syscalls", (char *)call, sizeof(call) - 1 },
	};
	const struct recording rec = { .layout = { 8, 8, 16 },
				       .page_size = 4096,
				       .event_formats = texts,
				       .nr_event_formats = 2 };
	struct event_formats *fmts;
	uint32_t i = 0;

	/* Events of this ID were seen. */
	while (event_formats_at(f->in.env.fmts, i)->type != KMEM_PAGE_FREE)
		i++;
	texts[0].size = (size_t)snprintf(page, sizeof(page),
					 "name: mm_page_free\nID: %d\n" FIELDS PFN PRINT,
					 event_formats_at(f->in.env.fmts, i)->id);
	ck_assert_int_eq(event_formats_new(&fmts, &rec, NULL), 0);
	f->in.env.fmts = fmts;
	return fmts;
}

static void call(struct fixture *f, uint8_t type, int32_t pid, uint32_t number)
{
	struct kmem_event *ev = event(f, type, 0, 0);

	ev->pid = pid;
	ev->call = number;
}

static struct kmem_event *object(struct fixture *f, int32_t pid, uint64_t bytes)
{
	struct kmem_event *ev = event(f, KMEM_KMALLOC, 0, 0);

	ev->pid = pid;
	ev->slab_alloc.ptr = 0x1000 * f->nr;
	ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = bytes;
	return ev;
}

static uint64_t number(const struct table *t, size_t row, const char *name)
{
	const struct cell *c = cell(t, row, name);

	ck_assert_int_eq(c->type, CELL_UINT);
	return c->u;
}

static void check_row(const struct table *t, const char *entry, const char *memory,
		      const uint64_t figures[9])
{
	static const char *const names[] = { "bytes",	     "calls",
					     "cut",	     "bytes_min",
					     "bytes_median", "bytes_max",
					     "objects_min",  "objects_median",
					     "objects_max" };
	size_t row = 0;

	while (row < t->nr_rows && (strcmp(cell(t, row, "entry")->s, entry) != 0 ||
				    strcmp(cell(t, row, "memory")->s, memory) != 0))
		row++;
	ck_assert_msg(row < t->nr_rows, "no row %s %s", entry, memory);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		ck_assert_msg(number(t, row, names[i]) == figures[i], "%s of %s: %lu",
			      names[i], entry, (unsigned long)number(t, row, names[i]));
}

static const struct analysis_options by_entry = { .by = SUBJECT_ENTRY };

START_TEST(per_call)
{
	struct fixture f;
	struct event_formats *fmts;
	const struct table *t;
	struct kmem_event *ev;

	set_up(&f);
	fmts = with_calls(&f);
	object(&f, 7, 5000); /* of a call that began before */
	call(&f, KMEM_CALL_EXIT, 7, 0);
	for (int i = 0; i < 5; i++) { /* 0, 64, 2 * 64, 3 * 64 and 4 * 64 bytes */
		call(&f, KMEM_CALL_ENTER, 7, 41);
		for (int k = 0; k < i; k++)
			object(&f, 7, 64);
		if (i == 2) {
			ev = object(&f, 7, 7777); /* an interrupt's */
			ev->flags = KMEM_FLAG_HARDIRQ;
			object(&f, 7, 9999)->slab_alloc.ptr = 0; /* it failed */
			object(&f, 8, 333); /* by a task that is in no known call */
			event(&f, KMEM_PAGE_ALLOC, 100, 1);
			event(&f, KMEM_PAGE_ALLOC, KMEM_NO_PFN, 1);
		}
		call(&f, KMEM_CALL_EXIT, 7, 41);
	}
	object(&f, 7, 4000); /* between two calls */
	call(&f, KMEM_CALL_ENTER, 7, 41);
	object(&f, 7, 1000); /* this call has not returned */
	t = table_of(&f, "calls", &by_entry);
	ck_assert_uint_eq(t->nr_rows, 2);
	check_row(t, "socket(2)", "slab",
		  (const uint64_t[]){ 10 * 64 + 1000, 6, 1, 0, 128, 256, 0, 2, 4 });
	check_row(
		t, "socket(2)", "page",
		(const uint64_t[]){ 2 * MADE_PAGE, 6, 1, 0, 0, 2 * MADE_PAGE, 0, 0, 2 });
	ck_assert_uint_eq(t->nr_summary, 3);
	ck_assert_uint_eq(t->summary[0].value.u, 7);
	ck_assert_uint_eq(t->summary[1].value.u, 1);
	ck_assert_uint_eq(t->summary[2].value.u, 2);
	ck_assert_uint_eq(t->nr_notes, 0);
	event_formats_free(fmts);
	tear_down(&f);
}
END_TEST

/* Calls in which events were lost do not count for minimum and maximum. */
START_TEST(losses)
{
	struct fixture f;
	struct event_formats *fmts;
	const struct table *t;

	set_up(&f);
	fmts = with_calls(&f);
	for (int i = 0; i < 3; i++) {
		call(&f, KMEM_CALL_ENTER, 7, 257);
		object(&f, 7, 100);
		if (i == 1) {
			event(&f, KMEM_LOSS, 0, 0);
			object(&f, 7, 3000); /* perhaps of another call */
		}
		call(&f, KMEM_CALL_EXIT, 7, 257);
	}
	t = table_of(&f, "calls", &by_entry);
	ck_assert_uint_eq(t->nr_rows, 1);
	check_row(t, "openat(2)", "slab",
		  (const uint64_t[]){ 300, 3, 1, 100, 100, 100, 1, 1, 1 });
	ck_assert_uint_eq(t->nr_notes, 1);
	ck_assert_ptr_nonnull(strstr(t->notes[0], "lost in 1 gap"));
	event_formats_free(fmts);
	tear_down(&f);
}
END_TEST

/* Many tasks, each in a call at the same time. */
START_TEST(many_tasks)
{
	enum { TASKS = 20 };
	struct fixture f;
	struct event_formats *fmts;
	const struct table *t;

	set_up(&f);
	fmts = with_calls(&f);
	for (uint32_t i = 0; i < TASKS; i++)
		call(&f, KMEM_CALL_ENTER, 100 + (int32_t)i, i);
	for (uint32_t i = 0; i < TASKS; i++)
		object(&f, 100 + (int32_t)i, 64 * (i + 1));
	for (uint32_t i = 0; i < TASKS; i++)
		call(&f, KMEM_CALL_EXIT, 100 + (int32_t)i, i);
	t = table_of(&f, "calls", &by_entry);
	ck_assert_uint_eq(t->nr_rows, TASKS);
	for (uint64_t i = 0; i < TASKS; i++) {
		ck_assert_uint_eq(number(t, i, "bytes"), 64 * (i + 1));
		ck_assert_uint_eq(number(t, i, "bytes_max"), 64 * (i + 1));
		ck_assert_uint_eq(number(t, i, "objects"), 1);
		ck_assert_uint_eq(number(t, i, "calls"), 1);
	}
	event_formats_free(fmts);
	tear_down(&f);
}
END_TEST

/* Kinds of calls have at most 4096 rows; further ones share a row. */
START_TEST(many_kinds)
{
	enum { KINDS = 4096, MORE = 4 };
	const struct analysis *chosen = analysis_find("calls");
	const struct analysis_set set = { .analyses = &chosen,
					  .nr = 1,
					  .opts = &by_entry };
	struct event_formats *fmts;
	struct analyses *all;
	const struct table *t;
	struct fixture f;

	set_up(&f);
	fmts = with_calls(&f);
	ck_assert(!analyses_new(&all, &f.in.env, &set));
	for (uint32_t i = 0; i < KINDS + MORE; i++) {
		f.nr = 0;
		call(&f, KMEM_CALL_ENTER, 7, i);
		object(&f, 7, 64);
		call(&f, KMEM_CALL_EXIT, 7, i);
		analyses_observe(all, f.evs, f.nr);
	}
	ck_assert(!analyses_view(all, f.in.report));
	t = f.in.report->tables[0];
	ck_assert_uint_eq(t->nr_rows, KINDS + 1);
	ck_assert_uint_eq(number(t, KINDS - 1, "calls"), 1);
	ck_assert_uint_eq(number(t, KINDS, "calls"), MORE);
	ck_assert_uint_eq(number(t, KINDS, "bytes"), 64 * MORE);
	analyses_free(all);
	event_formats_free(fmts);
	tear_down(&f);
}
END_TEST

/* More bytes in a call than a figure can hold, from a damaged recording, change no other figure. */
START_TEST(most_bytes)
{
	struct fixture f;
	struct event_formats *fmts;
	const struct table *t;

	set_up(&f);
	fmts = with_calls(&f);
	f.in.env.page_size = 1U << 31;
	call(&f, KMEM_CALL_ENTER, 7, 41);
	event(&f, KMEM_PAGE_ALLOC, 1 << 20, 20);
	call(&f, KMEM_CALL_EXIT, 7, 41);
	t = table_of(&f, "calls", &by_entry);
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(number(t, 0, "bytes"), 1ULL << 51);
	ck_assert_uint_eq(number(t, 0, "bytes_max"), (1ULL << 48) - 1);
	ck_assert_uint_eq(number(t, 0, "objects_max"), 1 << 20);
	event_formats_free(fmts);
	tear_down(&f);
}
END_TEST

/* With a filter, only calls of tasks that pass it count. */
START_TEST(filtered)
{
	struct alloc_filter filter = { 0 };
	struct fixture f;
	struct event_formats *fmts;
	const struct table *t;

	set_up(&f);
	fmts = with_calls(&f);
	for (int32_t pid = 7; pid <= 8; pid++) {
		call(&f, KMEM_CALL_ENTER, pid, 41);
		object(&f, pid, 64)->hidden = pid == 8;
		call(&f, KMEM_CALL_EXIT, pid, 41);
	}
	ck_assert_int_eq(filter_ranges_add(&filter.pids, "7"), 0);
	filter.nr[MEMORY_PAGE] = 1;
	f.in.env.filter = &filter;
	t = table_of(&f, "calls", &by_entry);
	ck_assert_uint_eq(t->nr_rows, 1);
	check_row(t, "socket(2)", "slab",
		  (const uint64_t[]){ 64, 1, 0, 64, 64, 64, 1, 1, 1 });
	f.in.env.filter = NULL;
	alloc_filter_free(&filter);
	event_formats_free(fmts);
	tear_down(&f);
}
END_TEST

/* Without system calls there is no table. */
START_TEST(none)
{
	struct fixture f;

	set_up(&f);
	object(&f, 7, 100);
	ck_assert_uint_eq(report_of(&f, "calls", &by_entry)->nr_tables, 0);
	tear_down(&f);
}
END_TEST

Suite *test_call_stats_suite(void);

Suite *test_call_stats_suite(void)
{
	Suite *s = suite_create("analysis/calls");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, per_call);
	tcase_add_test(tc, losses);
	tcase_add_test(tc, many_tasks);
	tcase_add_test(tc, many_kinds);
	tcase_add_test(tc, most_bytes);
	tcase_add_test(tc, filtered);
	tcase_add_test(tc, none);
	suite_add_tcase(s, tc);
	return s;
}
