// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: stacks of events in a stream, on pages built here.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/stream_builder.h"

/* Between an event and its stack there may be an interrupt's event, or other pages. */
START_TEST(stacks_find_their_events)
{
	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	flags = 0x08; /* hardirq */
	add_alloc(11, 7, 2);
	add_stack(12, 7, 0x200, 2, 2);
	flags = 0x10; /* softirq; the event after it has no stack */
	add_alloc(13, 7, 3);
	flags = 0;
	add_stack(14, 7, 0x100, 2, 2);
	add_alloc(15, 7, 4);
	begin_page(16);
	add_stack(16, 7, 0x400, 1, 1);
	add_stack(17, 7, 0x500, 1, 1); /* no event is left for it */
	add_alloc(18, 7, 5);
	add_stack(19, 8, 0x600, 1, 1); /* of another task */
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect_stack(0x100, 2);
	expect(KMEM_PAGE_ALLOC, 11, 0);
	expect_stack(0x200, 2);
	expect(KMEM_PAGE_ALLOC, 13, 0);
	ck_assert_uint_eq(ev.stack, 0);
	expect(KMEM_PAGE_ALLOC, 15, 0);
	expect_stack(0x400, 1);
	expect(KMEM_KERNEL_STACK, 17, 0);
	expect_stack(0x500, 1);
	expect(KMEM_PAGE_ALLOC, 18, 0);
	ck_assert_uint_eq(ev.stack, 0);
	expect(KMEM_KERNEL_STACK, 19, 0);
	ck_assert_uint_eq(event_stream_stats(st)->nr_stacks_unclaimed, 2);
	ck_assert_uint_eq(event_stream_stats(st)->nr_events, 10);
	expect_end();
}
END_TEST

/* A user frame: the offset in file 1. */
#define USER(offset) (1ULL << 62 | 1ULL << 48 | (offset))

static void expect_frames(const uint64_t *frames, uint32_t nr)
{
	uint32_t nr_frames = 0;
	const uint64_t *found = event_stream_stack(st, ev.stack, &nr_frames);

	ck_assert_uint_eq(nr_frames, nr);
	if (nr)
		ck_assert_mem_eq(found, frames, nr * sizeof(*frames));
}

static void set_maps(const char *text)
{
	static struct recording_text maps;

	maps = (struct recording_text){ (char *)RECORDING_META_USER_MAPS, (char *)text,
					strlen(text) };
	rec.meta = &maps;
	rec.nr_meta = 1;
}

/* User frames come before or after kernel frames, or on the next page. Mappings depend on the time.
 */
static void check_user(unsigned int word_size, bool big_endian)
{
	setup_for(word_size, big_endian);
	set_maps("file - 0 /bin/prog\nprocess 7\nmap 0 1000 1fff 4000 1\nexec 32\n"
		 "process 9\nfork 5 7\n");
	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	add_stack(11, 7, 0x100, 2, 2);
	add_user_stack(11, 7, 7, 0x1ffe, 4); /* the last two are unknown */
	add_alloc(12, 7, 2);
	add_user_stack(12, 7, 7, 0x1100, 1); /* first, with a trigger */
	flags = 0x08;
	add_alloc(13, 7, 3);
	add_stack(13, 7, 0x300, 1, 1);
	add_user_stack(13, 7, 7, 0x1100, 1); /* the task that a hardirq interrupted */
	flags = 0;
	add_stack(14, 7, 0x200, 1, 1);
	add_alloc(15, 7, 4); /* no kernel callchain */
	add_user_stack(15, 7, 7, 0x1100, 2);
	add_alloc(16, 7, 5);
	add_stack(16, 7, 0x100, 2, 2);
	begin_page(17);
	add_user_stack(17, 7, 9, 0x1100, 1); /* a child */
	add_user_stack(17, 7, 9, 0x1200, 1); /* no event is left for it */
	add_alloc(60, 7, 6);
	add_stack(60, 7, 0x100, 2, 2);
	add_user_stack(60, 7, 7, 0x1100, 1); /* after an exec */
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect_frames((uint64_t[]){ 0x100, 0x101, USER(0x4ffe), USER(0x4fff) }, 4);
	expect(KMEM_PAGE_ALLOC, 12, 0);
	expect_frames((uint64_t[]){ 0x200, USER(0x4100) }, 2);
	expect(KMEM_PAGE_ALLOC, 13, 0);
	expect_frames((uint64_t[]){ 0x300 }, 1);
	expect(KMEM_PAGE_ALLOC, 15, 0);
	ck_assert_uint_eq(ev.stack, 0);
	expect(KMEM_PAGE_ALLOC, 16, 0);
	expect_frames((uint64_t[]){ 0x100, 0x101, USER(0x4100) }, 3);
	expect(KMEM_PAGE_ALLOC, 60, 0);
	expect_frames((uint64_t[]){ 0x100, 0x101 }, 2);
	ck_assert_uint_eq(event_stream_stats(st)->nr_stacks_unclaimed, 1);
	ck_assert_uint_eq(event_stream_stats(st)->nr_events, 18);
	expect_end();
}

