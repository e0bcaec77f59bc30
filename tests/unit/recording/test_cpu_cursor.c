// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/cpu_cursor.h on files built in memory.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "build_trace_dat.h"
#include "recording/cpu_cursor.h"
#include "recording/read_ahead.h"
#include "recording/time_span.h"

static struct recording *open_bytes(const struct strbuf *file)
{
	struct recording *rec;
	struct source src;

	source_open_memory(&src, file->data, file->size);
	ck_assert_int_eq(recording_open(&rec, &src, "memory", NULL), 0);
	return rec;
}

static struct file_build spec(int i, const struct strbuf *pages, uint32_t page_size)
{
	struct file_build b = { .version = i & 4 ? 6 : 7,
				.big_endian = i & 1,
				.long_size = i & 2 ? 4 : 8,
				.page_size = page_size,
				.nr_buffers = 1 };

	b.buffers[0].name = "";
	b.buffers[0].nr_cpus = 1;
	b.buffers[0].pages[0] = pages;
	return b;
}

static struct page_build page_of(const struct file_build *b)
{
	return (struct page_build){ .big_endian = b->big_endian,
				    .long_size = b->long_size,
				    .page_size = b->page_size };
}

#define MISSED (1U << 31)
#define STORED (1U << 30)

START_TEST(losses_are_told)
{
	static const struct {
		uint32_t flags;
		uint64_t stored;
		bool full;
		uint64_t want;
	} cases[] = {
		{ 0, 0, false, 0 },
		{ MISSED, 0, false, SUBBUF_MISSED_UNKNOWN },
		{ MISSED | STORED, 231, false, 231 },
		{ MISSED | STORED, 0, true, SUBBUF_MISSED_UNKNOWN },
		{ MISSED | STORED, 0, false, SUBBUF_MISSED_UNKNOWN },
		{ 0, 77, false, 0 }, /* stale bytes after the data */
	};
	struct strbuf pages = { 0 }, file;
	struct file_build b = spec(_i, &pages, 4096);
	struct page_build p = page_of(&b);
	struct recording *rec;
	struct cpu_cursor *cur;
	struct subbuf sb;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		page_start(&p, 1000 * i);
		do
			page_event(&p, 1, 1, 5);
		while (cases[i].full && p.bytes.size + 8 <= p.page_size);
		while (cases[i].full && p.bytes.size < p.page_size)
			page_head(&p, SUBBUF_PADDING, 0);
		page_end(&p, cases[i].flags, cases[i].stored);
		strbuf_add(&pages, p.bytes.data, p.bytes.size);
	}
	file = build_file(&b);
	rec = open_bytes(&file);
	ck_assert_uint_eq(rec->layout.long_size, b.long_size);
	ck_assert_int_eq(cpu_cursor_open(&cur, rec, 0, 0, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(cpu_cursor_next(cur, &sb), 1);
		ck_assert_uint_eq(sb.ts, 1000 * i);
		ck_assert_uint_eq(sb.missed, cases[i].want);
		ck_assert(!sb.truncated);
		ck_assert_uint_eq(sb.file_offset,
				  rec->buffers[0].cpus[0].offset + 4096 * i);
		if (!cases[i].full)
			ck_assert_uint_eq(sb.size, 8);
	}
	ck_assert_int_eq(cpu_cursor_next(cur, &sb), 0);
	ck_assert_int_eq(cpu_cursor_next(cur, &sb), 0);
	cpu_cursor_close(cur);
	recording_close(rec);
	strbuf_free(&file);
	strbuf_free(&pages);
	strbuf_free(&p.bytes);
}
END_TEST

