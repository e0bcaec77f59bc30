// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: compressed CPU data built in memory: whole, truncated, and decompression bombs.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/bytes.h"
#include "build_trace_dat.h"
#include "recording/cpu_cursor.h"

/* The compression methods that this build has. */
static const char *const kinds[] = {
#ifdef HAVE_ZSTD
	"zstd",
#endif
#ifdef HAVE_ZLIB
	"zlib",
#endif
	"none",
};

#define NR_KINDS ((int)ARRAY_SIZE(kinds) - 1)

static void compress_with(const char *kind, const struct strbuf *data, struct strbuf *out)
{
	size_t room = data->size + data->size / 8 + 1024, size = 0;
	char *to = malloc(room);

	ck_assert_ptr_nonnull(to);
#ifdef HAVE_ZSTD
	if (!strcmp(kind, "zstd")) {
		size = ZSTD_compress(to, room, data->data, data->size, 1);
		ck_assert(!ZSTD_isError(size));
	}
#endif
#ifdef HAVE_ZLIB
	if (!strcmp(kind, "zlib")) {
		uLongf n = room;

		ck_assert_int_eq(
			compress2((Bytef *)to, &n, (Bytef *)data->data, data->size, 1),
			Z_OK);
		size = n;
	}
#endif
	ck_assert_uint_gt(size, 0);
	strbuf_add(out, to, size);
	free(to);
}

/* u32 compressed size, u32 size, data; @claim 0: the truth. */
static void add_chunk(struct strbuf *out, const char *kind, const struct strbuf *data,
		      uint32_t claim, bool big_endian)
{
	struct strbuf small = { 0 };

	compress_with(kind, data, &small);
	put_uint(out, small.size, 4, big_endian);
	put_uint(out, claim ? claim : data->size, 4, big_endian);
	strbuf_add(out, small.data, small.size);
	strbuf_free(&small);
}

/* Makes @nr pages with events that compress badly. */
static struct strbuf make_pages(const struct file_build *b, uint32_t first, uint32_t nr)
{
	struct page_build p = { .big_endian = b->big_endian,
				.long_size = b->long_size,
				.page_size = b->page_size };
	struct strbuf pages = { 0 };
	unsigned int seed = first + 1;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		page_start(&p, 1000000ULL * (first + i));
		while (p.bytes.size + 16 <= b->page_size)
			page_event(&p, 1, 2, (uint32_t)rand_r(&seed));
		page_end(&p, 0, 0);
		strbuf_add(&pages, p.bytes.data, p.bytes.size);
	}
	strbuf_free(&p.bytes);
	return pages;
}

struct counted {
	uint32_t pages, events, bad;
	int end;
};

static struct counted count(const struct strbuf *file)
{
	struct counted n = { 0 };
	struct recording *rec;
	struct cpu_cursor *cur;
	struct raw_record raw;
	struct subbuf_iter it;
	struct source src;
	struct subbuf sb;

	source_open_memory(&src, file->data, file->size);
	ck_assert_int_eq(recording_open(&rec, &src, "memory", NULL), 0);
	ck_assert(rec->buffers[0].compressed);
	ck_assert_int_eq(cpu_cursor_open(&cur, rec, 0, 0, NULL), 0);
	while ((n.end = cpu_cursor_next(cur, &sb)) == 1 || n.end == -EBADMSG) {
		n.bad += n.end != 1;
		n.pages += n.end == 1;
		if (n.end != 1)
			continue;
		it = subbuf_iter(&sb, rec->big_endian);
		while (subbuf_iter_next(&it, &raw) == 1)
			n.events++;
	}
	cpu_cursor_close(cur);
	recording_close(rec);
	return n;
}

static struct file_build spec(const char *kind, bool big_endian, uint32_t page_size)
{
	struct file_build b = { .version = 7,
				.big_endian = big_endian,
				.long_size = 8,
				.page_size = page_size,
				.compression = kind,
				.chunks = true,
				.nr_buffers = 1 };

