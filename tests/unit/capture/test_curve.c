// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/curve.h: what is read from files like those in /proc, which moments are
 * dropped to make room, and what a moment may cost.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/facts/curve.h"
#include "remove_tree.h"

static char dir[64];

static void put(const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void put_filp(unsigned int active)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "slabinfo - version: 2.1\n# name            <active_objs> <num_objs>\n"
		 "filp              %u   9999    256   16    1\n",
		 active);
	put("slabinfo", text);
}

static void set_up(void)
{
	snprintf(dir, sizeof(dir), "/tmp/kmemx-curve.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	put_filp(700);
	put("meminfo",
	    "MemTotal:  8000 kB\nDirty: 5 kB\nMemFree:  77 kB\nCached:    0 kB\n");
	put("vmstat", "nr_free_pages 12\npgalloc_dma 5\npgalloc_normal 6\npgfree 8\n"
		      "pgfree_more 9\n");
	put("zoneinfo", "Node 0, zone DMA\n    cpu: 0\n              count:    5\n"
			"              count: 7\n");
	put("buddyinfo", "Node 0, zone      DMA      1      2 \n"
			 "Node 0, zone   Normal      0      0      1\n");
}

static void tear_down(void)
{
	remove_tree(dir);
}

static uint64_t last_of(const struct curve *c, enum kernel_counter from, const char *name)
{
	const struct kernel_series *series = kernel_curve_find(&c->counts, from, name);

	ck_assert_ptr_nonnull(series);
	return series->at[c->counts.nr - 1];
}

START_TEST(reads_the_files)
{
	struct curve c = { 0 };

	ck_assert(!curve_open(&c, dir, false));
	ck_assert(curve_due(&c, clock_ns(CLOCK_MONOTONIC)));
	ck_assert(!curve_take(&c, 1000, false));
	ck_assert_uint_eq(c.counts.nr, 1);
	ck_assert_uint_eq(c.counts.times[0], 1000);
	ck_assert_uint_eq(last_of(&c, KERNEL_SLAB, "filp"), 700);
	ck_assert_uint_eq(last_of(&c, KERNEL_MEMINFO, "MemFree"), 77);
	ck_assert_uint_eq(last_of(&c, KERNEL_ZONEINFO, "count"), 12);
	ck_assert_uint_eq(last_of(&c, KERNEL_MEMINFO, "Cached"), 0);
	ck_assert_ptr_null(kernel_curve_find(&c.counts, KERNEL_MEMINFO, "Dirty"));
	ck_assert_uint_eq(last_of(&c, KERNEL_VMSTAT, "pgalloc"), 11);
	ck_assert_uint_eq(last_of(&c, KERNEL_VMSTAT, "pgfree"), 8);
	ck_assert_ptr_null(kernel_curve_find(&c.counts, KERNEL_VMSTAT, "pgfree_more"));
	ck_assert_uint_eq(last_of(&c, KERNEL_BUDDY, "pages"), 1 + 2 * 2 + 4);
	ck_assert_uint_eq(c.counts.series.nr, 8);
	/* The files stay open, and are read from their beginning. */
	put_filp(650);
	ck_assert(!curve_take(&c, 2000, false));
	ck_assert_uint_eq(last_of(&c, KERNEL_SLAB, "filp"), 650);
	/* With a clock in ns, a moment's time is the middle of the reading. */
	ck_assert(!curve_take(&c, 3000, true));
	ck_assert_uint_ge(c.counts.times[2], 3000);
	curve_free(&c);
}
END_TEST

/* Without slabinfo there is no curve; the other files may be missing. */
START_TEST(missing_files)
{
	struct curve c = { 0 };
	char path[128];

	ck_assert_int_eq(curve_open(&c, "/nowhere", false), -ENOENT);
	ck_assert(!curve_due(&c, UINT64_MAX));
	ck_assert(!curve_take(&c, 1000, false));
	ck_assert_uint_eq(c.counts.nr, 0);
	snprintf(path, sizeof(path), "%s/meminfo", dir);
	ck_assert(!unlink(path));
	ck_assert(!curve_open(&c, dir, false));
	ck_assert(!curve_take(&c, 1000, false));
	ck_assert_uint_eq(last_of(&c, KERNEL_SLAB, "filp"), 700);
	ck_assert_ptr_null(kernel_curve_find(&c.counts, KERNEL_MEMINFO, "MemFree"));
	curve_free(&c);
}
END_TEST

/* The next moment is so much later that all moments take less than 0.5 % of a CPU. */
START_TEST(costs_little)
{
	struct curve c = { 0 };
	uint64_t begin, spent = 0;
	unsigned int i;

	ck_assert(!curve_open(&c, dir, false));
	for (i = 0; i < 20; i++) {
		begin = clock_ns(CLOCK_MONOTONIC);
		ck_assert(!curve_take(&c, 1000 + i, false));
		ck_assert(!curve_due(&c, begin));
		ck_assert_uint_ge(c.next_ns - begin, c.apart_ns);
		ck_assert_uint_ge(c.next_ns - begin, (c.spent_ns - spent) * 200);
		spent = c.spent_ns;
	}
	curve_free(&c);
}
END_TEST

/* However long it takes, 32 to 64 evenly spread moments remain if each is taken when due. Intervals
 * double each time room is made.
 */
START_TEST(even_moments)
{
	uint64_t time = 1000, apart = 1000, before;
	struct curve c = { 0 };
	unsigned int i;

	ck_assert(!curve_open(&c, dir, false));
	for (i = 0; i < 300; i++) {
		before = c.counts.nr;
		ck_assert(!curve_take(&c, time, false));
		apart *= c.counts.nr < before ? 2 : 1;
		time += apart;
	}
	ck_assert_uint_ge(c.counts.nr, KERNEL_CURVE_MOMENTS / 2);
	ck_assert_uint_eq(c.counts.times[0], 1000);
	for (i = 1; i + 1 < c.counts.nr; i++)
		ck_assert_uint_eq(c.counts.times[i] - c.counts.times[i - 1], apart);
	curve_free(&c);
}
END_TEST

/* A flight recorder keeps the latest moments, and some of all ages. */
START_TEST(latest_moments)
{
	struct curve c = { 0 };
	unsigned int i, young = 0, old = 0;

	ck_assert(!curve_open(&c, dir, true));
	for (i = 1; i <= 2000; i++)
		ck_assert(!curve_take(&c, i * 1000000ULL, false));
	ck_assert_uint_eq(c.counts.nr, KERNEL_CURVE_MOMENTS);
	ck_assert_uint_eq(c.counts.times[0], 1000000);
	for (i = 0; i < c.counts.nr; i++) {
		uint64_t age = 2000000000 - c.counts.times[i];

		young += age < 50000000;
		old += age > 1000000000;
	}
	ck_assert_uint_ge(young, 16);
	ck_assert_uint_ge(old, 2);
	curve_free(&c);
}
END_TEST

Suite *test_curve_suite(void)
{
	Suite *s = suite_create("capture/curve");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, reads_the_files);
	tcase_add_test(tc, missing_files);
	tcase_add_test(tc, costs_little);
	tcase_add_test(tc, even_moments);
	tcase_add_test(tc, latest_moments);
	suite_add_tcase(s, tc);
	return s;
}
