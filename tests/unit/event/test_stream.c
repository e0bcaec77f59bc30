// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/stream.h, on pages built here.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/stream_builder.h"

static void check_fields(unsigned int word_size, bool big_endian)
{
	uint64_t ones = word_size == 8 ? UINT64_MAX : UINT32_MAX;

	setup_for(word_size, big_endian);
	begin_cpu();
	begin_page(1000);
	add_alloc(1000, 77, 0x12345);
	add_stack(1001, 77, 0xc0de0000, 3, 3);
	add_alloc(1002, -1, ones);
	add_free(1003, 5, 0xdeadbee0, "task_struct");
	add_free(1004, 5, 0, "a name that is longer than sixteen bytes");
	add_free(1005, 5, 16, "task_struct");
	open_all();
	expect(KMEM_PAGE_ALLOC, 1000, 0);
	ck_assert_int_eq(ev.pid, 77);
	ck_assert_uint_eq(ev.id, ID_ALLOC);
	ck_assert_uint_eq(ev.page_alloc.pfn, 0x12345);
	ck_assert_uint_eq(ev.page_alloc.order, 3);
	ck_assert_uint_eq(ev.page_alloc.gfp_flags, 0xcc0);
	ck_assert_int_eq(ev.page_alloc.migratetype, 1);
	expect_stack(0xc0de0000, 3);
	expect(KMEM_PAGE_ALLOC, 1002, 0);
	ck_assert_int_eq(ev.pid, -1);
	ck_assert(ev.page_alloc.pfn == KMEM_NO_PFN);
	ck_assert_uint_eq(ev.stack, 0);
	expect(KMEM_CACHE_FREE, 1003, 0);
	ck_assert_uint_eq(ev.slab_free.ptr, 0xdeadbee0);
	ck_assert_str_eq(event_stream_cache(st, ev.slab_free.cache), "task_struct");
	expect(KMEM_CACHE_FREE, 1004, 0);
	ck_assert_str_eq(event_stream_cache(st, ev.slab_free.cache),
			 "a name that is longer than sixteen bytes");
	expect(KMEM_CACHE_FREE, 1005, 0);
	ck_assert_uint_eq(ev.slab_free.cache, 1);
	ck_assert_uint_eq(event_stream_stats(st)->nr_events, 6);
	ck_assert_uint_eq(event_stream_stats(st)->by_id[ID_STACK], 1);
	ck_assert_uint_eq(event_stream_stats(st)->first_ts, 1000);
	ck_assert_uint_eq(event_stream_stats(st)->last_ts, 1005);
	expect_end();
}

START_TEST(fields_of_every_word_size_and_byte_order)
{
	check_fields(8, false);
	check_fields(8, true);
	check_fields(4, false);
	check_fields(4, true);
}
END_TEST

/* The names at one callsite differ in one character. */
static void check_names(unsigned int word_size, bool big_endian)
{
	static char names[2000][48];
	unsigned int nr = 0, len, at, i;

	setup_for(word_size, big_endian);
	begin_cpu();
	for (len = 1; len <= 40; len++) {
		begin_page(1000 * len);
		for (at = 0; at < len; at++) {
			memset(names[nr], 'a', len);
			memset(names[nr + 1], 'a', len);
			names[nr + 1][at] = 'b';
			for (i = 0; i < 2; i++)
				add_free(page_ts + 1, 5, 1, names[nr++]);
			if (out > file + nr_pages * PAGE - 200)
				begin_page(page_ts);
		}
	}
	open_all();
	for (i = 0; i < nr; i++) {
		ck_assert_int_eq(event_stream_next(st, &ev), 1);
		ck_assert_str_eq(event_stream_cache(st, ev.slab_free.cache), names[i]);
	}
	expect_end();
}

START_TEST(cache_names_of_any_length)
{
	check_names(8, false);
	check_names(8, true);
	check_names(4, false);
}
END_TEST

START_TEST(cpus_are_merged_by_time)
{
	begin_cpu();
	begin_page(10);
	add_alloc(10, 1, 0);
	add_alloc(20, 1, 0);
	add_alloc(30, 1, 0);
	begin_page(40);
	add_alloc(40, 1, 0);
	begin_cpu();
	begin_page(5);
	begin_page(20);
	add_alloc(20, 1, 0);
	add_alloc(35, 1, 0);
	begin_cpu(); /* without pages */
	begin_cpu();
	begin_page(1);
	add_alloc(36, 1, 0);
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect(KMEM_PAGE_ALLOC, 20, 0);
	expect(KMEM_PAGE_ALLOC, 20, 1);
	expect(KMEM_PAGE_ALLOC, 30, 0);
	expect(KMEM_PAGE_ALLOC, 35, 1);
	expect(KMEM_PAGE_ALLOC, 36, 3);
	expect(KMEM_PAGE_ALLOC, 40, 0);
	ck_assert_uint_eq(event_stream_stats(st)->nr_cpus, 4);
	ck_assert_uint_eq(event_stream_stats(st)->cpus[1].nr_events, 2);
	expect_end();
}
END_TEST

