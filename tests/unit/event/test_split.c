// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/split.h: its progress reports. tests/cli/split.test tests the content of the parts.
 */
#include <check.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/split.h"

#define RECORDING "data/bookworm-amd64-small-overflow.v7.dat"

/* The last report, and the number of reports. */
struct told {
	uint64_t done, total, events, calls;
	uint64_t written, to_write, calls_writing;
};

static void keep(void *ctx, uint64_t done, uint64_t total, uint64_t events)
{
	struct told *t = ctx;

	ck_assert_uint_ge(done, t->done);
	ck_assert_uint_ge(events, t->events);
	ck_assert_uint_le(done, total);
	ck_assert(!t->calls || t->total == total);
	ck_assert(!t->to_write);
	*t = (struct told){ done, total, events, t->calls + 1, 0, 0, 0 };
}

static void keep_written(void *ctx, uint64_t done, uint64_t total)
{
	struct told *t = ctx;

	ck_assert_uint_ge(done, t->written);
	ck_assert_uint_le(done, total);
	t->written = done;
	t->to_write = total;
	t->calls_writing++;
}

static uint64_t bytes_of(const struct recording *rec)
{
	uint64_t sum = 0;
	uint32_t b, i;

	for (b = 0; b < rec->nr_buffers; b++) {
		for (i = 0; i < rec->buffers[b].nr_cpus; i++)
			sum += rec->buffers[b].cpus[i].size;
	}
	return sum;
}

START_TEST(progress_goes_up_to_the_end)
{
	struct told told = { 0 };
	struct split_options opts = { .stop_ts = UINT64_MAX,
				      .fd = memfd_create("part", 0),
				      .pages_fd = memfd_create("pages", 0),
				      .progress = keep,
				      .writing = keep_written,
				      .ctx = &told };
	struct event_formats *fmts;
	struct split_result result;
	struct recording *rec;
	struct source src;

	ck_assert_int_eq(source_open_fd(&src, open(RECORDING, O_RDONLY)), 0);
	ck_assert_int_eq(recording_open(&rec, &src, "whole", NULL), 0);
	ck_assert_int_eq(event_formats_new(&fmts, rec, NULL), 0);
	ck_assert_int_eq(split_write(rec, fmts, &opts, &result, NULL), 0);
	ck_assert_uint_eq(told.total, bytes_of(rec));
	ck_assert_uint_gt(told.calls, 10);
	ck_assert_uint_gt(told.done, told.total / 2);
	ck_assert_uint_gt(told.events, result.nr_events / 2);
	/* Writing is reported up to the last byte; the file has more bytes than its pages. */
	ck_assert_uint_gt(told.written, 0);
	ck_assert_uint_eq(told.written, told.to_write);
	ck_assert_uint_lt(told.written, result.written_bytes);
	ck_assert_uint_ge(told.calls_writing, 2);
	event_formats_free(fmts);
	recording_close(rec);
	close(opts.fd);
	close(opts.pages_fd);
}
END_TEST

Suite *test_split_suite(void);
Suite *test_split_suite(void)
{
	Suite *s = suite_create("event/split");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, progress_goes_up_to_the_end);
	suite_add_tcase(s, tc);
	return s;
}
