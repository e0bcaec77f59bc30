// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/stream.h, on pages built here.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/stream.h"
#include "format_text.h"
#include "recording/recording.h"

#define PAGE 4096

/* Formats with the fields at the places of a 32- or 64-bit kernel. */
#define PRINT "\nprint fmt: \"\"\n"

static const char *const formats_64[] = {
	"name: mm_page_alloc\nID: 1\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n" PRINT,
	"name: kmem_cache_free\nID: 2\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n" PRINT,
	"name: kernel_stack\nID: 4\n" FORMAT_COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n" PRINT,
};

static const char *const formats_32[] = {
	"name: mm_page_alloc\nID: 1\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:20;\tsize:4;\tsigned:1;\n" PRINT,
	"name: kmem_cache_free\nID: 2\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n" PRINT,
	"name: kernel_stack\nID: 4\n" FORMAT_COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:12;\tsize:32;\tsigned:0;\n" PRINT,
};

enum { ID_ALLOC = 1, ID_FREE = 2, ID_STACK = 4, ID_UNKNOWN = 9 };

/* A recording under construction: pages one after the other, CPU after CPU. */
#define MAX_PAGES 2000
static uint8_t file[MAX_PAGES * PAGE];
static size_t nr_pages;
static uint8_t *out; /* where the current page's next event goes */
static uint64_t page_ts;
static unsigned int word;
static bool big;
static uint8_t flags; /* common_flags of the next records */

static struct recording_cpu cpus[4];
static struct recording_buffer buffer;
static struct recording_text texts[3];
static struct recording rec;
static struct event_formats *fmts;
static struct event_stream *st;
static struct kmem_event ev;

static void put(uint8_t *p, uint64_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[i] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
}

static void set_commit(uint64_t set)
{
	uint8_t *page = file + (nr_pages - 1) * PAGE;

	put(page + 8, (uint64_t)(out - (page + 8 + word)) | set, word);
}

static void begin_cpu(void)
{
	buffer.nr_cpus++;
	cpus[buffer.nr_cpus - 1] = (struct recording_cpu){ .cpu = buffer.nr_cpus - 1,
							   .offset = nr_pages * PAGE };
}

static void begin_page(uint64_t ts)
{
	uint8_t *page = file + nr_pages++ * PAGE;

	page_ts = ts;
	put(page, ts, 8);
	out = page + 8 + word;
	set_commit(0);
	cpus[buffer.nr_cpus - 1].size += PAGE;
}

/* The page's number of lost events is stored behind its data. */
static void page_lost(uint64_t nr)
{
	put(out, nr, word);
	set_commit(nr ? 3U << 30 : 1U << 31);
}

/* An event header and the common fields; returns the record. */
static uint8_t *begin_record(uint64_t ts, uint16_t id, int32_t pid, unsigned int size)
{
	uint32_t delta = (uint32_t)(ts - page_ts);
	uint8_t *data = out + 4;

	page_ts = ts;
	size = (size + 3) / 4;
	put(out, big ? size << 27 | delta : delta << 5 | size, 4);
	memset(data, 0, size * 4);
	out += 4 + size * 4;
	put(data, id, 2);
	data[2] = flags;
	put(data + 4, (uint32_t)pid, 4);
	set_commit(0);
	return data;
}

static void add_alloc(uint64_t ts, int32_t pid, uint64_t pfn)
{
	uint8_t *p = begin_record(ts, ID_ALLOC, pid, word == 8 ? 40 : 24);

	put(p + 8, pfn, word);
	put(p + 8 + word, 3, 4);
	put(p + (word == 8 ? 24 : 16), 0xcc0, word);
	put(p + (word == 8 ? 32 : 20), 1, 4);
}

static void add_free(uint64_t ts, int32_t pid, uint64_t ptr, const char *name)
{
	unsigned int at = 8 + 2 * word, len = (unsigned int)strlen(name) + 1;
	uint8_t *p = begin_record(ts, ID_FREE, pid, at + 4 + len);

	put(p + 8 + word, ptr, word);
	put(p + at, len << 16 | (at + 4), 4);
	memcpy(p + at + 4, name, len);
}

static void add_stack(uint64_t ts, int32_t pid, uint64_t first, int32_t claimed, int nr)
{
	unsigned int at = word == 8 ? 16 : 12;
	uint8_t *p = begin_record(ts, ID_STACK, pid, at + (unsigned int)nr * word);
	int i;

	put(p + 8, (uint32_t)claimed, 4);
	for (i = 0; i < nr; i++)
		put(p + at + (unsigned int)i * word, first + (uint64_t)i, word);
}

static void setup_for(unsigned int word_size, bool big_endian)
{
	const char *const *formats = word_size == 8 ? formats_64 : formats_32;
	int i;

	memset(file, 0, nr_pages * PAGE);
	memset(&rec, 0, sizeof(rec));
	nr_pages = 0;
	flags = 0;
	word = word_size;
	big = big_endian;
	for (i = 0; i < 3; i++)
		texts[i] =
			(struct recording_text){ (char *)(i == 2 ? "ftrace" : "kmem"),
						 (char *)formats[i], strlen(formats[i]) };
	buffer =
		(struct recording_buffer){ (char *)"", (char *)"local", PAGE, false, cpus,
					   0 };
	rec.big_endian = big_endian;
	rec.page_size = PAGE;
	rec.layout = (struct page_layout){ word, 8, 8 + word };
	rec.event_formats = texts;
	rec.nr_event_formats = 3;
	rec.buffers = &buffer;
	rec.nr_buffers = 1;
}

