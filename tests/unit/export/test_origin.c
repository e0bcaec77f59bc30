// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the origin of a recording, export/origin.h: what a file says about itself, however wrong.
 */
#include <check.h>
#include <string.h>

#include "export/origin.h"

static void set_meta(struct recording_text *meta, const char *name, const char *text)
{
	*meta = (struct recording_text){ (char *)name, (char *)text, strlen(text) };
}

static void origin_of(struct export_origin *o, const char *uname, const char *clock,
		      const char *labels, uint64_t bytes)
{
	struct recording_text meta[3];
	const struct recording rec = { .uname = (char *)uname,
				       .file_bytes = bytes,
				       .meta = meta,
				       .nr_meta = ARRAY_SIZE(meta) };

	set_meta(&meta[0], "wall_clock", clock);
	set_meta(&meta[1], RECORDING_META_LABELS, labels);
	set_meta(&meta[2], "build_id", "c0ffee\n");
	ck_assert_int_eq(export_origin_init(o, &rec), 0);
}

START_TEST(test_known)
{
	struct export_origin o;

	origin_of(&o, "Linux web12 6.1.0 x86_64", "2026-11-22T21:45:07Z",
		  "rack=a12\nrole=a \"b\"=c\n", 1);
	ck_assert_str_eq(o.build_id, "c0ffee");
	ck_assert_str_eq(o.day, "2026-11-22");
	ck_assert_int_eq(o.start, 1795383907);
	ck_assert_str_eq(o.labels, "{\"rack\":\"a12\",\"role\":\"a \\\"b\\\"=c\"}");
	export_origin_free(&o);
	origin_of(&o, "Linux (none) 6.1.0 x86_64", "1970-01-01T00:00:00Z", "", 1);
	ck_assert_str_eq(o.day, "1970-01-01");
	ck_assert_int_eq(o.start, 0);
	ck_assert_ptr_null(o.labels);
	export_origin_free(&o);
	origin_of(&o, "Linux 6.1.0 x86_64", "2024-02-29T23:59:60Z", "=a\nb\n\n", 1);
	ck_assert_int_eq(o.start, 1709251200);
	ck_assert_ptr_null(o.labels);
	export_origin_free(&o);
}
END_TEST

/* Counters of meminfo, in KiB, and pages of zoneinfo. Missing ones are 0. */
START_TEST(test_balance)
{
	struct recording_text meta[3];
	const struct recording rec = { .uname = (char *)"Linux web12 6.1.0 x86_64",
				       .meta = meta,
				       .nr_meta = ARRAY_SIZE(meta) };
	struct export_origin o;

	set_meta(&meta[0], "meminfo.before", "MemTotal: 100 kB\nMemFree: 40 kB\n");
	set_meta(&meta[1], "meminfo.after", "MemTotal: 100 kB\nMemFree: 120 kB\n");
	set_meta(&meta[2], "build_id", "");
	ck_assert_int_eq(export_origin_init(&o, &rec), 0);
	ck_assert_str_eq(
		o.balance,
		"{\"free\":[40960,122880],\"free_cpus\":[0,0],\"anonymous\":[0,0],"
		"\"page_cache\":[0,0],\"shmem\":[0,0],\"swap_cache\":[0,0],"
		"\"slab_reclaimable\":[0,0],\"slab_unreclaimable\":[0,0],"
		"\"stacks\":[0,0],\"page_tables\":[0,0],\"vmalloc\":[0,0],"
		"\"percpu\":[0,0],\"hugetlb\":[0,0],\"other\":[0,0],"
		"\"uncounted\":[61440,-20480]}");
	export_origin_free(&o);
	set_meta(&meta[1], "other", "");
	ck_assert_int_eq(export_origin_init(&o, &rec), 0);
	ck_assert_ptr_null(o.balance);
	export_origin_free(&o);
}
END_TEST

START_TEST(test_host)
{
	static const char *const hosts[][2] = { { "Linux web12 6.1.0 x86_64", "web12" },
						{ "Linux (none) 6.1.0 x86_64", "" },
						{ "Linux 6.1.0 x86_64", "" } };
	const struct recording rec = { .uname = (char *)hosts[_i][0] };

	ck_assert_str_eq(recording_host(&rec).text, hosts[_i][1]);
}
END_TEST

/* Gives no time rather than one that a database rejects. */
START_TEST(test_no_time)
{
	static const char *const clocks[] = {
		"",
		"2026-11-22",
		"2023-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-11-31T00:00:00Z",
		"2026-11-22T24:00:00Z",
		"1969-12-31T23:59:59Z",
		"2026--1-22T00:00:00Z",
		"2026-11-22T21:45:07",
	};
	struct export_origin o;

	origin_of(&o, "", clocks[_i], "a=\x1b[31m\xff\n", 1);
	ck_assert_str_eq(o.day, "");
	ck_assert_str_eq(o.labels, "{\"a\":\"\\\\x1b[31m\\\\xff\"}");
	export_origin_free(&o);
}
END_TEST

START_TEST(test_id)
{
	struct export_origin a, b, c;

	/* Test vectors of FNV's authors. */
	ck_assert_uint_eq(export_hash(EXPORT_HASH, "", 0), 0xcbf29ce484222325);
	ck_assert_uint_eq(export_hash(EXPORT_HASH, "foobar", 6), 0x85944171f73967e8);
	origin_of(&a, "Linux web12 6.1.0 x86_64", "", "", 100);
	origin_of(&b, "Linux web12 6.1.0 x86_64", "", "", 100);
	origin_of(&c, "Linux web12 6.1.0 x86_64", "", "", 101);
	ck_assert_uint_eq(strlen(a.id), 16);
	ck_assert_str_eq(a.id, b.id);
	ck_assert_str_ne(a.id, c.id);
	export_origin_free(&a);
	export_origin_free(&b);
	export_origin_free(&c);
}
END_TEST

Suite *test_origin_suite(void);

Suite *test_origin_suite(void)
{
	Suite *s = suite_create("origin");
	TCase *t = tcase_create("origin");

	tcase_add_test(t, test_known);
	tcase_add_test(t, test_balance);
	tcase_add_loop_test(t, test_host, 0, 3);
	tcase_add_loop_test(t, test_no_time, 0, 10);
	tcase_add_test(t, test_id);
	suite_add_tcase(s, t);
	return s;
}
