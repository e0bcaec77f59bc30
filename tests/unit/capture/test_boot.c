// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: capture/events/boot.h, and what capture/session/capture.h reports about a reboot.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "capture/events/boot.h"

#define MIB ((uint64_t)1 << 20)

static struct strbuf line, notes, said;

static void hear(void *ctx, enum log_level level, const char *kind, const char *message)
{
	strbuf_printf(&said, "%d %s\n", (int)level, message);
}

static const struct log log_to_buffer = { hear, NULL };

static struct boot_options options(unsigned int major, unsigned int minor)
{
	return (struct boot_options){ .major = major,
				      .minor = minor,
				      .memory_bytes = 512 * MIB,
				      .nr_cpus = 2,
				      .events = { .page = true,
						  .stack = CAPTURE_STACK_PAGE },
				      .log = &log_to_buffer };
}

static int compose(const struct boot_options *o)
{
	strbuf_reset(&line);
	strbuf_reset(&notes);
	strbuf_reset(&said);
	return boot_cmdline(o, &line, &notes);
}

static void teardown(void)
{
	strbuf_free(&line);
	strbuf_free(&notes);
	strbuf_free(&said);
}

#define PAGE_EVENTS "kmem:mm_page_alloc,kmem:mm_page_free,kmem:mm_page_free_batched"

START_TEST(by_kernel)
{
	struct boot_options o = options(6, 12);

	ck_assert_int_eq(compose(&o), 0);
	ck_assert_str_eq(
		strbuf_text(&line),
		"trace_event=" PAGE_EVENTS " trace_buf_size=16M"
		" trace_clock=global trace_options=nooverwrite trace_trigger=mm_page_alloc.stacktrace");
	ck_assert_uint_eq(said.size, 0);
	o = options(6, 1); /* kernels before trace_trigger= */
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_str_eq(strbuf_text(&line),
			 "trace_event=" PAGE_EVENTS " trace_buf_size=16M"
			 " trace_clock=global trace_options=nooverwrite,stacktrace");
	ck_assert_ptr_nonnull(strstr(strbuf_text(&said), "before Linux 6.2"));
	o = options(3, 2); /* kernels before trace_options= */
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_str_eq(strbuf_text(&line),
			 "trace_event=" PAGE_EVENTS " trace_buf_size=16M");
	ck_assert_ptr_nonnull(strstr(strbuf_text(&said), "cannot record callchains"));
}
END_TEST

/* Kernels before 6.1 have the _node variants. */
START_TEST(slab_events)
{
	struct boot_options o = options(6, 0);

	o.events = (struct event_choice){ .slab = true };
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&line), "kmem:kmalloc_node,"));
	o.minor = 1;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_ptr_null(strstr(strbuf_text(&line), "_node"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&line), "kmem:kmalloc,"));
}
END_TEST

/* A kernel gets the events that it has; areas have callchains like pages. */
START_TEST(areas)
{
	struct boot_options o = options(6, 3);

	o.events.vmalloc = o.events.percpu_memory = true;
	o.min_order = 2;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_ptr_nonnull(
		strstr(strbuf_text(&line),
		       "trace_event=" PAGE_EVENTS
		       ",vmalloc:alloc_vmap_area,vmalloc:free_vmap_area_noflush"
		       ",percpu:percpu_alloc_percpu,percpu:percpu_free_percpu "));
	ck_assert_ptr_nonnull(strstr(
		strbuf_text(&line),
		"trace_trigger=\"mm_page_alloc.stacktrace if order >= 2,alloc_vmap_area.stacktrace\""));
	o.minor = 2;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_ptr_null(strstr(strbuf_text(&line), "vmap"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&line), "percpu:"));
	o.major = 4, o.minor = 13;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_ptr_null(strstr(strbuf_text(&line), "percpu:"));
	o.events.page = false;
	ck_assert_int_eq(compose(&o), -EOPNOTSUPP);
	o = options(6, 3);
	o.events.page = false;
	o.events.vmalloc = true;
	o.min_order = 2;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_ptr_nonnull(
		strstr(strbuf_text(&line), "trace_trigger=alloc_vmap_area.stacktrace"));
}
END_TEST

START_TEST(choices)
{
	static const char *const extra[] = { "sched:sched_process_exec" };
	struct boot_options o = options(6, 12);

	o.instance = "early";
	o.min_order = 3;
	o.keep_last = true;
	o.buffer_bytes = 1536 * 1024;
	o.events.extra = extra;
	o.events.nr_extra = 1;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_str_eq(
		strbuf_text(&line),
		"trace_instance=early," PAGE_EVENTS ",sched:sched_process_exec"
		" trace_buf_size=1536K trace_trigger=\"mm_page_alloc.stacktrace if order >= 3\"");
	ck_assert_ptr_nonnull(
		strstr(strbuf_text(&notes), "kmemx extract --instance early"));
	o.persistent = true;
	o.min_order = 0;
	o.events.nr_extra = 0;
	o.events.stack = CAPTURE_STACK_NONE;
	ck_assert_int_eq(compose(&o), 0);
	ck_assert_str_eq(
		strbuf_text(&line),
		"reserve_mem=3M:2M:kmemx trace_instance=early^traceoff@kmemx," PAGE_EVENTS);
}
END_TEST

START_TEST(refused)
{
	static const char *const bad[] = { "kmem:kmalloc trace_event=all" };
	static const char *const names[] = { "",     "a,b",	 "a^b", "a b",
					     "../a", "kmemx-12", "a\"b" };
	struct boot_options o = options(6, 2);

	o.instance = "early";
	ck_assert_int_eq(compose(&o), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&said), "Linux 6.3"));
	o.minor = 11;
	o.persistent = true;
	ck_assert_int_eq(compose(&o), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&said), "Linux 6.12"));
	o = options(2, 6);
	ck_assert_int_eq(compose(&o), -EOPNOTSUPP);
	o = options(6, 12);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		o.instance = names[i];
		ck_assert_int_eq(compose(&o), -EINVAL);
	}
	o.instance = NULL;
	o.events.extra = bad;
	o.events.nr_extra = 1;
	ck_assert_int_eq(compose(&o), -EINVAL);
}
END_TEST

START_TEST(buffer_size)
{
	ck_assert_uint_eq(boot_buffer_bytes(512 * MIB, 2), 16 * MIB);
	ck_assert_uint_eq(boot_buffer_bytes(16 * MIB, 4), MIB);
	ck_assert_uint_eq(boot_buffer_bytes(100 * MIB, 2), 3 * MIB);
	ck_assert_uint_eq(boot_buffer_bytes(1024 * 1024 * MIB, 16), 64 * MIB);
	ck_assert_uint_eq(boot_buffer_bytes(64 * MIB, 0), 4 * MIB);
}
END_TEST

Suite *test_boot_suite(void);
Suite *test_boot_suite(void)
{
	Suite *suite = suite_create("capture/boot");
	TCase *tc = tcase_create("boot");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, by_kernel);
	tcase_add_test(tc, slab_events);
	tcase_add_test(tc, areas);
	tcase_add_test(tc, choices);
	tcase_add_test(tc, refused);
	tcase_add_test(tc, buffer_size);
	suite_add_tcase(suite, tc);
	return suite;
}
