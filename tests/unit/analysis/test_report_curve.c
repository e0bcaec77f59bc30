// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: analysis/browse/report_curve.c: which caches on a page have the kernel's counts. */
#include <check.h>
#include <string.h>

#include "analysis/browse/report_rows.h"
#include "base/array.h"

static struct recording_text item(const char *name, const char *text)
{
	return (struct recording_text){ (char *)name, (char *)text, strlen(text) };
}

static void add_row(struct web_report *w, uint8_t kind, const char *cache)
{
	ck_assert(!array_reserve(&w->rows, &w->rows_capacity, w->nr_rows + 1));
	w->rows[w->nr_rows++] =
		(struct web_row){ .kind = kind, .cache = web_report_name(w, cache) };
}

/* kmalloc-64 is shown for all caches of that size. A cache has one curve, however many rows it has.
 */
START_TEST(curves_by_cache)
{
	static const char slabinfo[] =
		"filp 10 525 192 21 1 :\nkmalloc-64 50 64 64 64 1 :\n"
		"kmalloc-cg-64 5 64 64 64 1 :\nidle 1 2 8 2 1 :\n";
	struct recording_text meta[] = {
		item("slabinfo.before", slabinfo),
		item("slabinfo.after", slabinfo),
		item("kernel_curve", "times +1000+500\ns filp +10+2\ns kmalloc-64 +50+7\n"
				     "s kmalloc-cg-64 +5-1\ns idle +1=1\n"),
	};
	struct recording rec = { .meta = meta, .nr_meta = 3, .nr_cpus = 2 };
	/* The curve does not depend on the time window that the page shows. */
	struct analysis_env env = { .rec = &rec, .page_size = 4096, .window = true };
	struct web_report w = { 0 };

	add_row(&w, WEB_SLAB, "filp");
	add_row(&w, WEB_SLAB, "kmalloc-64");
	add_row(&w, WEB_SLAB, "filp");
	add_row(&w, WEB_SLAB, "unheard-of");
	add_row(&w, WEB_PAGE, "idle");
	ck_assert(!report_curve_fill(&w, &env));
	ck_assert_uint_eq(w.nr_moments, 2);
	ck_assert_uint_eq(w.moments[1], 1500);
	ck_assert_uint_eq(w.nr_curves, 2);
	ck_assert_str_eq(intern_get(&w.names, w.curves[0].name, NULL), "filp");
	ck_assert_uint_eq(w.curves[0].bytes, 192);
	ck_assert_uint_eq(w.counts[1], 12);
	ck_assert_str_eq(intern_get(&w.names, w.curves[1].name, NULL), "kmalloc-64");
	ck_assert_uint_eq(w.curves[1].bytes, 64);
	ck_assert_uint_eq(w.counts[2], 55);
	ck_assert_uint_eq(w.counts[3], 61);
	web_report_free(&w);
	/* Without a curve, or a readable one. */
	meta[2] = item("kernel_curve", "times\n");
	ck_assert(!report_curve_fill(&w, &env));
	ck_assert_uint_eq(w.nr_moments, 0);
	rec.nr_meta = 2;
	ck_assert(!report_curve_fill(&w, &env));
	ck_assert_uint_eq(w.nr_moments, 0);
	web_report_free(&w);
}
END_TEST

/* The bytes of line @name at moment @m. */
static int64_t line_at(const struct web_report *w, const char *name, size_t m)
{
	for (size_t i = 0; i < w->nr_lines; i++)
		if (!strcmp(intern_get(&w->names, w->lines[i].name, NULL), name))
			return w->lines[i].bytes[m];
	ck_abort_msg("no line %s", name);
}

/* The lines add up to MemTotal; a curve without MemTotal has none. */
START_TEST(all_memory)
{
	struct recording_text meta[] = {
		item("kernel_curve",
		     "times +1000+500\nm MemTotal +1000=1\nm MemFree +600-100\n"
		     "m Cached +80=1\nm Buffers +20=1\nm Shmem +30=1\n"
		     "m KernelStack +16+4\nm VmallocUsed +20+5\nm AnonPages +100.1\n"
		     "m Percpu +4503599627370496=1\nz count +3+2\n"),
	};
	struct recording rec = { .meta = meta, .nr_meta = 1, .nr_cpus = 2 };
	struct analysis_env env = { .rec = &rec, .page_size = 4096 };
	struct web_report w = { 0 };
	size_t i, m;

	ck_assert(!report_curve_fill(&w, &env));
	ck_assert_uint_eq(w.nr_lines, 15);
	for (m = 0; m < 2; m++) {
		int64_t sum = 0;

		for (i = 0; i < w.nr_lines; i++)
			sum += w.lines[i].bytes[m];
		ck_assert_int_eq(sum, 1000 * 1024);
	}
	ck_assert_int_eq(line_at(&w, "free", 1), 500 * 1024);
	ck_assert_int_eq(line_at(&w, "free, on lists of CPUs", 1), 5 * 4096);
	ck_assert_int_eq(line_at(&w, "page cache", 0), 70 * 1024);
	ck_assert_int_eq(line_at(&w, "kernel stacks", 1), 20 * 1024);
	ck_assert_int_eq(line_at(&w, "vmalloc, without stacks", 1), 5 * 1024);
	ck_assert_int_eq(line_at(&w, "anonymous", 0), 100 * 1024);
	ck_assert_int_eq(line_at(&w, "anonymous", 1), 0);
	ck_assert_int_eq(line_at(&w, "per-CPU memory", 0), 0);
	web_report_free(&w);
	w = (struct web_report){ 0 };
	meta[0] = item("kernel_curve", "times +1000+500\nm MemFree +600-100\n");
	ck_assert(!report_curve_fill(&w, &env));
	ck_assert_uint_eq(w.nr_lines, 0);
	web_report_free(&w);
}
END_TEST

Suite *test_report_curve_suite(void)
{
	Suite *s = suite_create("analysis/report_curve");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, curves_by_cache);
	tcase_add_test(tc, all_memory);
	suite_add_tcase(s, tc);
	return s;
}