START_TEST(a_sub_buffer_outlives_the_next_read)
{
	/* Several of the largest blocks, with sub-buffers of every size, read on demand or ahead.
	 */
	struct read_ahead *ahead = _i % 2 ? read_ahead_start() : NULL;
	uint32_t page_size = 4096U << _i / 2, nr = (3U << 20) / page_size + 3, i;
	struct strbuf pages = { 0 }, file;
	struct file_build b = spec(0, &pages, page_size);
	struct page_build p = page_of(&b);
	struct recording *rec;
	struct cpu_cursor *cur;
	struct subbuf sb, prev = { 0 };
	uint64_t first, last;

	for (i = 0; i < nr; i++) {
		page_start(&p, 100 + i);
		page_event(&p, 0, 1, i);
		page_end(&p, 0, 0);
		strbuf_add(&pages, p.bytes.data, p.bytes.size);
	}
	file = build_file(&b);
	rec = open_bytes(&file);
	ck_assert_uint_eq(rec->buffers[0].page_size, page_size);
	ck_assert_int_eq(cpu_cursor_open(&cur, rec, 0, 0, ahead), 0);
	for (i = 0; i < nr; i++, prev = sb) {
		ck_assert_int_eq(cpu_cursor_next(cur, &sb), 1);
		ck_assert_uint_eq(get_u32(sb.data + 4, false), i);
		if (i)
			ck_assert_uint_eq(get_u32(prev.data + 4, false), i - 1);
	}
	ck_assert_int_eq(cpu_cursor_next(cur, &sb), 0);
	cpu_cursor_close(cur);
	read_ahead_stop(ahead);
	ck_assert_int_eq(recording_time_span(rec, 0, &first, &last), 0);
	ck_assert_uint_eq(first, 100);
	ck_assert_uint_eq(last, 100 + nr - 1);
	recording_close(rec);
	strbuf_free(&file);
	strbuf_free(&pages);
	strbuf_free(&p.bytes);
}
END_TEST

/* Closes the cursor while a block is being read. */
START_TEST(a_walk_may_end_early)
{
	struct strbuf pages = { 0 }, file;
	struct file_build b = spec(0, &pages, 4096);
	struct page_build p = page_of(&b);
	struct read_ahead *ahead = read_ahead_start();
	struct recording *rec;
	struct cpu_cursor *cur;
	struct subbuf sb;
	unsigned int i;

	for (i = 0; i < 512; i++) {
		page_start(&p, 100 + i);
		page_event(&p, 0, 1, i);
		page_end(&p, 0, 0);
		strbuf_add(&pages, p.bytes.data, p.bytes.size);
	}
	file = build_file(&b);
	rec = open_bytes(&file);
	for (i = 0; i < 200; i++) {
		ck_assert_int_eq(cpu_cursor_open(&cur, rec, 0, 0, ahead), 0);
		ck_assert_int_eq(cpu_cursor_next(cur, &sb), 1);
		ck_assert_uint_eq(sb.ts, 100);
		cpu_cursor_close(cur);
	}
	read_ahead_stop(ahead);
	recording_close(rec);
	strbuf_free(&file);
	strbuf_free(&pages);
	strbuf_free(&p.bytes);
}
END_TEST

START_TEST(commit_words_that_lie_are_clipped)
{
	static const uint32_t lies[] = { 4096, 0x3fffffff, 0x00fffff0, 4097 - 16 };
	struct strbuf pages = { 0 }, file;
	struct file_build b = spec(_i, &pages, 4096);
	struct page_build p = page_of(&b);
	uint32_t room = 4096 - 8 - b.long_size;
	struct recording *rec;
	struct cpu_cursor *cur;
	struct subbuf sb;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		size_t at = pages.size + 8;
		unsigned int j;

		page_start(&p, 7);
		page_event(&p, 1, 1, 5);
		page_end(&p, 0, 0);
		strbuf_add(&pages, p.bytes.data, p.bytes.size);
		for (j = 0; j < 4; j++)
			pages.data[b.big_endian ? at + b.long_size - 1 - j : at + j] =
				(char)((lies[i] + (b.long_size == 4 && i == 3 ? 4 : 0)) >>
				       8 * j);
	}
	file = build_file(&b);
	rec = open_bytes(&file);
	ck_assert_int_eq(cpu_cursor_open(&cur, rec, 0, 0, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		ck_assert_int_eq(cpu_cursor_next(cur, &sb), 1);
		ck_assert(sb.truncated);
		ck_assert_uint_eq(sb.size, room);
	}
	ck_assert_int_eq(cpu_cursor_next(cur, &sb), 0);
	cpu_cursor_close(cur);
	recording_close(rec);
	strbuf_free(&file);
	strbuf_free(&pages);
	strbuf_free(&p.bytes);
}
END_TEST

Suite *test_cpu_cursor_suite(void)
{
	Suite *s = suite_create("recording/cpu_cursor");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, losses_are_told, 0, 8);
	tcase_add_loop_test(tc, a_sub_buffer_outlives_the_next_read, 0, 18);
	tcase_add_test(tc, a_walk_may_end_early);
	tcase_add_loop_test(tc, commit_words_that_lie_are_clipped, 0, 8);
	suite_add_tcase(s, tc);
	return s;
}