START_TEST(user_stacks_complete_callchains)
{
	check_user(8, false);
	check_user(8, true);
	check_user(4, false);
	check_user(4, true);
}
END_TEST

/* Without a list of mappings, as in trace-cmd's recordings, they are events like any other. */
START_TEST(user_stacks_without_mappings)
{
	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	add_user_stack(11, 7, 7, 0x1100, 1);
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect(KMEM_OTHER, 11, 0);
	expect_end();
}
END_TEST

enum { TASK = 0, HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40, IRQS_OFF = 0x01 };

/* Adds @nr pages full of a softirq's events, each with its stack. Returns the next time. */
static uint64_t add_burst(uint64_t ts, int32_t pid, unsigned int nr)
{
	flags = SOFTIRQ | IRQS_OFF;
	while (nr--) {
		begin_page(ts);
		while (out < file + nr_pages * PAGE - 200) {
			add_alloc(ts, pid, ts);
			add_stack(ts + 1, pid, 0x5000, 3, 3);
			ts += 2;
		}
	}
	return ts;
}

/* Expects what add_burst() added. */
static void expect_burst(uint64_t ts, uint64_t end)
{
	for (; ts < end; ts += 2) {
		expect(KMEM_PAGE_ALLOC, ts, 0);
		expect_stack(0x5000, 3);
	}
}

/* Interrupts fill whole sub-buffers between events and their stacks. */
static void check_burst(unsigned int word_size, bool big_endian)
{
	uint64_t end;

	setup_for(word_size, big_endian);
	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	add_stack(11, 7, 0x100, 2, 2);
	add_alloc(12, 7, 2);
	end = add_burst(20, 7, 40);
	flags = NMI | HARDIRQ | SOFTIRQ;
	add_alloc(end, 7, 3);
	add_stack(end + 1, 7, 0x600, 1, 1);
	flags = TASK;
	begin_page(end + 2);
	add_stack(end + 2, 7, 0x200, 2, 2);
	add_alloc(end + 3, 7, 4);
	begin_page(end + 4);
	add_stack(end + 4, 7, 0x300, 1, 1);
	begin_cpu();
	begin_page(11);
	add_alloc(30, 8, 4);
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect_stack(0x100, 2);
	expect(KMEM_PAGE_ALLOC, 12, 0);
	expect_stack(0x200, 2);
	expect_burst(20, 32);
	expect(KMEM_PAGE_ALLOC, 30, 1);
	expect_burst(32, end);
	expect(KMEM_PAGE_ALLOC, end, 0);
	expect_stack(0x600, 1);
	expect(KMEM_PAGE_ALLOC, end + 3, 0);
	expect_stack(0x300, 1);
	ck_assert_uint_eq(event_stream_stats(st)->nr_stacks_unclaimed, 0);
	expect_end();
}

START_TEST(stacks_behind_whole_pages_of_interrupts)
{
	check_burst(8, false);
	check_burst(4, true);
}
END_TEST

/* An event cannot get its stack after a switch to another task, the end of its own context, or a
 * loss. The stack is then counted as one without an event.
 */
START_TEST(stacks_of_no_event)
{
	static const struct {
		uint8_t first, between, last;
		int32_t pid;
		bool lost;
	} cases[] = {
		{ TASK, SOFTIRQ, TASK, 8, false },	 /* a switch to pid 8 and back */
		{ SOFTIRQ, TASK, SOFTIRQ, 7, false },	 /* a softirq, then another one */
		{ HARDIRQ, SOFTIRQ, HARDIRQ, 7, false }, /* a softirq in between */
		{ HARDIRQ | SOFTIRQ, SOFTIRQ, HARDIRQ | SOFTIRQ, 7, false },
		{ NMI, HARDIRQ, NMI, 7, false },
		{ TASK, SOFTIRQ, TASK, 7, true },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup();
		begin_cpu();
		begin_page(10);
		flags = cases[i].first;
		add_alloc(10, 7, 1);
		flags = cases[i].between;
		add_alloc(11, cases[i].pid, 2);
		add_stack(12, cases[i].pid, 0x100, 1, 1);
		begin_page(13);
		flags = cases[i].last;
		add_stack(13, 7, 0x200, 1, 1);
		if (cases[i].lost)
			page_lost(1);
		open_all();
		expect(KMEM_PAGE_ALLOC, 10, 0);
		ck_assert_uint_eq(ev.stack, 0);
		expect(KMEM_PAGE_ALLOC, 11, 0);
		expect_stack(0x100, 1);
		if (cases[i].lost)
			expect(KMEM_LOSS, 13, 0);
		expect(KMEM_KERNEL_STACK, 13, 0);
		expect_stack(0x200, 1);
		ck_assert_uint_eq(event_stream_stats(st)->nr_stacks_unclaimed, 1);
		expect_end();
	}
}
END_TEST

