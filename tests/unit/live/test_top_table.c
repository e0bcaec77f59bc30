// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: live/top_table.h: the tables of kmemx top for an old kernel.
 * In: a recording of Linux 5.10 with one CPU, as if it came from this machine.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "live/top_table.h"
#include "recording/source.h"
#include "report/render.h"

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

#define RECORDING "data/bullseye-amd64-small-stack.v6.dat"

/* Feeds the pages of the only CPU, as a recorder does. */
static void feed(struct monitor *m)
{
	const struct recording_cpu *cpu;
	struct recording *rec;
	struct source src;
	void *pages;

	ck_assert_int_eq(source_open_file(&src, RECORDING), 0);
	ck_assert_int_eq(recording_open(&rec, &src, RECORDING, NULL), 0);
	ck_assert_uint_eq(rec->buffers[0].nr_cpus, 1);
	cpu = &rec->buffers[0].cpus[0];
	pages = malloc(cpu->size);
	ck_assert_ptr_nonnull(pages);
	ck_assert_int_eq(source_read(&rec->src, pages, cpu->size, cpu->offset), 0);
	ck_assert_int_eq(monitor_pages(m, cpu->cpu, pages, cpu->size), 0);
	free(pages);
	recording_close(rec);
}

/* The table of the first interval. */
static void show(enum subject_kind by, struct strbuf *text)
{
	const struct monitor_options opts = { .by = by, .of = { true } };
	const struct top_view view = { .run_ns = 1, .step_ns = 1, .lines = 3 };
	const struct render_out out = { collect, text };
	int fd = open(RECORDING, O_RDONLY | O_CLOEXEC);
	struct monitor m;
	struct report *r;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(monitor_begin(&m, &opts, fd), 0);
	feed(&m);
	ck_assert_int_eq(monitor_round(&m, UINT64_MAX), 0);
	ck_assert_int_eq(monitor_step(&m, 1), 0);
	r = top_report(&m, &view);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(render_text(r, &(struct render_options){ 0 }, &out), 0);
	report_free(r);
	monitor_end(&m);
}

START_TEST(events_name_no_cache)
{
	static const char note[] =
		"# [unnamed]: this kernel's kmem_cache_alloc event does not name the cache.";
	struct strbuf by_cache = { 0 }, by_callsite = { 0 };

	show(SUBJECT_CACHE, &by_cache);
	show(SUBJECT_CALLSITE, &by_callsite);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&by_cache), note));
	ck_assert_ptr_null(strstr(strbuf_text(&by_callsite), note));
	strbuf_free(&by_cache);
	strbuf_free(&by_callsite);
}
END_TEST

START_TEST(one_cpu)
{
	struct strbuf text = { 0 };

	show(SUBJECT_CALLSITE, &text);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&text), " x86_64, 1 CPU, "));
	strbuf_free(&text);
}
END_TEST

Suite *test_top_table_suite(void);
Suite *test_top_table_suite(void)
{
	Suite *s = suite_create("live/top_table");
	TCase *tc = tcase_create("old kernel");

	tcase_add_test(tc, events_name_no_cache);
	tcase_add_test(tc, one_cpu);
	suite_add_tcase(s, tc);
	return s;
}
