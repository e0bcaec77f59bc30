// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: live bytes over time, analysis/time/over_time.h, compared with a list of all changes;
 * those of all rows together, compared with the accounts at the end.
 */
#include <check.h>
#include <stdlib.h>

#include "analysis/time/over_time.h"
#include "opened.h"

enum { CHANGES = 2000, ROWS_NR = 3 };

struct change {
	uint64_t ts, bytes; /* bytes allocated */
	uint32_t row;
};

static uint64_t lived(const struct change *changes, uint32_t row, uint64_t before)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CHANGES; i++)
		sum += changes[i].row == row && changes[i].ts < before ? changes[i].bytes
								       : 0;
	return sum;
}

/* At @ts, @row gains @more live bytes and loses @less. */
static void change(struct over_time *t, uint32_t row, uint64_t ts, uint64_t more,
		   uint64_t less)
{
	over_time_add(t, row, ts,
		      &(struct over_time_cell){ .bytes = more, .ended = less });
}

/* @row's live bytes at the end of @bin. */
static uint64_t live_at(const struct over_time *t, uint32_t row, unsigned int bin)
{
	uint64_t bins[OVER_TIME_BINS] = { 0 };

	over_time_live(t, row, bins);
	return bins[bin];
}

START_TEST(bins)
{
	struct change *changes = calloc(CHANGES, sizeof(*changes));
	struct over_time t;
	uint64_t first = 1000000, ts = first;
	unsigned int nr = 1 + 13 * (unsigned int)_i, bin;
	uint32_t seed = 9, i;

	for (i = 0; i < CHANGES; i++) {
		seed = seed * 1103515245 + 12345;
		changes[i] = (struct change){ ts, seed >> 20, (seed >> 8) % ROWS_NR };
		ts += (seed >> 12) % 977;
	}
	over_time_init_parts(&t, first, ts, nr);
	for (i = 0; i < CHANGES; i++)
		change(&t, changes[i].row, changes[i].ts, changes[i].bytes, 0);
	over_time_end(&t);
	for (i = 0; i < ROWS_NR; i++) {
		for (bin = 0; bin < nr; bin++)
			ck_assert_uint_eq(live_at(&t, i, bin),
					  lived(changes, i, first + (bin + 1) * t.width));
	}
	ck_assert(!t.failed);
	ck_assert_uint_eq(live_at(&t, ROWS_NR, 0), 0);
	over_time_free(&t);
	free(changes);
}
END_TEST

/* Times beyond both ends, and corrections at the end. */
START_TEST(ends)
{
	struct over_time t;

	over_time_init_parts(&t, 100, 199, 4);
	change(&t, 0, 50, 10, 0);
	change(&t, 0, 500, 5, 0);
	change(&t, 0, 500, 0, 1);
	change(&t, 0, UINT64_MAX, 0, 4);
	over_time_end(&t);
	ck_assert_uint_eq(live_at(&t, 0, 0), 10);
	ck_assert_uint_eq(live_at(&t, 0, 2), 10);
	ck_assert_uint_eq(live_at(&t, 0, 3), 10);
	over_time_free(&t);
	over_time_init_parts(&t, 100, 199, 4);
	change(&t, 0, 100, 8, 0);
	change(&t, 0, UINT64_MAX, 0, 8);
	over_time_end(&t);
	ck_assert_uint_eq(live_at(&t, 0, 2), 8);
	ck_assert_uint_eq(live_at(&t, 0, 3), 0);
	over_time_free(&t);
	/* With 0 bins. */
	over_time_init_parts(&t, 1, 2, 0);
	change(&t, 0, 1, 8, 0);
	change(&t, 0, UINT64_MAX, 0, 8);
	ck_assert_uint_eq(t.nr_rows, 0);
	over_time_free(&t);
}
END_TEST

/* Bins have equal lengths up to the last event, when the live bytes are those of the accounts. */
START_TEST(all_rows_together)
{
	const struct analysis *analysis = analysis_find("live_over_time");
	const struct analysis_set set = { .analyses = &analysis,
					  .nr = 1,
					  .opts = &(struct analysis_options){ 0 } };
	struct opened in;
	const struct table *t;
	uint64_t live = 0, width, hit = 0;
	struct analyses *all;
	struct kmem_event ev;

	opened_open(&in, "data/bookworm-amd64-small-stack.v7.dat");
	in.env.first_ts = 0;
	in.env.last_ts = 999;
	ck_assert(!analyses_new(&all, &in.env, &set));
	for (uint64_t i = 0; i < 1000; i++) {
		ev = (struct kmem_event){ .type = KMEM_KMALLOC, .ts = i };
		ev.slab_alloc.ptr = 0x1000 + 64 * (i % 40);
		ev.slab_alloc.bytes_req = ev.slab_alloc.bytes_alloc = 64;
		if (i % 40 < 20 && i >= 40) {
			ev.type = KMEM_KFREE;
			ev.slab_free.ptr = 0x1000 + 64 * (i % 40);
			live -= i < 60 ? 64 : 0;
		} else {
			hit++;
			live += i < 40 ? 64 : 0;
		}
		analyses_observe(all, &ev, 1);
	}
	ck_assert(!analyses_view(all, in.report));
	t = report_table(in.report, "live_over_time");
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_gt(t->nr_rows, 200);
	width = table_cell(t, 0, 0)->u;
	for (size_t i = 0; i < t->nr_rows; i++) {
		ck_assert_uint_eq(table_cell(t, i, 0)->u, (i + 1) * width);
		hit -= table_cell(t, i, 3)->u;
	}
	ck_assert_uint_gt(t->nr_rows * width, 999);
	ck_assert_uint_le((t->nr_rows - 1) * width, 999);
	ck_assert_uint_eq(hit, 0);
	ck_assert_uint_eq(table_cell(t, t->nr_rows - 1, 1)->u, live);
	analyses_free(all);
	opened_close(&in);
}
END_TEST

Suite *test_timeline_suite(void);

Suite *test_timeline_suite(void)
{
	Suite *s = suite_create("analysis/timeline");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, bins, 0, 10);
	tcase_add_test(tc, ends);
	tcase_add_test(tc, all_rows_together);
	suite_add_tcase(s, tc);
	return s;
}