/* An interrupt that lasts longer than the stream reads ahead: the event gets no stack. */
START_TEST(endless_interrupt)
{
	uint64_t ts = 20, nr = 0, nr_stacks = 0;

	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	ts = add_burst(ts, 7, MAX_PAGES - 2);
	flags = TASK;
	begin_page(ts);
	add_stack(ts, 7, 0x200, 2, 2);
	open_all();
	while (event_stream_next(st, &ev) == 1) {
		nr++;
		nr_stacks += !!ev.stack;
	}
	ck_assert_uint_eq(nr, 2 + (ts - 20) / 2);
	ck_assert_uint_eq(nr_stacks, nr - 1);
	ck_assert_uint_eq(event_stream_stats(st)->nr_stacks_unclaimed, 1);
	close_all();
}
END_TEST

START_TEST(equal_stacks_share_a_number)
{
	uint64_t ts;

	begin_cpu();
	begin_page(10);
	for (ts = 10; ts < 50; ts += 2) {
		add_alloc(ts, 7, ts);
		add_stack(ts + 1, 7, ts % 4 ? 0x100 : 0x200, 4, 4);
	}
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX,
						  .keep_stacks = true });
	for (ts = 10; ts < 50; ts += 2) {
		expect(KMEM_PAGE_ALLOC, ts, 0);
		expect_stack(ts % 4 ? 0x100 : 0x200, 4);
		expect(KMEM_KERNEL_STACK, ts + 1, 0);
		expect_stack(ts % 4 ? 0x100 : 0x200, 4);
	}
	ck_assert_uint_eq(event_stream_nr_stacks(st), 2);
	expect_end();
}
END_TEST

START_TEST(stack_sizes_lie)
{
	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	add_stack(11, 7, 0x100, 1000000, 4);
	add_alloc(12, 7, 1);
	add_stack(13, 7, 0x100, -3, 4);
	add_alloc(14, 7, 1);
	add_stack(15, 7, UINT64_MAX - 1, 4, 4); /* the second is all ones */
	add_alloc(16, 7, 1);
	add_stack(17, 7, 0x100, 2, 4);
	add_alloc(18, 7, 1);
	add_stack(19, 7, 0x100, 0, 0);
	open_all();
	expect(KMEM_PAGE_ALLOC, 10, 0);
	expect_stack(0x100, 4);
	expect(KMEM_PAGE_ALLOC, 12, 0);
	ck_assert_uint_eq(ev.stack, 0);
	expect(KMEM_PAGE_ALLOC, 14, 0);
	expect_stack(UINT64_MAX - 1, 1);
	expect(KMEM_PAGE_ALLOC, 16, 0);
	expect_stack(0x100, 2);
	expect(KMEM_PAGE_ALLOC, 18, 0);
	ck_assert_uint_eq(ev.stack, 0);
	expect_end();
}
END_TEST

/* Adds a record with these frames, all counted in its size field. */
static void add_frames(uint64_t ts, int32_t pid, const uint64_t *frames, int nr)
{
	unsigned int at = word == 8 ? 16 : 12;
	uint8_t *p = begin_record(ts, ID_STACK, pid, at + (unsigned int)nr * word);
	int i;

	put(p + 8, (uint32_t)nr, 4);
	for (i = 0; i < nr; i++)
		put(p + at + (unsigned int)i * word, frames[i], word);
}

/* ppc64el has zeros between frames; old kernels pad the array with zeros. Each stack comes twice,
 * because repeated stacks are not decoded again.
 */
START_TEST(zeros_do_not_end_a_stack)
{
	static const uint64_t stacks[][6] = {
		{ 0x100, 0x101, 0, 0x103, 0, 0x105 },
		{ 0x100, 0x101, 0, 0x103, 0, 0 },
		{ 0, 0x101, 0x102, 0, 0, UINT64_MAX },
		{ 0x100, 0, UINT64_MAX, 0x103, 0x104, 0x105 },
		{ 0, 0, 0, 0, 0, 0 },
	};
	static const uint32_t sizes[] = { 6, 4, 3, 1, 0 };
	int i;

	begin_cpu();
	begin_page(10);
	for (i = 0; i < 10; i++) {
		add_alloc(10 + 2 * (uint64_t)i, 7, 1);
		add_frames(11 + 2 * (uint64_t)i, 7, stacks[i / 2], 6);
	}
	open_all();
	for (i = 0; i < 10; i++) {
		expect(KMEM_PAGE_ALLOC, 10 + 2 * (uint64_t)i, 0);
		expect_frames(stacks[i / 2], sizes[i / 2]);
	}
	expect_end();
}
END_TEST

Suite *test_stacks_suite(void)
{
	Suite *s = suite_create("event/stacks");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, stacks_find_their_events);
	tcase_add_test(tc, user_stacks_complete_callchains);
	tcase_add_test(tc, user_stacks_without_mappings);
	tcase_add_test(tc, stacks_behind_whole_pages_of_interrupts);
	tcase_add_test(tc, stacks_of_no_event);
	tcase_add_test(tc, endless_interrupt);
	tcase_add_test(tc, equal_stacks_share_a_number);
	tcase_add_test(tc, stack_sizes_lie);
	tcase_add_test(tc, zeros_do_not_end_a_stack);
	suite_add_tcase(s, tc);
	return s;
}
