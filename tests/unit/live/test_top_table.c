// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: live/top_table.h: the tables of kmemx top for an old kernel.
 * In: a recording of Linux 5.10 with one CPU, as if it came from this machine.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/top_table.h"
#include "recording/source.h"
#include "report/render.h"
#include "source_file.h"

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

#define RECORDING "data/bullseye-amd64-small-stack.v6.dat"

/* Feeds the pages of the only CPU to the monitor, as a recorder does. */
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

/* Starts a monitor of the recording, and ends one interval. */
static void begin(struct monitor *m, const struct monitor_options *opts)
{
	int fd = open(RECORDING, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(monitor_begin(m, opts, fd), 0);
	feed(m);
	ck_assert_int_eq(monitor_round(m, UINT64_MAX), 0);
	ck_assert_int_eq(monitor_step(m, 1), 0);
}

/* The table of the first interval. */
static void show(enum subject_kind by, struct strbuf *text)
{
	const struct monitor_options opts = { .by = by, .of = { true } };
	const struct top_view view = { .run_ns = 1, .step_ns = 1, .lines = 3 };
	const struct render_out out = { collect, text };
	struct monitor m;
	struct report *r;

	begin(&m, &opts);
	r = top_report(&m, &view);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(render_text(r, &(struct render_options){ 0 }, &out), 0);
	report_free(r);
	monitor_end(&m);
}

/* A column's cell in a row, and its sum over all rows. */
static uint64_t figure(const struct table *t, size_t row, const char *name)
{
	return t->cells[row * t->nr_columns + (size_t)table_column(t, name)].u;
}

static uint64_t sum(const struct table *t, const char *name)
{
	uint64_t all = 0;

	for (size_t row = 0; row < t->nr_rows; row++)
		all += figure(t, row, name);
	return all;
}

static struct report *all_rows(const struct monitor *m)
{
	struct report *r = top_report(m, &(struct top_view){ .step_ns = 1 });

	ck_assert_ptr_nonnull(r);
	return r;
}

/* Opens row @row of the current table, and checks that its parts add up to it. */
static void open_row(struct monitor *m, size_t row)
{
	static const char *const names[] = { "rate", "hit_rate", "live", "live_hit" };
	struct report *before = all_rows(m), *after;
	const struct table *t = before->tables[0];
	unsigned int side;
	uint32_t group;

	ck_assert_uint_gt(t->nr_rows, row);
	ck_assert(top_find(m, t, row, &side, &group));
	ck_assert_int_eq(monitor_open(m, side, group), 0);
	after = all_rows(m);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !m->by_lifetime; i++)
		ck_assert_uint_eq(sum(after->tables[0], names[i]),
				  figure(t, row, names[i]));
	report_free(before);
	report_free(after);
}

/* A row's parts add up to it, even after rows were forgotten; going back shows the same rows as
 * before.
 */
START_TEST(opened_rows_add_up)
{
	const struct monitor_options opts = { .by = SUBJECT_PID,
					      .of = { true, true },
					      .opens = true };
	struct monitor m;
	struct report *first, *last;

	begin(&m, &opts);
	first = all_rows(&m);
	open_row(&m, 1);
	ck_assert_int_eq(m.opts.by, SUBJECT_CALLSITE);
	ck_assert_int_eq(monitor_rows_forget(&m), 0);
	open_row(&m, 0);
	ck_assert_int_eq(m.opts.by, SUBJECT_STACK);
	open_row(&m, 0);
	ck_assert(m.by_lifetime);
	ck_assert_int_eq(monitor_open(&m, 0, 0), -ENOENT);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(monitor_close(&m), 0);
	ck_assert_int_eq(monitor_close(&m), -ENOENT);
	last = all_rows(&m);
	ck_assert_uint_eq(last->tables[0]->nr_rows, first->tables[0]->nr_rows);
	ck_assert_uint_eq(sum(last->tables[0], "rate"), sum(first->tables[0], "rate"));
	ck_assert_uint_eq(sum(last->tables[0], "live"), sum(first->tables[0], "live"));
	report_free(first);
	report_free(last);
	monitor_end(&m);
}
END_TEST

