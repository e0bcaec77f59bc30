/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: builds a recording event by event, and opens a stream that reads it.
 */
#ifndef KMEMX_TESTS_STREAM_BUILDER_H
#define KMEMX_TESTS_STREAM_BUILDER_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "event/stream.h"
#include "format_text.h"
#include "recording/recording.h"

#define PAGE 4096

/* Formats with the field offsets of a 32-bit or 64-bit kernel. */
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
	"name: user_stack\nID: 5\n" FORMAT_COMMON
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
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
	"name: user_stack\nID: 5\n" FORMAT_COMMON
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long caller[8];\toffset:12;\tsize:32;\tsigned:0;\n" PRINT,
};

enum { ID_ALLOC = 1, ID_FREE = 2, ID_STACK = 4, ID_USER_STACK = 5, ID_UNKNOWN = 9 };

/* A recording under construction: pages one after the other, CPU after CPU. */
#define MAX_PAGES 2000
static uint8_t file[MAX_PAGES * PAGE];
static size_t nr_pages;
static uint8_t *out; /* position of the next event in the current page */
static uint64_t page_ts;
static unsigned int word;
static bool big;
static uint8_t flags; /* common_flags of the next records */

static struct recording_cpu cpus[4];
static struct recording_buffer buffer;
static struct recording_text texts[4];
static struct recording rec;
static struct event_formats *fmts;
static struct event_stream *st;
static struct kmem_event ev;

static inline void put(uint8_t *p, uint64_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[i] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
}

static inline void set_commit(uint64_t set)
{
	uint8_t *page = file + (nr_pages - 1) * PAGE;

	put(page + 8, (uint64_t)(out - (page + 8 + word)) | set, word);
}

static inline void begin_cpu(void)
{
	buffer.nr_cpus++;
	cpus[buffer.nr_cpus - 1] = (struct recording_cpu){ .cpu = buffer.nr_cpus - 1,
							   .offset = nr_pages * PAGE };
}

static inline void begin_page(uint64_t ts)
{
	uint8_t *page = file + nr_pages++ * PAGE;

	page_ts = ts;
	put(page, ts, 8);
	out = page + 8 + word;
	set_commit(0);
	cpus[buffer.nr_cpus - 1].size += PAGE;
}

/* Stores the page's number of lost events after its data. */
static inline void page_lost(uint64_t nr)
{
	put(out, nr, word);
	set_commit(nr ? 3U << 30 : 1U << 31);
}

/* Adds an event header and the common fields; returns the record. */
static inline uint8_t *begin_record(uint64_t ts, uint16_t id, int32_t pid,
				    unsigned int size)
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

static inline void add_alloc(uint64_t ts, int32_t pid, uint64_t pfn)
{
	uint8_t *p = begin_record(ts, ID_ALLOC, pid, word == 8 ? 40 : 24);

	put(p + 8, pfn, word);
	put(p + 8 + word, 3, 4);
	put(p + (word == 8 ? 24 : 16), 0xcc0, word);
	put(p + (word == 8 ? 32 : 20), 1, 4);
}

static inline void add_free(uint64_t ts, int32_t pid, uint64_t ptr, const char *name)
{
	unsigned int at = 8 + 2 * word, len = (unsigned int)strlen(name) + 1;
	uint8_t *p = begin_record(ts, ID_FREE, pid, at + 4 + len);

	put(p + 8 + word, ptr, word);
	put(p + at, len << 16 | (at + 4), 4);
	memcpy(p + at + 4, name, len);
}

static inline void add_stack(uint64_t ts, int32_t pid, uint64_t first, int32_t claimed,
			     int nr)
{
	unsigned int at = word == 8 ? 16 : 12;
	uint8_t *p = begin_record(ts, ID_STACK, pid, at + (unsigned int)nr * word);
	int i;

	put(p + 8, (uint32_t)claimed, 4);
	for (i = 0; i < nr; i++)
		put(p + at + (unsigned int)i * word, first + (uint64_t)i, word);
}

/* Adds @nr user frames of process @tgid, from @first on. */
static inline void add_user_stack(uint64_t ts, int32_t pid, uint32_t tgid, uint64_t first,
				  unsigned int nr)
{
	uint8_t *p = begin_record(ts, ID_USER_STACK, pid, 8 + 9 * word);

	put(p + 8, tgid, 4);
	for (unsigned int i = 0; i < nr; i++)
		put(p + 8 + word + i * word, first + i, word);
}

static inline void setup_for(unsigned int word_size, bool big_endian)
{
	const char *const *formats = word_size == 8 ? formats_64 : formats_32;
	int i;

	memset(file, 0, nr_pages * PAGE);
	memset(&rec, 0, sizeof(rec));
	nr_pages = 0;
	flags = 0;
	word = word_size;
	big = big_endian;
	for (i = 0; i < 4; i++)
		texts[i] =
			(struct recording_text){ (char *)(i >= 2 ? "ftrace" : "kmem"),
						 (char *)formats[i], strlen(formats[i]) };
	buffer =
		(struct recording_buffer){ (char *)"", (char *)"local", PAGE, false, cpus,
					   0 };
	rec.big_endian = big_endian;
	rec.page_size = PAGE;
	rec.layout = (struct page_layout){ word, 8, 8 + word };
	rec.event_formats = texts;
	rec.nr_event_formats = 4;
	rec.buffers = &buffer;
	rec.nr_buffers = 1;
}

static inline void setup(void)
{
	setup_for(8, false);
}

static inline void open_with(const struct event_stream_options *opts)
{
	source_open_memory(&rec.src, file, nr_pages * PAGE);
	ck_assert_int_eq(event_formats_new(&fmts, &rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&st, &rec, fmts, opts, NULL), 0);
}

static inline void open_all(void)
{
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX });
}

static inline void close_all(void)
{
	event_stream_close(st);
	event_formats_free(fmts);
	source_close(&rec.src);
}

static inline void expect_end(void)
{
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	ck_assert_int_eq(event_stream_next(st, &ev), 0);
	close_all();
}

static inline void expect(enum kmem_event_type type, uint64_t ts, uint32_t cpu)
{
	ck_assert_int_eq(event_stream_next(st, &ev), 1);
	ck_assert_uint_eq(ev.type, type);
	ck_assert_uint_eq(ev.ts, ts);
	ck_assert_uint_eq(ev.cpu, cpu);
}

/* The current event's stack must have @nr frames that count up from @first. */
static inline void expect_stack(uint64_t first, uint32_t nr)
{
	uint32_t have, i;
	const uint64_t *frames = event_stream_stack(st, ev.stack, &have);

	ck_assert_uint_eq(have, nr);
	for (i = 0; i < nr; i++)
		ck_assert_uint_eq(frames[i], first + i);
}

#endif
