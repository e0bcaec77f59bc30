// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/time_span.h on files built in memory.
 */
#include <check.h>
#include <stdlib.h>

#include "build_trace_dat.h"
#include "recording/time_span.h"

#define NR_CPUS	 3
#define NR_PAGES 60
#define START	 UINT64_C(1000000000)

/* Adds a page with four events, 10 apart; pages are 1000 apart. */
static void add_page(struct strbuf *pages, uint64_t ts, bool jump)
{
	struct page_build p = { .long_size = 8, .page_size = 4096 };
	int i;

	page_start(&p, ts);
	for (i = 0; i < 3; i++)
		page_event(&p, 10, 1, 5);
	if (jump) {
		page_head(&p, 30, 0); /* a time extend of several years */
		page_word(&p, 0x10000000);
	}
	page_event(&p, 10, 1, 5);
	page_end(&p, 0, 0);
	strbuf_add(pages, p.bytes.data, p.bytes.size);
	strbuf_free(&p.bytes);
}

static uint64_t damaged_time(void)
{
	switch (rand() % 4) {
	case 0:
		return (uint64_t)rand() << 32 | (uint64_t)rand();
	case 1:
		return UINT64_MAX - (uint64_t)rand();
	case 2:
		return (uint64_t)rand() % START;
	default:
		return START * 1000 + (uint64_t)rand();
	}
}

static struct recording *build(struct strbuf *pages, struct strbuf *file)
{
	struct file_build b = {
		.version = 7, .long_size = 8, .page_size = 4096, .nr_buffers = 1
	};
	struct recording *rec;
	struct source src;
	int i;

	b.buffers[0].name = "";
	b.buffers[0].nr_cpus = NR_CPUS;
	for (i = 0; i < NR_CPUS; i++)
		b.buffers[0].pages[i] = &pages[i];
	*file = build_file(&b);
	source_open_memory(&src, file->data, file->size);
	ck_assert_int_eq(recording_open(&rec, &src, "memory", NULL), 0);
	return rec;
}

static struct time_span check(const struct recording *rec)
{
	const struct time_span_options opts = { .stop_ts = UINT64_MAX };
	struct time_span span;

	ck_assert_int_eq(time_span_check(rec, &opts, &span), 0);
	return span;
}

/* A quarter of the pages and their events have random times. */
START_TEST(damage_is_left_out)
{
	struct strbuf pages[NR_CPUS] = { { 0 } }, file;
	uint64_t impossible = 0;
	struct recording *rec;
	struct time_span span;
	int c, i;

	srand((unsigned int)_i + 1);
	for (c = 0; c < NR_CPUS; c++) {
		for (i = 0; i < NR_PAGES; i++) {
			uint64_t ts = START + (uint64_t)i * 1000 + (uint64_t)c;
			/* Two damaged pages in a row might look consistent. */
			bool bad = i % 3 == 1 && i > 1 && i < NR_PAGES - 2 && rand() % 4;
			bool jump = !bad && rand() % 8 == 0;

			add_page(&pages[c], bad ? damaged_time() : ts, jump);
			impossible += bad ? 4 : jump;
		}
	}
	rec = build(pages, &file);
	span = check(rec);
	ck_assert_uint_eq(span.first, START + 10);
	ck_assert_uint_ge(span.last, START + (NR_PAGES - 1) * 1000 + 30);
	ck_assert_uint_le(span.last, START + (NR_PAGES - 1) * 1000 + 2 + 40);
	ck_assert_uint_eq(span.nr_impossible, impossible);
	ck_assert_uint_eq(span.nr_possible, NR_CPUS * NR_PAGES * 4 - impossible);
	recording_close(rec);
	strbuf_free(&file);
	for (c = 0; c < NR_CPUS; c++)
		strbuf_free(&pages[c]);
}
END_TEST

/* One CPU has a single page: only the other CPUs can prove it wrong. */
START_TEST(the_most_pages_are_right)
{
	static const uint64_t wrong[] = { UINT64_MAX, START << 24, START << 32 };
	struct strbuf pages[NR_CPUS] = { { 0 } }, file;
	uint64_t first, last;
	struct recording *rec;
	struct time_span span;
	int c, i;

	for (i = 0; i < NR_PAGES; i++)
		add_page(&pages[0], START + (uint64_t)i * 1000, false);
	add_page(&pages[1], START, false);
	add_page(&pages[2], wrong[_i], false);
	rec = build(pages, &file);
	span = check(rec);
	ck_assert_uint_eq(span.first, START + 10);
	ck_assert_uint_eq(span.last, START + (NR_PAGES - 1) * 1000 + 40);
	ck_assert_uint_eq(span.nr_impossible, 4);
	ck_assert_int_eq(recording_time_span(rec, 0, &first, &last), 0);
	ck_assert_uint_eq(first, span.first);
	ck_assert_uint_eq(last, span.last);
	recording_close(rec);
	strbuf_free(&file);
	for (c = 0; c < NR_CPUS; c++)
		strbuf_free(&pages[c]);
}
END_TEST

Suite *test_time_span_suite(void)
{
	Suite *s = suite_create("recording/time_span");
	TCase *tc = tcase_create("time_span");

	tcase_add_loop_test(tc, damage_is_left_out, 0, 50);
	tcase_add_loop_test(tc, the_most_pages_are_right, 0, 3);
	suite_add_tcase(s, tc);
	return s;
}
