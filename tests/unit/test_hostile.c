// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: damaged recordings: cut anywhere, bits flipped anywhere. Run under ASan and UBSan.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_trace_dat.h"
#include "recording/cpu_cursor.h"

static const char *const files[] = {
	"data/bookworm-armhf-small-plain.v6.dat",
	"data/bookworm-armhf-small-stack.v7.dat",
	"data/bookworm-s390x-small-overflow.v7.dat",
	"data/bookworm-armhf-small-plain-none.v7.dat",
	"data/broken-s390x-small-plain.v7.dat",
	"data/variants-amd64-instance.v7.dat",
	"data/variants-amd64-plain-zlib.v7.dat",
};

#define NR_CUTS	 300
#define NR_FLIPS 300

static uint8_t *load(const char *path, size_t *size)
{
	struct source src;
	uint8_t *data;

	ck_assert_int_eq(source_open_file(&src, path), 0);
	*size = (size_t)src.size;
	data = malloc(*size);
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(source_read(&src, data, *size, 0), 0);
	source_close(&src);
	return data;
}

/* The number of events that can be had; -1 if the file does not open. */
static int64_t count(const uint8_t *data, size_t size)
{
	/* Of exactly this size, for ASan. */
	uint8_t *copy = malloc(size ? size : 1);
	struct recording *rec;
	struct source src;
	uint64_t first, last;
	int64_t events = 0;
	uint32_t b, c;
	int ret;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, data, size);
	ck_assert_int_eq(source_open_memory(&src, copy, size), 0);
	ret = recording_open(&rec, &src, "damaged", NULL);
	if (ret) {
		ck_assert(ret == -EPROTO || ret == -EBADMSG || ret == -ENOTSUP);
		free(copy);
		return -1;
	}
	for (b = 0; b < rec->nr_buffers; b++) {
		ret = recording_time_span(rec, b, &first, &last);
		ck_assert(!ret || ret == -ENODATA);
		for (c = 0; c < rec->buffers[b].nr_cpus; c++) {
			struct cpu_cursor *cur;
			struct subbuf sb;
			struct subbuf_iter it;
			struct raw_record raw;

			ck_assert_int_eq(cpu_cursor_open(&cur, rec, b, c), 0);
			while ((ret = cpu_cursor_next(cur, &sb)) == 1 ||
			       ret == -EBADMSG) {
				if (ret != 1)
					continue;
				it = subbuf_iter(&sb, rec->big_endian);
				while (subbuf_iter_next(&it, &raw) == 1)
					events += raw.size < 2 ||
						  get_u16(raw.data, false) != 0;
			}
			ck_assert_int_eq(ret, 0);
			cpu_cursor_close(cur);
		}
	}
	recording_close(rec);
	free(copy);
	return events;
}

START_TEST(cut_anywhere)
{
	size_t size, i, at;
	uint8_t *data = load(files[_i], &size);
	int64_t whole = count(data, size);
	unsigned int seed = 11;

	for (i = 0; i < NR_CUTS; i++) {
		/* Every byte of the start, then anywhere. */
		at = i < 80 ? i
			    : ((size_t)rand_r(&seed) << 8 ^ (size_t)rand_r(&seed)) % size;
		ck_assert_int_le(count(data, at), whole);
	}
	for (at = 4096; at < size; at += 16 * 4096) {
		ck_assert_int_le(count(data, at - 1), whole);
		ck_assert_int_le(count(data, at), whole);
	}
	free(data);
}
END_TEST

START_TEST(bits_flipped_anywhere)
{
	size_t size, i, at;
	uint8_t *data = load(files[_i], &size);
	unsigned int seed = 7;

	for (i = 0; i < NR_FLIPS; i++) {
		uint8_t bit;

		/* A third in the common start and the first sections. */
		at = ((size_t)rand_r(&seed) << 8 ^ (size_t)rand_r(&seed)) %
		     (i % 3 ? size : 512);
		bit = (uint8_t)(1U << rand_r(&seed) % 8);
		data[at] ^= bit;
		count(data, size);
		data[at] ^= bit;
	}
	free(data);
}
END_TEST

/* trace.dat 6 has its metadata first: each whole page before the cut is there. */
START_TEST(version_6_gives_the_events_up_to_the_cut)
{
	size_t size, at;
	uint8_t *data = load("data/bookworm-armhf-small-plain.v6.dat", &size);
	int64_t whole = count(data, size), last = 0, n;
	bool started = false;

	for (at = 4096; at <= size; at += 4096) {
		n = count(data, at);
		if (started || n > 0) {
			ck_assert_int_gt(n, last);
			started = true;
			last = n;
		}
	}
	ck_assert_int_eq(last, whole);
	free(data);
}
END_TEST

/*
 * trace.dat 7 describes its buffers at the end: they are found by walking the sections.
 */
START_TEST(version_7_gives_the_events_up_to_the_cut)
{
	static const struct {
		const char *path;
		size_t tail; /* the description of the buffer, behind the data */
	} cut[] = {
		{ "data/bookworm-armhf-small-plain-none.v7.dat", 211 },
		{ "data/bookworm-armhf-small-stack.v7.dat", 180 },
		{ "data/bookworm-s390x-small-overflow.v7.dat", 180 },
		{ "data/bookworm-arm64-small-stack.v7.dat", 180 },
	};
	size_t size;
	uint8_t *data = load(cut[_i].path, &size);
	int64_t whole = count(data, size), half;

	ck_assert_int_eq(count(data, size - cut[_i].tail), whole);
	half = count(data, size / 2 + 8192);
	ck_assert_int_gt(half, whole / 5);
	ck_assert_int_lt(half, whole);
	free(data);
}
END_TEST

Suite *test_hostile_suite(void)
{
	Suite *s = suite_create("recording/hostile");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, cut_anywhere, 0, (int)ARRAY_SIZE(files));
	tcase_add_loop_test(tc, bits_flipped_anywhere, 0, (int)ARRAY_SIZE(files));
	tcase_add_test(tc, version_6_gives_the_events_up_to_the_cut);
	tcase_add_loop_test(tc, version_7_gives_the_events_up_to_the_cut, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
