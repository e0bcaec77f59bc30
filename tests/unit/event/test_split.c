// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/split.h: its progress reports, and a part's counts by the kernel.
 * tests/cli/split.test tests the content of the parts.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "event/split.h"
#include "recording/kernel_curve.h"

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

START_TEST(an_input_that_shrinks_is_unread)
{
	struct split_options opts = { .stop_ts = UINT64_MAX,
				      .fd = memfd_create("part", 0),
				      .pages_fd = memfd_create("pages", 0) };
	int whole = open(RECORDING, O_RDONLY), copy = memfd_create("whole", 0);
	off_t size = lseek(whole, 0, SEEK_END);
	struct split_result result;
	struct event_formats *fmts;
	struct recording *rec;
	struct source src;

	lseek(whole, 0, SEEK_SET);
	ck_assert_int_eq(sendfile(copy, whole, NULL, (size_t)size), size);
	close(whole);
	ck_assert_int_eq(source_open_fd(&src, copy), 0);
	ck_assert_int_eq(recording_open(&rec, &src, "whole", NULL), 0);
	ck_assert_int_eq(event_formats_new(&fmts, rec, NULL), 0);
	ck_assert_int_eq(ftruncate(copy, size / 2), 0);
	ck_assert_int_eq(split_write(rec, fmts, &opts, &result, NULL), -EIO);
	ck_assert(result.unread);
	event_formats_free(fmts);
	recording_close(rec);
	close(opts.fd);
	close(opts.pages_fd);
}
END_TEST

/* Gives @rec a curve of four moments, two of which are within its events' time. */
static void add_curve(struct recording *rec)
{
	static const char curve[] =
		"times +20000000000+1000000000+1000000000+1000000000\n"
		"s filp +10+1+1+1\n";

	rec->meta = realloc(rec->meta, (rec->nr_meta + 1) * sizeof(*rec->meta));
	ck_assert_ptr_nonnull(rec->meta);
	rec->meta[rec->nr_meta++] =
		(struct recording_text){ strdup(RECORDING_META_CURVE), strdup(curve),
					 strlen(curve) };
}

/* A part has the moments within its time; without any, it has no curve. */
START_TEST(curve_of_the_part)
{
	static const struct {
		uint64_t start, stop;
		unsigned int moments;
	} parts[] = { { 0, UINT64_MAX, 4 },
		      { 20900000000, 22500000000, 2 },
		      { 20800000000, 21000000000, 1 },
		      { 20800000000, 20950000000, 0 } };
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct split_options opts = { .start_ts = parts[i].start,
					      .stop_ts = parts[i].stop,
					      .fd = memfd_create("part", 0),
					      .pages_fd = memfd_create("pages", 0) };
		const struct kernel_series *filp;
		struct kernel_curve curve = { 0 };
		struct event_formats *fmts;
		struct split_result result;
		struct recording *rec;
		struct source src;
		int ret;

		ck_assert_int_eq(source_open_fd(&src, open(RECORDING, O_RDONLY)), 0);
		ck_assert_int_eq(recording_open(&rec, &src, "whole", NULL), 0);
		ck_assert_int_eq(event_formats_new(&fmts, rec, NULL), 0);
		add_curve(rec);
		ck_assert_int_eq(split_write(rec, fmts, &opts, &result, NULL), 0);
		event_formats_free(fmts);
		recording_close(rec);
		ck_assert_int_eq(source_open_fd(&src, opts.fd), 0);
		ck_assert_int_eq(recording_open(&rec, &src, "part", NULL), 0);
		ret = kernel_curve_of(&curve, rec);
		ck_assert_int_eq(ret, parts[i].moments ? 0 : -ENOENT);
		ck_assert_uint_eq(curve.nr, parts[i].moments);
		filp = kernel_curve_find(&curve, KERNEL_SLAB, "filp");
		ck_assert(!filp == !curve.nr);
		if (curve.nr && parts[i].start)
			ck_assert_uint_eq(filp->at[0], 11);
		kernel_curve_free(&curve);
		recording_close(rec);
		close(opts.pages_fd);
	}
}
END_TEST

Suite *test_split_suite(void);
Suite *test_split_suite(void)
{
	Suite *s = suite_create("event/split");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, progress_goes_up_to_the_end);
	tcase_add_test(tc, an_input_that_shrinks_is_unread);
	tcase_add_test(tc, curve_of_the_part);
	suite_add_tcase(s, tc);
	return s;
}
