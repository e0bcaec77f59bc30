// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: what makes a flight recorder write: its triggers, and when they are rearmed.
 * In: a directory that looks like tracefs. Out: checks.
 *
 * The files only store what is written. tests/live/record_flight.sh tests the kernel.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture/session/flight_causes.h"
#include "remove_tree.h"

Suite *test_flight_causes_suite(void);

#define PAGES  "events/kmem/mm_page_alloc/trigger"
#define SLAB   "events/kmem/kmalloc/trigger"
#define CACHE  "events/kmem/kmem_cache_alloc/trigger"
#define VICTIM "events/oom/mark_victim/trigger"
#define TRIED  "events/ftrace/print/trigger"

static char top[64], place[128];
static struct instance in;
static struct flight_watch w;
static unsigned int nr_errors;

static void count_errors(void *ctx, enum log_level level, const char *kind,
			 const char *text)
{
	(void)ctx;
	(void)kind;
	ck_assert(*text);
	nr_errors += level == LOG_ERROR;
}

static const struct log log_errors = { .fn = count_errors };

/* Writes a file and makes its directories. */
static void put(const char *file, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", place, file);
	for (char *p = strchr(path + strlen(place), '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_int_ge(fputs(text, out), 0);
	ck_assert_int_eq(fclose(out), 0);
}

static void expect_file(const char *file, const char *wanted)
{
	struct strbuf sb = { 0 };

	ck_assert_int_eq(instance_read(&in, file, &sb), 0);
	ck_assert_str_eq(strbuf_text(&sb), wanted);
	strbuf_free(&sb);
}

static void set_up(void)
{
	static const char *const triggers[] = { PAGES, SLAB, CACHE, VICTIM, TRIED };

	snprintf(top, sizeof(top), "/tmp/kmemx-causes.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(place, sizeof(place), "%s/instances", top);
	ck_assert_int_eq(mkdir(place, 0700), 0);
	snprintf(place, sizeof(place), "%s/instances/own", top);
	ck_assert_int_eq(mkdir(place, 0700), 0);
	for (size_t i = 0; i < sizeof(triggers) / sizeof(*triggers); i++)
		put(triggers[i], "");
	put("tracing_on", "1");
	put("trace", "");
	put("trace_marker", "");
	in = (struct instance){ .tracefs = tracefs_instance_alloc(top, "own"),
				.lock_fd = -1 };
	ck_assert_ptr_nonnull(in.tracefs);
	nr_errors = 0;
	w = (struct flight_watch){ .pressure_fd = -1, .kmsg_fd = -1 };
}

static void clean_up(void)
{
	flight_watch_close(&w);
	tracefs_instance_free(in.tracefs);
	remove_tree(top);
}

static int watch(const struct flight_causes *on)
{
	return flight_watch_open(&w, &in, on, false, &log_errors);
}

/* Simulates a kernel that stops tracing by itself. */
static void watch_triggers(const struct flight_causes *on, bool narrow)
{
	w = (struct flight_watch){ .on = on,
				   .in = &in,
				   .log = &log_errors,
				   .pressure_fd = -1,
				   .kmsg_fd = -1,
				   .kernel_stops = true,
				   .narrow = narrow };
	put(PAGES, "");
	put(SLAB, "");
	put(CACHE, "");
	put(VICTIM, "");
}

/* --- abilities of the kernel -------------------------------------------------------------- */

START_TEST(a_kernel_that_does_not_stop)
{
	const struct flight_causes oom = { .oom = true };
	const struct flight_causes order = { .oom = true, .min_order = 3 };
	const struct flight_causes failure = { .failure = true };
	const struct flight_causes counter = { .sunreclaim = 1 };

	/* These files never stop tracing, which the trial finds out. */
	ck_assert_int_eq(watch(&oom), 0);
	ck_assert(!w.kernel_stops);
	ck_assert_uint_eq(flight_watch_period_ns(&w), 0);
	ck_assert_int_eq(flight_watch_arm(&w, 0), 0);
	expect_file(VICTIM, "");
	ck_assert(!flight_watch_due(&w, 1));
	ck_assert_uint_eq(nr_errors, 0);
	ck_assert_int_eq(watch(&order), -ENOTSUP);
	ck_assert_uint_eq(nr_errors, 1);
	ck_assert_int_eq(watch(&failure), -ENOTSUP);
	ck_assert_uint_eq(nr_errors, 2);
	/* Counters need no trigger, so there is no trial. */
	put(TRIED, "");
	ck_assert_int_eq(watch(&counter), 0);
	expect_file(TRIED, "");
	ck_assert_uint_eq(flight_watch_period_ns(&w), 1000000000);
}
END_TEST

/* --- triggers ---------------------------------------------------------------------------- */

START_TEST(conditions)
{
	const struct flight_causes oom = { .oom = true };
	const struct flight_causes warned = { .failure = true, .no_warn = 0x2000 };
	const struct flight_causes all = { .failure = true, .min_order = 9 };
	const struct flight_causes order = { .min_order = 4 };

	watch_triggers(&oom, false);
	ck_assert_int_eq(flight_watch_arm(&w, 0), 0);
	expect_file(VICTIM, "traceoff:1 if pid > 0");
	expect_file(PAGES, "");
	expect_file(SLAB, "");
	watch_triggers(&warned, false);
	ck_assert_int_eq(flight_watch_arm(&w, 0), 0);
	expect_file(VICTIM, "");
	expect_file(PAGES,
		    "traceoff:1 if (pfn == 0xffffffffffffffff && !(gfp_flags & 0x2000))");
	expect_file(SLAB, "traceoff:1 if ptr == 0 && !(gfp_flags & 0x2000)");
	expect_file(CACHE, "traceoff:1 if ptr == 0 && !(gfp_flags & 0x2000)");
	watch_triggers(&all, true);
	ck_assert_int_eq(flight_watch_arm(&w, 0), 0);
	expect_file(PAGES, "traceoff:1 if (pfn == 0xffffffff) || order >= 9");
	expect_file(SLAB, "traceoff:1 if ptr == 0");
	watch_triggers(&order, false);
	ck_assert_int_eq(flight_watch_arm(&w, 0), 0);
	expect_file(PAGES, "traceoff:1 if order >= 4");
	expect_file(SLAB, "");
	ck_assert_uint_eq(nr_errors, 0);
}
END_TEST

START_TEST(set_again_in_time)
{
	const struct flight_causes on = { .oom = true, .min_order = 4 };
	char path[256];

	watch_triggers(&on, false);
	ck_assert_int_eq(flight_watch_arm(&w, 100), 0);
	ck_assert(!flight_watch_due(&w, 100));
	/* One has fired and stays off until 500; the other is armed. */
	w.again_at[FLIGHT_OOM] = 500;
	put(VICTIM, "");
	put(PAGES, "");
	ck_assert_int_eq(flight_watch_arm(&w, 200), 0);
	expect_file(VICTIM, "!traceoff");
	expect_file(PAGES, "!traceofftraceoff:1 if order >= 4");
	ck_assert(!flight_watch_due(&w, 499));
	ck_assert(flight_watch_due(&w, 500));
	put(VICTIM, "");
	ck_assert_int_eq(flight_watch_arm(&w, 500), 0);
	expect_file(VICTIM, "traceoff:1 if pid > 0");
	ck_assert(!flight_watch_due(&w, 600));
	/* The kernel refuses the trigger. */
	snprintf(path, sizeof(path), "%s/" VICTIM, place);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_lt(flight_watch_arm(&w, 600), 0);
	ck_assert_uint_eq(nr_errors, 1);
}
END_TEST

START_TEST(which_has_fired)
{
	const struct flight_causes on = { .oom = true, .failure = true };

	watch_triggers(&on, false);
	put(PAGES,
	    "stacktrace:unlimited\ntraceoff:count=0 if (pfn == 0xffffffffffffffff)\n");
	/* While tracing is on, triggers do not matter. */
	ck_assert_int_eq(flight_watch_stopped(&w), FLIGHT_NOTHING);
	put("tracing_on", "0\n");
	ck_assert_int_eq(flight_watch_stopped(&w), FLIGHT_PAGE);
	ck_assert_str_eq(flight_cause_name(&w, FLIGHT_PAGE), "failure");
	/* If two have fired, the first one of the table counts. */
	put(VICTIM, "traceoff:count=0 if pid > 0\n");
	ck_assert_int_eq(flight_watch_stopped(&w), FLIGHT_OOM);
	put(VICTIM, "traceoff:count=1 if pid > 0\n");
	put(PAGES, "# Available triggers:\n# traceon traceoff snapshot\n");
	put(CACHE, "traceoff:count=0 if ptr == 0\n");
	ck_assert_int_eq(flight_watch_stopped(&w), FLIGHT_FAILURE);
	put(CACHE, "");
	ck_assert_int_eq(flight_watch_stopped(&w), FLIGHT_STOPPED);
	ck_assert_str_eq(flight_cause_name(&w, FLIGHT_STOPPED), "stopped");
}
END_TEST

/* --- counters ---------------------------------------------------------------------------- */

START_TEST(counters)
{
	const struct flight_cache none = { "kmemx no such cache", 1 };
	struct flight_causes on = { .sunreclaim = 1, .caches = &none, .nr_caches = 1 };

	ck_assert_int_eq(watch(&on), 0);
	/* Every kernel has more than one byte of unreclaimable slab, and none has 2^64. */
	ck_assert_int_eq(flight_watch_counters(&w, 10), FLIGHT_SUNRECLAIM);
	w.again_at[FLIGHT_SUNRECLAIM] = 20;
	ck_assert_int_eq(flight_watch_counters(&w, 19), FLIGHT_NOTHING);
	ck_assert_int_eq(flight_watch_counters(&w, 20), FLIGHT_SUNRECLAIM);
	on.sunreclaim = UINT64_MAX;
	ck_assert_int_eq(flight_watch_counters(&w, 30), FLIGHT_NOTHING);
	on.sunreclaim = 0;
	ck_assert_int_eq(flight_watch_counters(&w, 30), FLIGHT_NOTHING);
	/* If slabinfo is readable, it has this cache. */
	if (access("/proc/slabinfo", R_OK) == 0) {
		const struct flight_cache tasks = { "task_struct", 1 };

		on.caches = &tasks;
		ck_assert_int_eq(flight_watch_counters(&w, 30), FLIGHT_CACHE);
		w.again_at[FLIGHT_CACHE] = 31;
		ck_assert_int_eq(flight_watch_counters(&w, 30), FLIGHT_NOTHING);
	}
}
END_TEST

START_TEST(pressure)
{
	const struct flight_causes bad = { .pressure = "no such thing" };

	/* Either the kernel lacks the file, or it refuses the text. */
	ck_assert_int_eq(watch(&bad), -ENOTSUP);
	ck_assert_uint_eq(nr_errors, 1);
}
END_TEST

START_TEST(names)
{
	const struct flight_causes both = { .failure = true, .min_order = 2 };
	const struct flight_causes order = { .min_order = 2 };

	w.on = &both;
	ck_assert_str_eq(flight_cause_name(&w, FLIGHT_PAGE), "failure-or-order");
	w.on = &order;
	ck_assert_str_eq(flight_cause_name(&w, FLIGHT_PAGE), "order");
	for (int i = FLIGHT_OOM; i < NR_FLIGHT_CAUSES; i++)
		ck_assert_ptr_nonnull(flight_cause_name(&w, (enum flight_cause)i));
}
END_TEST

Suite *test_flight_causes_suite(void)
{
	Suite *s = suite_create("capture/flight_causes");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, clean_up);
	tcase_add_test(tc, a_kernel_that_does_not_stop);
	tcase_add_test(tc, conditions);
	tcase_add_test(tc, set_again_in_time);
	tcase_add_test(tc, which_has_fired);
	tcase_add_test(tc, counters);
	tcase_add_test(tc, pressure);
	tcase_add_test(tc, names);
	suite_add_tcase(s, tc);
	return s;
}
