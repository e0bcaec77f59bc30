// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/stream.h: events that arrive in pieces are the same as those of the file.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "event/stream_builder.h"
#include "event/stream.h"

#define NR_CPUS	  3
#define CPU_PAGES 40

static struct kmem_event whole[NR_CPUS * CPU_PAGES * 20];
static uint64_t whole_frames[NR_CPUS * CPU_PAGES * 20];
static size_t nr_whole;

/* The first frame of the event's callchain; 0 without one. */
static uint64_t first_frame(void)
{
	uint32_t nr;
	const uint64_t *frames = event_stream_stack(st, ev.stack, &nr);

	return frames ? frames[0] : 0;
}

/* Builds pages with allocations and their callchains, some of which are on the following page; CPU
 * 1 lost events once.
 */
static void build(void)
{
	unsigned int cpu, page, i;

	setup();
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		uint64_t ts = 1000 + cpu;

		begin_cpu();
		for (page = 0; page < CPU_PAGES; page++) {
			begin_page(ts);
			if (page)
				add_stack(ts, 7, 0xc0000000 + ts, 3, 3);
			for (i = 0; i < 5; i++) {
				ts += 7 + (page * 13 + cpu * 5 + i) % 40;
				add_alloc(ts, 7, ts);
				if (i < 4)
					add_stack(ts, 7, 0xd0000000 + ts, 3, 3);
			}
			if (cpu == 1 && page == 20)
				page_lost(4);
		}
	}
}

/* Reads the whole recording at once. */
static void read_whole(void)
{
	build();
	open_all();
	for (nr_whole = 0; event_stream_next(st, &ev) == 1; nr_whole++) {
		whole[nr_whole] = ev;
		whole_frames[nr_whole] = first_frame();
	}
	close_all();
	ck_assert_uint_gt(nr_whole, NR_CPUS * CPU_PAGES * 5);
}

/* Reads up to the horizon @ts: each event must be the next one in @whole, and not later than @ts.
 */
static void expect_until(size_t *at, uint64_t ts)
{
	while (event_stream_next(st, &ev) == 1) {
		ck_assert_uint_lt(*at, nr_whole);
		ck_assert_uint_eq(ev.ts, whole[*at].ts);
		ck_assert_uint_eq(ev.type, whole[*at].type);
		ck_assert_uint_eq(ev.cpu, whole[*at].cpu);
		ck_assert_uint_le(ev.ts, ts);
		if (ev.type == KMEM_PAGE_ALLOC)
			ck_assert_uint_eq(ev.page_alloc.pfn, whole[*at].page_alloc.pfn);
		if (ev.type == KMEM_LOSS)
			ck_assert_uint_eq(ev.loss.count, whole[*at].loss.count);
		else
			ck_assert_uint_eq(first_frame(), whole_frames[*at]);
		++*at;
	}
}

/* Returns the time of the first event in page @page of CPU @cpu. */
static uint64_t page_time(unsigned int cpu, unsigned int page)
{
	return get_u64(file + (cpu * CPU_PAGES + page) * PAGE, false);
}

static void open_live(void)
{
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX, .live = true });
	ck_assert_int_eq(event_stream_go_live(st), 0);
}

/* Forgets all callchains except those of waiting events. */
static void forget_stacks(void)
{
	const uint32_t nr = event_stream_nr_stacks(st);
	uint32_t *to = calloc(nr + 1UL, sizeof(*to)), left = 0, i;

	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(event_stream_forget_stacks(st, to), 0);
	ck_assert_uint_eq(to[0], 0);
	for (i = 1; i <= nr; i++)
		left += to[i] != 0;
	ck_assert_uint_eq(event_stream_nr_stacks(st), left);
	/* Each CPU has an event or two after the horizon, and the events of its last pages. */
	ck_assert_uint_le(left, 60);
	free(to);
}

/* Feeds @step pages of each CPU at a time, always in the same memory. */
static void feed_all(unsigned int step, bool forget)
{
	static uint8_t memory[NR_CPUS][CPU_PAGES * PAGE];
	unsigned int fed, cpu, n;
	size_t at = 0;

	for (cpu = 0; cpu < NR_CPUS; cpu++)
		cpus[cpu].size = 0;
	open_live();
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	for (fed = 0; fed < CPU_PAGES; fed += n) {
		uint64_t until = UINT64_MAX;

		n = fed + step < CPU_PAGES ? step : CPU_PAGES - fed;
		ck_assert_int_eq(event_stream_keep(st), 0);
		if (forget && step == 1)
			forget_stacks();
		for (cpu = 0; cpu < NR_CPUS; cpu++) {
			memset(memory[cpu], 0xff, sizeof(memory[cpu]));
			memcpy(memory[cpu], file + (cpu * CPU_PAGES + fed) * PAGE,
			       n * PAGE);
			ck_assert_int_eq(
				event_stream_feed(st, cpu, memory[cpu], n * PAGE), 0);
			/* Later events are not before the time of the next page. */
			if (fed + n < CPU_PAGES && page_time(cpu, fed + n) - 1 < until)
				until = page_time(cpu, fed + n) - 1;
		}
		ck_assert_int_eq(event_stream_advance(st, until), 0);
		expect_until(&at, until);
		ck_assert_int_eq(event_stream_next(st, &ev), 0);
	}
	ck_assert_uint_eq(at, nr_whole);
	ck_assert_uint_eq(event_stream_stats(st)->cpus[1].nr_lost, 4);
	close_all();
}

