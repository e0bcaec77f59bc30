// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: writes records with recording/subbuf_writer.c and reads them with recording/subbuf.h.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/cpu_cursor.h"
#include "recording/subbuf_writer.h"

#define PAGE 256U
#define MAX  200U

/* Layouts of kernels with a long of eight and of four bytes. */
static const struct page_layout layouts[] = { { 8, 8, 16 }, { 4, 8, 12 } };

static struct recording rec;
static struct recording_buffer buffer;
static struct recording_cpu cpu;
static struct subbuf_writer pw;
static uint8_t bytes[PAGE];
static int fd;

static void begin(unsigned int layout, bool big_endian)
{
	fd = memfd_create("pages", 0);
	ck_assert_int_ge(fd, 0);
	rec = (struct recording){ .layout = layouts[layout],
				  .big_endian = big_endian,
				  .path = (char *)"pages" };
	ck_assert_int_eq(subbuf_writer_init(&pw, &rec.layout, rec.big_endian, PAGE), 0);
	subbuf_writer_to(&pw, fd, 0);
}

static void add(uint64_t ts, uint32_t size, bool long_form)
{
	struct raw_record r = { ts, bytes, size };

	memset(bytes, (int)(ts % 251), sizeof(bytes));
	ck_assert_int_eq(subbuf_writer_add(&pw, &r, long_form), 0);
}

/* Reads time and size of all events; a size of UINT32_MAX is a loss. */
static size_t read_back(struct raw_record *found)
{
	struct subbuf sb;
	struct cpu_cursor *cur;
	size_t nr = 0;
	int ret;

	ck_assert_int_eq(subbuf_writer_finish(&pw, 7), 0);
	cpu = (struct recording_cpu){ .size = pw.offset };
	buffer = (struct recording_buffer){
		.name = (char *)"", .page_size = PAGE, .cpus = &cpu, .nr_cpus = 1
	};
	rec.buffers = &buffer;
	rec.nr_buffers = 1;
	ck_assert_int_eq(source_open_fd(&rec.src, fd), 0);
	ck_assert_int_eq(cpu_cursor_open(&cur, &rec, 0, 0, NULL), 0);
	while ((ret = cpu_cursor_next(cur, &sb)) == 1) {
		struct subbuf_iter it = subbuf_iter(&sb, rec.big_endian);
		struct raw_record r;

		ck_assert(!sb.truncated);
		if (sb.missed)
			found[nr++] = (struct raw_record){ sb.missed, NULL, UINT32_MAX };
		while ((ret = subbuf_iter_next(&it, &r)) == 1) {
			ck_assert_uint_lt(nr, MAX);
			ck_assert(!r.size || r.data[r.size - 1] == r.ts % 251);
			found[nr++] = (struct raw_record){ r.ts, NULL, r.size };
		}
		ck_assert_int_eq(ret, 0);
	}
	ck_assert_int_eq(ret, 0);
	cpu_cursor_close(cur);
	source_close(&rec.src);
	subbuf_writer_free(&pw);
	return nr;
}

static void expect(const struct raw_record *r, uint64_t ts, uint32_t size)
{
	ck_assert_uint_eq(r->ts, ts);
	ck_assert_uint_eq(r->size, size);
}

/* Each layout in each byte order. */
START_TEST(times_and_sizes)
{
	/* The largest deltas of 27 and of 59 bits, and one more each; time that steps back. */
	static const uint64_t times[] = {
		1000,
		1000,
		1001,
		1001 + (1ULL << 27) - 1,
		1ULL << 30,
		(1ULL << 30) + 5,
		1ULL << 40,
		(1ULL << 40) + 1,
		1ULL << 61,
		(1ULL << 61) + 77,
		(1ULL << 61) + 100,
		5000,
		5001,
	};
	/* One word, the largest short form, one word more, 0, odd sizes. */
	static const uint32_t sizes[] = {
		4, 8, 112, 116, 60, 3, 13, 0, 20, 44, 4, 8, 32
	};
	struct raw_record found[MAX];
	size_t i, nr;

	begin(_i & 1, _i & 2);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		add(times[i], sizes[i], false);
	nr = read_back(found);
	ck_assert_uint_eq(nr, ARRAY_SIZE(times));
	for (i = 0; i < nr; i++)
		expect(&found[i], times[i], sizes[i]);
}
END_TEST

START_TEST(pages_fill_up)
{
	struct raw_record found[MAX];
	size_t i, nr;

	begin(_i & 1, _i & 2);
	for (i = 0; i < 100; i++)
		add(1000 + i * 300000000, 12 + 4 * (uint32_t)(i % 5), i >= 50);
	nr = read_back(found);
	ck_assert_uint_eq(nr, 100);
	for (i = 0; i < nr; i++)
		expect(&found[i], 1000 + i * 300000000, 12 + 4 * (uint32_t)(i % 5));
	ck_assert_uint_gt(cpu.size, 10 * PAGE);
	ck_assert_uint_eq(cpu.size % PAGE, 0);
}
END_TEST

START_TEST(losses_stay_where_they_are)
{
	struct raw_record found[MAX];
	size_t nr;

	begin(_i & 1, _i & 2);
	add(10, 8, false);
	subbuf_writer_lost(&pw, 3);
	subbuf_writer_lost(&pw, 4);
	add(20, 8, false);
	subbuf_writer_lost(&pw, SUBBUF_MISSED_UNKNOWN);
	subbuf_writer_lost(&pw, 4);
	add(30, 8, false);
	subbuf_writer_lost(&pw, 9);
	nr = read_back(found);
	ck_assert_uint_eq(nr, 6);
	expect(&found[0], 10, 8);
	expect(&found[1], 7, UINT32_MAX);
	expect(&found[2], 20, 8);
	expect(&found[3], SUBBUF_MISSED_UNKNOWN, UINT32_MAX);
	expect(&found[4], 30, 8);
	expect(&found[5], 9, UINT32_MAX);
}
END_TEST

START_TEST(what_fits_no_page)
{
	struct raw_record r = { 10, bytes, PAGE - layouts[0].data_offset - 4 };

	begin(0, false);
	ck_assert_int_eq(subbuf_writer_add(&pw, &r, false), -EINVAL);
	r.size = 100; /* by itself it would need no length word */
	ck_assert_int_eq(subbuf_writer_add(&pw, &r, true), 0);
	subbuf_writer_free(&pw);
	ck_assert_int_eq(subbuf_writer_init(&pw, &rec.layout, rec.big_endian, 16),
			 -EINVAL);
	subbuf_writer_free(&pw);
	close(fd);
}
END_TEST

START_TEST(write_errors)
{
	begin(0, false);
	close(fd);
	add(10, 8, false);
	ck_assert_int_eq(subbuf_writer_finish(&pw, 0), -EBADF);
	subbuf_writer_free(&pw);
}
END_TEST

Suite *test_subbuf_writer_suite(void)
{
	Suite *s = suite_create("recording/subbuf_writer");
	TCase *tc = tcase_create("subbuf_writer");

	tcase_add_loop_test(tc, times_and_sizes, 0, 4);
	tcase_add_loop_test(tc, pages_fill_up, 0, 4);
	tcase_add_loop_test(tc, losses_stay_where_they_are, 0, 4);
	tcase_add_test(tc, what_fits_no_page);
	tcase_add_test(tc, write_errors);
	suite_add_tcase(s, tc);
	return s;
}