static void setup(void)
{
	setup_for(8, false);
}

static void open_with(const struct event_stream_options *opts)
{
	source_open_memory(&rec.src, file, nr_pages * PAGE);
	ck_assert_int_eq(event_formats_new(&fmts, &rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&st, &rec, fmts, opts, NULL), 0);
}

static void open_all(void)
{
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX });
}

static void close_all(void)
{
	event_stream_close(st);
	event_formats_free(fmts);
	source_close(&rec.src);
}

static void expect_end(void)
{
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	close_all();
}

static void expect(enum kmem_event_type type, uint64_t ts, uint32_t cpu)
{
	ck_assert_int_eq(event_stream_next(st, &ev), 1);
	ck_assert_uint_eq(ev.type, type);
	ck_assert_uint_eq(ev.ts, ts);
	ck_assert_uint_eq(ev.cpu, cpu);
}

/* The current event's stack has @nr frames that count up from @first. */
static void expect_stack(uint64_t first, uint32_t nr)
{
	uint32_t have, i;
	const uint64_t *frames = event_stream_stack(st, ev.stack, &have);

	ck_assert_uint_eq(have, nr);
	for (i = 0; i < nr; i++)
		ck_assert_uint_eq(frames[i], first + i);
}

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
	begin_cpu(); /* of no pages */
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

/* An interrupt's event between an event and its stack, and pages between them. */
START_TEST(stacks_find_their_events)
{
	begin_cpu();
	begin_page(10);
	add_alloc(10, 7, 1);
	flags = 0x08; /* hardirq */
	add_alloc(11, 7, 2);
	add_stack(12, 7, 0x200, 2, 2);
	flags = 0x10; /* softirq; the event after it has none */
	add_alloc(13, 7, 3);
	flags = 0;
	add_stack(14, 7, 0x100, 2, 2);
	add_alloc(15, 7, 4);
	begin_page(16);
	add_stack(16, 7, 0x400, 1, 1);
	add_stack(17, 7, 0x500, 1, 1); /* no event left for it */
	add_alloc(18, 7, 5);
	add_stack(19, 8, 0x600, 1, 1); /* another task's */
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

enum { TASK = 0, HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40, IRQS_OFF = 0x01 };

/* @nr pages full of a softirq's events, each with its stack. Returns the next time. */
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

/* What add_burst() added. */
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

/* What an event's stack cannot come after: another task, the end of its own context, a
 * loss. The stack is then nobody's, and is counted.
 */
START_TEST(stacks_of_no_event)
{
	static const struct {
		uint8_t first, between, last;
		int32_t pid;
		bool lost;
	} cases[] = {
		{ TASK, SOFTIRQ, TASK, 8, false },	 /* a switch to pid 8 and back */
		{ SOFTIRQ, TASK, SOFTIRQ, 7, false },	 /* a softirq, and another */
		{ HARDIRQ, SOFTIRQ, HARDIRQ, 7, false }, /* a softirq runs after it */
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

/* An interrupt that lasts longer than is read ahead: the event goes without its stack. */
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

/* A record with these frames, all claimed. */
static void add_frames(uint64_t ts, int32_t pid, const uint64_t *frames, int nr)
{
	unsigned int at = word == 8 ? 16 : 12;
	uint8_t *p = begin_record(ts, ID_STACK, pid, at + (unsigned int)nr * word);
	int i;

	put(p + 8, (uint32_t)nr, 4);
	for (i = 0; i < nr; i++)
		put(p + at + (unsigned int)i * word, frames[i], word);
}

static void expect_frames(const uint64_t *frames, uint32_t nr)
{
	uint32_t nr_frames = 0;
	const uint64_t *found = event_stream_stack(st, ev.stack, &nr_frames);

	ck_assert_uint_eq(nr_frames, nr);
	if (nr)
		ck_assert_mem_eq(found, frames, nr * sizeof(*frames));
}

/* ppc64el has zeros between frames; old kernels fill up with them behind the last. Twice
 * each, as a stack that comes again is not decoded again.
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

/* No stack crosses a loss, and the loss says since when. */
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
	put(out - 12, 0xffff, 2);	  /* the name lies outside */
	begin_record(14, ID_ALLOC, 7, 4); /* without common fields */
	p = out;
	add_alloc(15, 7, 1);
	put(p, 28, 4); /* longer than what is left */
	begin_page(20);
	add_alloc(19, 7, 2); /* the difference is taken modulo 2^27 */
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
	expect_stack(60, 1); /* though it lies just outside */
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

/* Random damage: nothing but an end, and the sanitizers' silence, is expected. */
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
	tcase_add_test(tc, cpus_are_merged_by_time);
	tcase_add_test(tc, stacks_find_their_events);
	tcase_add_test(tc, stacks_behind_whole_pages_of_interrupts);
	tcase_add_test(tc, stacks_of_no_event);
	tcase_add_test(tc, endless_interrupt);
	tcase_add_test(tc, equal_stacks_share_a_number);
	tcase_add_test(tc, stack_sizes_lie);
	tcase_add_test(tc, zeros_do_not_end_a_stack);
	tcase_add_test(tc, losses_are_items);
	tcase_add_test(tc, damage_is_counted_and_announced);
	tcase_add_test(tc, time_window);
	tcase_add_test(tc, instances_by_name);
	tcase_add_test(tc, random_damage);
	suite_add_tcase(s, tc);
	return s;
}