/* A loss separates stacks from events, and says since when events were lost. */
START_TEST(losses_are_items)
{
	begin_cpu();
	begin_page(10);
	add_alloc(12, 7, 1);
	begin_page(20);
	add_stack(20, 7, 0x100, 1, 1);
	add_alloc(21, 7, 2);
	page_lost(42);
	begin_page(30);
	add_alloc(30, 7, 3);
	page_lost(0);
	begin_cpu();
	begin_page(25);
	add_alloc(25, 7, 4);
	open_all();
	expect(KMEM_PAGE_ALLOC, 12, 0);
	ck_assert_uint_eq(ev.stack, 0);
	expect(KMEM_LOSS, 20, 0);
	ck_assert_uint_eq(ev.loss.count, 42);
	ck_assert_uint_eq(ev.loss.since_ts, 12);
	expect(KMEM_KERNEL_STACK, 20, 0);
	expect(KMEM_PAGE_ALLOC, 21, 0);
	expect(KMEM_PAGE_ALLOC, 25, 1);
	expect(KMEM_LOSS, 30, 0);
	ck_assert(ev.loss.count == KMEM_LOSS_UNKNOWN);
	ck_assert_uint_eq(ev.loss.since_ts, 21);
	expect(KMEM_PAGE_ALLOC, 30, 0);
	ck_assert_uint_eq(event_stream_stats(st)->cpus[0].nr_gaps, 2);
	ck_assert_uint_eq(event_stream_stats(st)->cpus[0].nr_lost, 42);
	ck_assert_uint_eq(event_stream_stats(st)->cpus[0].nr_unknown, 1);
	expect_end();
}
END_TEST

START_TEST(damage_is_counted_and_announced)
{
	uint8_t *p;

	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	begin_record(11, ID_ALLOC, 7, 12); /* too short for its format */
	begin_record(12, ID_UNKNOWN, 7, 40);
	add_free(13, 7, 1, "name");
	put(out - 12, 0xffff, 2);	  /* the offset of the name is outside */
	begin_record(14, ID_ALLOC, 7, 4); /* too short for the common fields */
	p = out;
	add_alloc(15, 7, 1);
	put(p, 28, 4); /* longer than the rest of the page */
	begin_page(20);
	add_alloc(19, 7, 2); /* the delta is taken modulo 2^27 */
	begin_page(15);
	add_alloc(15, 7, 3);
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect(KMEM_OTHER, 11, 0);
	expect(KMEM_OTHER, 12, 0);
	ck_assert_uint_eq(ev.id, ID_UNKNOWN);
	expect(KMEM_CACHE_FREE, 13, 0);
	ck_assert_uint_eq(ev.slab_free.cache, 0);
	expect(KMEM_LOSS, 20, 0);
	ck_assert(ev.loss.count == KMEM_LOSS_UNKNOWN);
	expect(KMEM_PAGE_ALLOC, 19 + (1 << 27), 0);
	expect(KMEM_PAGE_ALLOC, 15, 0);
	ck_assert_uint_eq(event_stream_stats(st)->nr_undecodable, 4);
	ck_assert_uint_eq(event_stream_stats(st)->nr_bad_pages, 1);
	ck_assert_uint_eq(event_stream_stats(st)->nr_backwards, 1);
	expect_end();
}
END_TEST

/* Starts again after some of the events, and after all: delivers the same events, and the numbers
 * are already known.
 */
