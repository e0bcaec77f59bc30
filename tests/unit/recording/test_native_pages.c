// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/subbuf_writer.h, read back by subbuf.h.
 */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/subbuf.h"
#include "recording/subbuf_writer.h"

Suite *test_native_pages_suite(void);

#define BIG (__BYTE_ORDER == __BIG_ENDIAN)

struct written {
	uint8_t pages[64 * NATIVE_PAGES_SIZE];
	size_t nr;
};

static struct subbuf_writer start(void)
{
	struct subbuf_writer w;
	int fd = memfd_create("pages", 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(subbuf_writer_init(&w, &native_pages_layout, HOST_BIG_ENDIAN,
					    NATIVE_PAGES_SIZE),
			 0);
	subbuf_writer_to(&w, fd, 0);
	return w;
}

static void finish(struct subbuf_writer *w, struct written *out)
{
	int fd = w->fd;
	ssize_t n;

	ck_assert_int_eq(subbuf_writer_finish(w, 0), 0);
	n = pread(fd, out->pages, sizeof(out->pages), 0);
	ck_assert_int_ge(n, 0);
	ck_assert_uint_eq((uint64_t)n, w->offset);
	ck_assert_uint_eq((uint64_t)n % NATIVE_PAGES_SIZE, 0);
	out->nr = (size_t)n / NATIVE_PAGES_SIZE;
	subbuf_writer_free(w);
	close(fd);
}

static uint64_t commit_of(const struct written *w, size_t page)
{
	return get_u64(w->pages + page * NATIVE_PAGES_SIZE + 8, BIG);
}

static struct subbuf subbuf_of(const struct written *w, size_t page)
{
	const uint8_t *p = w->pages + page * NATIVE_PAGES_SIZE;

	return (struct subbuf){ .data = p + NATIVE_PAGES_DATA,
				.size = (uint32_t)commit_of(w, page) & 0xfffffff,
				.ts = get_u64(p, BIG) };
}

static int add_record(struct subbuf_writer *w, uint64_t ts, const void *data, size_t size)
{
	const struct raw_record rec = { ts, data, (uint32_t)size };

	return subbuf_writer_add(w, &rec, false);
}

/* Records are whole words. */
static void add(struct subbuf_writer *w, uint64_t ts, uint8_t fill, size_t size)
{
	uint8_t data[NATIVE_PAGES_MAX_EVENT];

	memset(data, fill, sizeof(data));
	ck_assert_int_eq(add_record(w, ts, data, (size + 3) & ~3ULL), 0);
}

START_TEST(events_of_all_sizes_and_distances)
{
	static const uint64_t times[] = { 5, 5, 6, 134217733, 134217734, 1ULL << 58, 9 };
	static const size_t sizes[] = { 1, 4, 112, 113, 1000, NATIVE_PAGES_MAX_EVENT, 8 };
	struct subbuf_writer w = start();
	struct written out;
	size_t i = 0;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		add(&w, times[i], (uint8_t)(i + 1), sizes[i]);
	finish(&w, &out);
	i = 0;
	for (size_t page = 0; page < out.nr; page++) {
		struct subbuf sb = subbuf_of(&out, page);
		struct subbuf_iter it = subbuf_iter(&sb, BIG);
		struct raw_record rec;
		int ret;

		while ((ret = subbuf_iter_next(&it, &rec)) > 0) {
			ck_assert_uint_lt(i, ARRAY_SIZE(times));
			ck_assert_uint_eq(rec.ts, times[i]);
			ck_assert_uint_eq(rec.size, (sizes[i] + 3) & ~3ULL);
			ck_assert_uint_eq(rec.data[0], i + 1);
			ck_assert_uint_eq(rec.data[sizes[i] - 1], i + 1);
			i++;
		}
		ck_assert_int_eq(ret, 0);
	}
	ck_assert_uint_eq(i, ARRAY_SIZE(times));
}
END_TEST

START_TEST(many_events_fill_many_pages)
{
	struct subbuf_writer w = start();
	struct written out;
	uint64_t nr = 0;

	for (uint64_t i = 0; i < 4000; i++)
		add(&w, i * 1000, 7, 24);
	finish(&w, &out);
	ck_assert_uint_gt(out.nr, 20); /* more than one written block */
	for (size_t page = 0; page < out.nr; page++) {
		struct subbuf sb = subbuf_of(&out, page);
		struct subbuf_iter it = subbuf_iter(&sb, BIG);
		struct raw_record rec;

		ck_assert_uint_le(sb.size, NATIVE_PAGES_SIZE - NATIVE_PAGES_DATA);
		while (subbuf_iter_next(&it, &rec) > 0)
			ck_assert_uint_eq(rec.ts, nr++ * 1000);
	}
	ck_assert_uint_eq(nr, 4000);
}
END_TEST

START_TEST(losses_are_marked_where_they_were)
{
	struct subbuf_writer w = start();
	struct written out;
	uint64_t at;

	subbuf_writer_lost(&w, 40);
	subbuf_writer_lost(&w, 2);
	add(&w, 1, 1, 16);
	subbuf_writer_lost(&w, SUBBUF_MISSED_UNKNOWN);
	add(&w, 2, 2, 16);
	add(&w, 3, 3, 16);
	finish(&w, &out);
	ck_assert_uint_eq(out.nr, 2);
	ck_assert_uint_eq(commit_of(&out, 0) >> 30, 3);
	at = NATIVE_PAGES_DATA + (commit_of(&out, 0) & 0xfffffff);
	ck_assert_uint_eq(get_u64(out.pages + at, BIG), 42);
	ck_assert_uint_eq(commit_of(&out, 1) >> 30, 2);
}
END_TEST

START_TEST(a_record_without_room_is_refused)
{
	struct subbuf_writer w = start();
	uint8_t data[NATIVE_PAGES_SIZE] = { 0 };
	struct written out;

	ck_assert_int_eq(add_record(&w, 1, data, NATIVE_PAGES_SIZE), -EINVAL);
	finish(&w, &out);
	ck_assert_uint_eq(out.nr, 0);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct subbuf_writer w = start();
	int sealed = w.fd, ret = 0;

	/* An invalid descriptor simulates a full disk. */
	w.fd = -1;
	for (uint64_t i = 0; !ret && i < 100000; i++)
		ret = add_record(&w, i, "12345678", 8);
	ck_assert_int_eq(ret, -EBADF);
	subbuf_writer_free(&w);
	close(sealed);
}
END_TEST

Suite *test_native_pages_suite(void)
{
	Suite *s = suite_create("recording/native_pages");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, events_of_all_sizes_and_distances);
	tcase_add_test(tc, many_events_fill_many_pages);
	tcase_add_test(tc, losses_are_marked_where_they_were);
	tcase_add_test(tc, a_record_without_room_is_refused);
	tcase_add_test(tc, a_full_disk_is_an_error);
	suite_add_tcase(s, tc);
	return s;
}