/* The opened row is forgotten when it is idle and has nothing live. */
START_TEST(opened_row_is_gone)
{
	const struct monitor_options opts = { .by = SUBJECT_CALLSITE,
					      .of = { true },
					      .opens = true };
	struct monitor m;
	struct report *r;
	bool anew;
	size_t row = 0;

	begin(&m, &opts);
	r = all_rows(&m);
	while (figure(r->tables[0], row, "live"))
		row++;
	open_row(&m, row);
	report_free(r);
	for (unsigned int i = 0; i < 2 * MONITOR_FORGET_STEPS; i++)
		ck_assert_int_eq(monitor_step(&m, 1), 0);
	ck_assert(monitor_gone(&m));
	ck_assert_int_eq(monitor_regroup(&m, SUBJECT_CALLSITE, &anew), 0);
	ck_assert(!anew && !monitor_gone(&m));
	monitor_end(&m);
}
END_TEST

/* The rows of a gauge and the rest add up to all live memory. */
START_TEST(metrics_add_up)
{
	const struct monitor_options opts = { .by = SUBJECT_CALLSITE,
					      .of = { true, true } };
	const struct top_view view = { .step_ns = 1, .lines = 2 };
	const char *family = "\nkmemx_live_bytes{";
	struct strbuf text = { 0 };
	struct monitor m;
	struct report *r;
	uint64_t all = 0;
	unsigned int rows = 0;

	begin(&m, &opts);
	ck_assert_int_eq(top_metrics(&m, &view, &text), 0);
	for (const char *p = strbuf_text(&text); (p = strstr(p, family)); p++) {
		all += strtoull(strstr(p, "} ") + 2, NULL, 10);
		rows++;
	}
	ck_assert_uint_eq(rows, 4);
	r = all_rows(&m);
	ck_assert_uint_gt(r->tables[0]->nr_rows, 4);
	ck_assert_uint_eq(all, sum(r->tables[0], "live"));
	report_free(r);
	strbuf_free(&text);
	monitor_end(&m);
}
END_TEST

/* The manual names exactly the metrics: dashboards are made from it. */
START_TEST(manual_has_metrics)
{
	const struct monitor_options opts = { .by = SUBJECT_CALLSITE,
					      .of = { true, true } };
	const struct top_view view = { .step_ns = 1, .lines = 2 };
	struct strbuf text = { 0 }, manual = { 0 };
	FILE *f = fopen("../Documentation/kmemx-top.1.scd", "re");
	char chunk[4096], name[80];
	unsigned int described = 0, written = 0;
	struct monitor m;
	size_t nr;

	ck_assert_ptr_nonnull(f);
	while ((nr = fread(chunk, 1, sizeof(chunk), f)))
		strbuf_add(&manual, chunk, nr);
	fclose(f);
	begin(&m, &opts);
	ck_assert_int_eq(top_metrics(&m, &view, &text), 0);
	for (const char *p = strbuf_text(&manual); (p = strstr(p, "*kmemx_")); p++) {
		snprintf(name, sizeof(name), "# TYPE %.*s ", (int)strcspn(p + 1, "*"),
			 p + 1);
		ck_assert_msg(strstr(strbuf_text(&text), name), "not written: %s", name);
		described++;
	}
	for (const char *p = strbuf_text(&text); (p = strstr(p, "# TYPE kmemx_")); p++)
		written++;
	ck_assert_uint_gt(written, 0);
	ck_assert_uint_eq(described, written);
	strbuf_free(&text);
	strbuf_free(&manual);
	monitor_end(&m);
}
END_TEST

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
	tc = tcase_create("rows");
	tcase_add_test(tc, opened_rows_add_up);
	tcase_add_test(tc, opened_row_is_gone);
	tcase_add_test(tc, metrics_add_up);
	tcase_add_test(tc, manual_has_metrics);
	suite_add_tcase(s, tc);
	return s;
}