	b.buffers[0].name = "";
	b.buffers[0].nr_cpus = 1;
	return b;
}

/* Three chunks of ten pages, for each compression in both byte orders. */
START_TEST(chunks_give_their_pages)
{
	struct file_build b = spec(kinds[_i / 2], _i & 1, 4096);
	struct strbuf data = { 0 }, pages, file;
	struct counted n;
	uint32_t i, per_page = (4096 - 20) / 12;

	put_uint(&data, 3, 4, b.big_endian);
	for (i = 0; i < 3; i++) {
		pages = make_pages(&b, 10 * i, 10);
		add_chunk(&data, b.compression, &pages, 0, b.big_endian);
		strbuf_free(&pages);
	}
	b.buffers[0].pages[0] = &data;
	file = build_file(&b);
	n = count(&file);
	ck_assert_uint_eq(n.pages, 30);
	ck_assert_uint_eq(n.bad, 0);
	ck_assert_uint_eq(n.events, 30 * per_page);
	ck_assert_int_eq(n.end, 0);
	strbuf_free(&file);
	strbuf_free(&data);
}
END_TEST

/* If the end of the last chunk is missing, what can be decompressed is delivered, and the damage
 * reported.
 */
START_TEST(a_cut_chunk_gives_its_beginning)
{
	struct file_build b = spec(kinds[_i], false, 65536);
	struct strbuf data = { 0 }, pages, file;
	struct counted n;

	put_uint(&data, 2, 4, false);
	pages = make_pages(&b, 0, 10);
	add_chunk(&data, b.compression, &pages, 0, false);
	strbuf_free(&pages);
	pages = make_pages(&b, 10, 10);
	add_chunk(&data, b.compression, &pages, 0, false);
	data.size -= pages.size / 5;
	strbuf_free(&pages);
	b.buffers[0].pages[0] = &data;
	file = build_file(&b);
	n = count(&file);
	ck_assert_uint_gt(n.pages, 10);
	ck_assert_uint_lt(n.pages, 20);
	ck_assert_uint_ge(n.bad, 1);
	ck_assert_uint_gt(n.events, 10 * (65536 - 16) / 12);
	ck_assert_int_eq(n.end, 0);
	strbuf_free(&file);
	strbuf_free(&data);
}
END_TEST

/* 300 MiB of zeros that claim to be ten pages, or claim no size, are refused, and the next chunk is
 * read.
 */
START_TEST(a_chunk_that_explodes_is_refused)
{
	struct file_build b = spec(kinds[_i / 2], false, 4096);
	struct strbuf data = { 0 }, pages, zeros = { 0 }, file;
	struct counted n;

	zeros.size = 300U << 20;
	zeros.data = calloc(1, zeros.size);
	ck_assert_ptr_nonnull(zeros.data);
	put_uint(&data, 2, 4, false);
	add_chunk(&data, b.compression, &zeros, _i & 1 ? 40960 : UINT32_MAX, false);
	ck_assert_uint_lt(data.size, 8U << 20);
	free(zeros.data);
	pages = make_pages(&b, 0, 10);
	add_chunk(&data, b.compression, &pages, 0, false);
	b.buffers[0].pages[0] = &data;
	file = build_file(&b);
	n = count(&file);
	ck_assert_uint_eq(n.bad, 1);
	ck_assert_uint_eq(n.pages, 10);
	ck_assert_int_eq(n.end, 0);
	strbuf_free(&file);
	strbuf_free(&pages);
	strbuf_free(&data);
}
END_TEST

Suite *test_chunks_suite(void)
{
	Suite *s = suite_create("recording/chunks");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, chunks_give_their_pages, 0, 2 * NR_KINDS);
	tcase_add_loop_test(tc, a_cut_chunk_gives_its_beginning, 0, NR_KINDS);
	tcase_add_loop_test(tc, a_chunk_that_explodes_is_refused, 0, 2 * NR_KINDS);
	suite_add_tcase(s, tc);
	return s;
}