START_TEST(pieces_are_the_whole)
{
	static const unsigned int steps[] = { 1, 2, 3, 7, 39, CPU_PAGES };

	read_whole();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		feed_all(steps[i], false);
	feed_all(1, true);
}
END_TEST

START_TEST(callchains_are_kept_while_they_are_known)
{
	static uint8_t page[PAGE];
	uint32_t to[8] = { 0 };

	setup();
	begin_cpu();
	begin_page(1000);
	add_alloc(1000, 7, 1);
	add_stack(1000, 7, 0xaaaa, 2, 2);
	add_alloc(1010, 7, 2);
	add_stack(1010, 7, 0xbbbb, 3, 3);
	add_alloc(1020, 7, 3);
	add_stack(1020, 7, 0xcccc, 2, 2);
	cpus[0].size = 0;
	open_live();
	memcpy(page, file, PAGE);
	ck_assert_int_eq(event_stream_feed(st, 0, page, PAGE), 0);
	ck_assert_int_eq(event_stream_advance(st, 1015), 0);
	expect(KMEM_PAGE_ALLOC, 1000, 0);
	expect(KMEM_PAGE_ALLOC, 1010, 0);
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	ck_assert_int_eq(event_stream_keep(st), 0);
	ck_assert_uint_eq(event_stream_nr_stacks(st), 3);
	to[2] = 1;
	/* A CPU's batch is forgotten only as a whole, so the first event stays with the others. */
	ck_assert_int_eq(event_stream_forget_stacks(st, to), 0);
	ck_assert_uint_ne(to[2], 0);
	ck_assert_uint_ne(to[3], 0);
	ck_assert_uint_eq(event_stream_stack(st, to[2], &(uint32_t){ 0 })[0], 0xbbbb);
	ck_assert_int_eq(event_stream_advance(st, UINT64_MAX), 0);
	expect(KMEM_PAGE_ALLOC, 1020, 0);
	expect_stack(0xcccc, 2);
	/* At the end no event waits. */
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	memset(to, 0, sizeof(to));
	ck_assert_int_eq(event_stream_keep(st), 0);
	close_all();
}
END_TEST

START_TEST(what_is_behind_the_horizon_waits)
{
	static uint8_t first[PAGE], second[PAGE];

	setup();
	begin_cpu();
	begin_page(1000);
	add_alloc(1000, 7, 1);
	add_alloc(1010, 7, 2);
	begin_page(1020);
	add_stack(1020, 7, 0xc0de, 2, 2);
	add_alloc(1030, 7, 3);
	begin_cpu();
	cpus[0].size = cpus[1].size = 0;
	open_live();
	memcpy(first, file, PAGE);
	ck_assert_int_eq(event_stream_feed(st, 0, first, PAGE), 0);
	ck_assert_int_eq(event_stream_advance(st, 1005), 0);
	expect(KMEM_PAGE_ALLOC, 1000, 0);
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	/* Its callchain comes with the next page; its own data must still be intact. */
	ck_assert_int_eq(event_stream_keep(st), 0);
	memset(first, 0xff, PAGE);
	memcpy(second, file + PAGE, PAGE);
	ck_assert_int_eq(event_stream_feed(st, 0, second, PAGE), 0);
	/* The horizon never moves back; CPU 1 may never have events. */
	ck_assert_int_eq(event_stream_advance(st, 1020), 0);
	ck_assert_int_eq(event_stream_advance(st, 1), 0);
	expect(KMEM_PAGE_ALLOC, 1010, 0);
	ck_assert_uint_eq(ev.page_alloc.pfn, 2);
	expect_stack(0xc0de, 2);
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	ck_assert_int_eq(event_stream_advance(st, UINT64_MAX), 0);
	expect(KMEM_PAGE_ALLOC, 1030, 0);
	ck_assert_int_eq(event_stream_feed(st, 5, second, PAGE), -ENOENT);
	expect_end();
}
END_TEST

Suite *test_stream_live_suite(void)
{
	Suite *s = suite_create("event/stream_live");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, pieces_are_the_whole);
	tcase_add_test(tc, callchains_are_kept_while_they_are_known);
	tcase_add_test(tc, what_is_behind_the_horizon_waits);
	suite_add_tcase(s, tc);
	return s;
}
