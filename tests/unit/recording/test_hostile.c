// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: damaged recordings: truncated anywhere, bits flipped anywhere. Run under ASan and UBSan.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_trace_dat.h"
#include "often.h"
#include "recording/cpu_cursor.h"
#include "recording/time_span.h"
#include "source_file.h"

static const char *const files[] = {
	"data/bookworm-armhf-small-plain.v6.dat",
	"data/bookworm-armhf-small-stack.v7.dat",
	"data/bookworm-s390x-small-overflow.v7.dat",
	"data/bookworm-armhf-small-plain-none.v7.dat",
	"data/broken-s390x-small-plain.v7.dat",
	"data/variants-amd64-instance.v7.dat",
	"data/variants-amd64-plain-zlib.v7.dat",
};

/* How many cuts, and how many flipped bits, to try in each file. */
static size_t nr_damages(void)
{
	return long_tests() ? 300 : 150;
}

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

/* Returns the number of readable events; -1 if the file does not open. */
static int64_t count(const uint8_t *data, size_t size)
{
	/* Exactly this size, for ASan. */
	uint8_t *copy = malloc(size ? size : 1);
	struct recording *rec;
	struct source src;
	uint64_t first, last;
	int64_t events = 0;
	uint32_t b, c;
	int ret;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, data, size);
	source_open_memory(&src, copy, size);
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

			ck_assert_int_eq(cpu_cursor_open(&cur, rec, b, c, NULL), 0);
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

	for (i = 0; i < nr_damages(); i++) {
		/* Cuts at every byte of the start, then anywhere. */
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

	for (i = 0; i < nr_damages(); i++) {
		uint8_t bit;

		/* A third of the flips are in the first 512 bytes. */
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

/* trace.dat 6 has its metadata first: all whole pages before the cut are readable. */
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
 * trace.dat 7 describes its buffers at the end: after a cut, a walk over the sections finds them.
 */
START_TEST(version_7_gives_the_events_up_to_the_cut)
{
	static const struct {
		const char *path;
		size_t tail; /* the buffer's description, after the data */
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

/* Finds boundaries in version 7: start and end of each section header. */
static size_t sections(const uint8_t *data, size_t size, size_t *at, size_t max)
{
	bool big = data[12] != 0;
	size_t pos = 18, nr = 0;

	pos += strlen((const char *)data + pos) + 1; /* compression */
	pos += strlen((const char *)data + pos) + 1; /* its version */
	at[nr++] = pos;
	for (pos += 8; size - pos >= 16 && nr + 2 <= max;) {
		uint64_t len = get_u64(data + pos + 8, big);

		at[nr++] = pos;
		at[nr++] = pos + 16;
		if (len > size - pos - 16)
			break;
		pos += 16 + len;
	}
	return nr;
}

/* Finds the ends of version 6's parts, up to the table of CPUs. */
static size_t parts(const uint8_t *data, size_t *at)
{
	bool big = data[12] != 0;
	size_t pos = 18, nr = 0;
	uint32_t systems, count;

	at[nr++] = pos += 12;
	at[nr++] = pos += 8 + get_u64(data + pos, big);
	at[nr++] = pos += 13;
	at[nr++] = pos += 8 + get_u64(data + pos, big);
	count = get_u32(data + pos, big);
	for (pos += 4; count--;)
		pos += 8 + get_u64(data + pos, big);
	at[nr++] = pos;
	systems = get_u32(data + pos, big);
	for (at[nr++] = pos += 4; systems--;) {
		pos += strlen((const char *)data + pos) + 1;
		count = get_u32(data + pos, big);
		for (pos += 4; count--;)
			pos += 8 + get_u64(data + pos, big);
	}
	at[nr++] = pos;
	at[nr++] = pos += 4 + get_u32(data + pos, big); /* kallsyms */
	at[nr++] = pos += 4 + get_u32(data + pos, big); /* printk */
	at[nr++] = pos += 8 + get_u64(data + pos, big); /* command lines */
	at[nr++] = pos + 4;
	at[nr++] = pos + 14;
	return nr;
}

START_TEST(cut_at_every_boundary)
{
	size_t size, at[256], nr, i;
	uint8_t *data = load(files[_i], &size);
	int64_t whole = count(data, size), events, most = 0;
	int off;

	ck_assert(data[10] == '6' || data[10] == '7');
	nr = data[10] == '6' ? parts(data, at) : sections(data, size, at, 256);
	ck_assert_uint_ge(nr, 10);
	for (i = 0; i < nr; i++) {
		ck_assert_uint_le(at[i], size);
		for (off = -2; off <= 2; off++) {
			if (at[i] + off > size)
				continue;
			events = count(data, at[i] + off);
			ck_assert_int_le(events, whole);
			most = events > most ? events : most;
		}
	}
	if (data[10] == '7') /* the last boundaries are after the data */
		ck_assert_int_gt(most, whole / 2);
	free(data);
}
END_TEST

/* A wrong size in version 6's metadata loses that part, but a marker leads to the events. */
START_TEST(version_6_finds_its_cpus_again)
{
	static const char *const paths[] = { "data/bookworm-armhf-small-plain.v6.dat",
					     "data/bookworm-s390x-small-plain.v6.dat",
					     "data/variants-amd64-instance.v6.dat" };
	size_t size, at[256], nr, i;
	uint8_t *data = load(paths[_i], &size), saved[4];
	int64_t whole = count(data, size);

	nr = parts(data, at);
	ck_assert_uint_eq(nr, 12);
	/* Sizes of formats, kallsyms, printk, command lines, CPUs: absurd, too large, too small. */
	for (i = 4; i < nr - 2; i++) {
		static const uint8_t wrong[][4] = { { 0xff, 0xff, 0xff, 0xff },
						    { 0, 1, 0, 0 },
						    { 0, 0, 0, 1 } };
		size_t w;

		for (w = 0; w < 3; w++) {
			memcpy(saved, data + at[i], 4);
			memcpy(data + at[i], wrong[w], 4);
			ck_assert_int_eq(count(data, size), whole);
			memcpy(data + at[i], saved, 4);
		}
	}
	/* A wrong size of an option: the table of CPUs is still found. */
	ck_assert(!memcmp(data + at[nr - 2], "options  ", 10));
	memset(data + at[nr - 1] + 2, 0xff, 4);
	ck_assert_int_gt(count(data, size), 0);
	free(data);
}
END_TEST

/* Two CPUs claim the same bytes: each event is read once. */
START_TEST(overlapping_cpus_are_left_out)
{
	struct page_build p = { .long_size = 8, .page_size = 4096 };
	struct file_build b = {
		.version = _i ? 7 : 6, .long_size = 8, .page_size = 4096, .nr_buffers = 1
	};
	struct strbuf pages = { 0 }, file;
	struct recording *rec;
	struct source src;
	int i;

	for (i = 0; i < 4; i++) {
		page_start(&p, 100 * (uint64_t)i);
		page_event(&p, 1, 2, 7);
		page_end(&p, 0, 0);
		strbuf_add(&pages, p.bytes.data, p.bytes.size);
	}
	b.buffers[0].name = "";
	b.buffers[0].nr_cpus = 2;
	b.buffers[0].pages[0] = b.buffers[0].pages[1] = &pages;
	file = build_file(&b);
	ck_assert_int_eq(count((uint8_t *)file.data, file.size), 8);
	strbuf_free(&file);
	/* CPU 0 claims a page of CPU 1. */
	b.claim_cpu_size = pages.size + 4096;
	file = build_file(&b);
	source_open_memory(&src, file.data, file.size);
	ck_assert_int_eq(recording_open(&rec, &src, "memory", NULL), 0);
	ck_assert_uint_eq(rec->buffers[0].nr_cpus, 1);
	ck_assert_uint_ge(rec->nr_damaged, 1);
	recording_close(rec);
	ck_assert_int_eq(count((uint8_t *)file.data, file.size), 5);
	strbuf_free(&file);
	strbuf_free(&pages);
	strbuf_free(&p.bytes);
}
END_TEST

/* A wrong page size at the start of the file: header_page and the buffers also have the page size.
 */
START_TEST(page_sizes_that_cannot_be)
{
	static const uint32_t wrong[] = { 0, 1, 3, 4095, 1U << 31, UINT32_MAX };
	size_t size, at = 14, i;
	uint8_t *data = load(files[_i], &size);
	int64_t whole = count(data, size);

	ck_assert_uint_eq(get_u32(data + at, data[12] != 0), 4096);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		memcpy(data + at, &wrong[i], 4);
		ck_assert_int_eq(count(data, size), whole);
	}
	free(data);
}
END_TEST

/* An unfinished file of 48 bytes that does not describe its data: the reader searches for pages. */
START_TEST(page_size_0_where_data_is_searched)
{
	static const uint8_t file[] = "\x17\x08\x44tracing7\0\0\x08\0\0\0\0none\0\0"
				      "\0\0\0\0\0\0\0\0"
				      "\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

	ck_assert_int_eq(count(file, sizeof(file) - 1), 0);
}
END_TEST

Suite *test_hostile_suite(void)
{
	Suite *s = suite_create("recording/hostile");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, cut_anywhere, 0, (int)ARRAY_SIZE(files));
	tcase_add_loop_test(tc, bits_flipped_anywhere, 0, (int)ARRAY_SIZE(files));
	tcase_add_loop_test(tc, cut_at_every_boundary, 0, (int)ARRAY_SIZE(files));
	tcase_add_loop_test(tc, version_6_finds_its_cpus_again, 0, 3);
	tcase_add_loop_test(tc, overlapping_cpus_are_left_out, 0, 2);
	tcase_add_loop_test(tc, page_sizes_that_cannot_be, 0, (int)ARRAY_SIZE(files));
	tcase_add_test(tc, page_size_0_where_data_is_searched);
	tcase_add_test(tc, version_6_gives_the_events_up_to_the_cut);
	tcase_add_loop_test(tc, version_7_gives_the_events_up_to_the_cut, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