START_TEST(from_the_start_again)
{
	uint32_t stack, cache = 0;
	int times;

	setup();
	begin_cpu();
	begin_page(1000);
	add_alloc(1000, 77, 0x12345);
	add_stack(1001, 77, 0xc0de0000, 3, 3);
	begin_page(1003);
	add_free(1003, 5, 0xdeadbee0, "task_struct");
	begin_cpu();
	begin_page(1002);
	add_alloc(1002, 1, 1);
	add_stack(1002, 1, 0xc0de1000, 2, 2);
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX,
						  .read_ahead = true });
	expect(KMEM_PAGE_ALLOC, 1000, 0);
	stack = ev.stack;
	for (times = 0; times < 3; times++) {
		ck_assert_int_eq(event_stream_again(st), 0);
		ck_assert_uint_eq(event_stream_stats(st)->nr_events, 0);
		ev.stack = stack;
		expect_stack(0xc0de0000, 3);
		expect(KMEM_PAGE_ALLOC, 1000, 0);
		ck_assert_uint_eq(ev.stack, stack);
		expect(KMEM_PAGE_ALLOC, 1002, 1);
		expect_stack(0xc0de1000, 2);
		expect(KMEM_CACHE_FREE, 1003, 0);
		if (!times)
			cache = ev.slab_free.cache;
		ck_assert_uint_eq(ev.slab_free.cache, cache);
		ck_assert_str_eq(event_stream_cache(st, cache), "task_struct");
		ck_assert_int_eq(event_stream_next(st, &ev), 0);
		ck_assert_uint_eq(event_stream_stats(st)->nr_events, 5);
		ck_assert_uint_eq(event_stream_nr_stacks(st), 2);
	}
	expect_end();
}
END_TEST

START_TEST(time_window)
{
	uint64_t ts;

	begin_cpu();
	for (ts = 10; ts < 100; ts += 10) {
		begin_page(ts);
		add_alloc(ts, 7, ts);
		add_stack(ts + 1, 7, ts, 1, 1);
		if (ts == 20 || ts == 50)
			page_lost(ts);
	}
	open_with(&(struct event_stream_options){ .start_ts = 30, .stop_ts = 60 });
	expect(KMEM_PAGE_ALLOC, 30, 0);
	expect(KMEM_PAGE_ALLOC, 40, 0);
	expect(KMEM_LOSS, 50, 0);
	expect(KMEM_PAGE_ALLOC, 50, 0);
	expect(KMEM_PAGE_ALLOC, 60, 0);
	expect_stack(60, 1); /* its stack comes just after the end */
	ck_assert_uint_eq(event_stream_stats(st)->nr_events, 7);
	ck_assert_uint_eq(event_stream_stats(st)->cpus[0].nr_gaps, 1);
	expect_end();
}
END_TEST

START_TEST(instances_by_name)
{
	struct event_stream_options opts = { .instance = "none", .stop_ts = UINT64_MAX };

	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	source_open_memory(&rec.src, file, nr_pages * PAGE);
	ck_assert_int_eq(event_formats_new(&fmts, &rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&st, &rec, fmts, &opts, NULL), -ENOENT);
	opts.instance = "";
	ck_assert_int_eq(event_stream_open(&st, &rec, fmts, &opts, NULL), 0);
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect_end();
}
END_TEST

/* Random damage: the stream must end, without findings of the sanitizers. */
START_TEST(random_damage)
{
	unsigned int seed, i, state;

	for (seed = 1; seed < 400; seed++) {
		uint64_t ts, nr = 0;

		setup_for(seed & 1 ? 8 : 4, seed & 2);
		for (i = 0; i < 2; i++) {
			begin_cpu();
			for (ts = 10; ts < 130; ts += 4) {
				if (ts % 20 == 10)
					begin_page(ts);
				add_alloc(ts, 7, ts);
				add_stack(ts + 1, 7, ts, 3, 3);
				add_free(ts + 2, 7, ts, "some_cache");
			}
		}
		for (i = 0, state = seed; i < 20; i++) {
			state = state * 1664525 + 1013904223;
			file[(state >> 8) % nr_pages * PAGE + (state >> 20) % 400] =
				(uint8_t)(state >> 3);
		}
		open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX,
							  .keep_stacks = seed & 4 });
		while (event_stream_next(st, &ev) > 0)
			nr++;
		ck_assert_uint_lt(nr, 10000);
		close_all();
	}
}
END_TEST

Suite *test_stream_suite(void)
{
	Suite *s = suite_create("event/stream");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, fields_of_every_word_size_and_byte_order);
	tcase_add_test(tc, cache_names_of_any_length);
	tcase_add_test(tc, cpus_are_merged_by_time);
	tcase_add_test(tc, losses_are_items);
	tcase_add_test(tc, damage_is_counted_and_announced);
	tcase_add_test(tc, from_the_start_again);
	tcase_add_test(tc, time_window);
	tcase_add_test(tc, instances_by_name);
	tcase_add_test(tc, random_damage);
	suite_add_tcase(s, tc);
	return s;
}
