// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: builds perf.data files in memory.
 * In: samples and other records. Out: bytes in perf's format.
 */
#include "build_perf_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "build_trace_dat.h"

#define ATTR_SIZE   128U
#define EVENT_ID    77U
#define HEADER_SIZE 104U

static void put(const struct perf_build *b, struct strbuf *sb, uint64_t v,
		unsigned int size)
{
	put_uint(sb, v, size, b->big_endian);
}

static void put_header(const struct perf_build *b, struct strbuf *sb, uint32_t type,
		       uint16_t misc, size_t size)
{
	put(b, sb, type, 4);
	put(b, sb, misc, 2);
	put(b, sb, size + 8, 2);
}

static void add_record(struct perf_build *b, uint32_t type, uint16_t misc,
		       const struct strbuf *body)
{
	put_header(b, &b->records, type, misc, body->size);
	strbuf_add(&b->records, body->data, body->size);
}

void perf_build_record(struct perf_build *b, uint32_t type, const void *data, size_t size)
{
	put_header(b, &b->records, type, 0, size);
	strbuf_add(&b->records, data, size);
}

/* The event as in the kernel's ring buffer, padded as perf does. */
static void put_raw(const struct perf_build *b, struct strbuf *sb,
		    const struct perf_build_sample *s)
{
	const uint32_t size = 8 + 2 * b->long_size;

	put(b, sb, size + 4, 4);
	put(b, sb, PERF_BUILD_ID, 2);
	put(b, sb, 0, 2);
	put(b, sb, s->tid, 4);
	put(b, sb, PERF_BUILD_SITE, b->long_size);
	put(b, sb, s->ptr, b->long_size);
	put(b, sb, 0, 4);
}

/* Kernel frames, then the user frame, each after its marker. */
static void put_chain(const struct perf_build *b, struct strbuf *sb, uint32_t frames)
{
	put(b, sb, frames + 3ULL, 8);
	put(b, sb, (uint64_t)-128, 8);
	for (uint32_t i = 0; i < frames; i++)
		put(b, sb, PERF_BUILD_SITE + 0x100ULL * i, 8);
	put(b, sb, (uint64_t)-512, 8);
	put(b, sb, PERF_BUILD_USER, 8);
}

void perf_build_sample(struct perf_build *b, const struct perf_build_sample *s)
{
	struct strbuf body = { 0 };

	if (b->sample_type & 1U << 16)
		put(b, &body, EVENT_ID, 8);
	if (b->sample_type & 1U << 0)
		put(b, &body, PERF_BUILD_SITE, 8);
	if (b->sample_type & 1U << 1) {
		put(b, &body, s->tid, 4);
		put(b, &body, s->tid, 4);
	}
	if (b->sample_type & 1U << 2)
		put(b, &body, s->time, 8);
	if (b->sample_type & 1U << 6)
		put(b, &body, EVENT_ID, 8);
	if (b->sample_type & 1U << 7) {
		put(b, &body, s->cpu, 4);
		put(b, &body, 0, 4);
	}
	if (b->sample_type & 1U << 8)
		put(b, &body, 1, 8);
	if (b->sample_type & 1U << 5)
		put_chain(b, &body, s->frames);
	if (b->sample_type & 1U << 10)
		put_raw(b, &body, s);
	add_record(b, 9, 1, &body);
	strbuf_free(&body);
}

/* The trailer of all other records (sample_id), with the sample types of these tests. */
static void put_trailer(const struct perf_build *b, struct strbuf *sb, uint64_t time,
			uint32_t cpu)
{
	put(b, sb, 0, 8); /* task */
	put(b, sb, time, 8);
	put(b, sb, cpu, 4);
	put(b, sb, 0, 4);
	put(b, sb, EVENT_ID, 8);
}

void perf_build_lost(struct perf_build *b, uint64_t lost, uint64_t time, uint32_t cpu)
{
	struct strbuf body = { 0 };

	put(b, &body, EVENT_ID, 8);
	put(b, &body, lost, 8);
	put_trailer(b, &body, time, cpu);
	add_record(b, 2, 0, &body);
	strbuf_free(&body);
}

void perf_build_lost_samples(struct perf_build *b, uint64_t lost, uint16_t misc)
{
	struct strbuf body = { 0 };

	put(b, &body, lost, 8);
	put_trailer(b, &body, 0, 0);
	add_record(b, 13, misc, &body);
	strbuf_free(&body);
}

void perf_build_id_index(struct perf_build *b, uint32_t cpu)
{
	struct strbuf body = { 0 };

	put(b, &body, 1, 8);
	put(b, &body, EVENT_ID, 8);
	put(b, &body, 0, 8);
	put(b, &body, cpu, 8);
	put(b, &body, UINT64_MAX, 8); /* of all tasks */
	add_record(b, 69, 0, &body);
	strbuf_free(&body);
}

void perf_build_comm(struct perf_build *b, uint32_t tid, const char *comm)
{
	struct strbuf body = { 0 };
	char name[16] = "";

	put(b, &body, tid, 4);
	put(b, &body, tid, 4);
	snprintf(name, sizeof(name), "%s", comm);
	strbuf_add(&body, name, sizeof(name));
	put_trailer(b, &body, 0, 0);
	add_record(b, 3, 0, &body);
	strbuf_free(&body);
}

void perf_build_map(struct perf_build *b, const struct perf_build_map *map)
{
	struct strbuf body = { 0 };
	char name[32] = "";

	put(b, &body, map->pid, 4);
	put(b, &body, map->pid, 4);
	if (map->path) {
		put(b, &body, map->start, 8);
		put(b, &body, map->size, 8);
		put(b, &body, 0x1000, 8);
	}
	snprintf(name, sizeof(name), "%s", map->path ? map->path : "exec");
	strbuf_add(&body, name, sizeof(name));
	put_trailer(b, &body, map->time, 0);
	add_record(b, map->path ? 1 : 3, map->path ? 2 : 1U << 13, &body);
	strbuf_free(&body);
}

void perf_build_fork(struct perf_build *b, uint32_t pid, uint32_t parent, uint64_t time)
{
	struct strbuf body = { 0 };

	put(b, &body, pid, 4);
	put(b, &body, parent, 4);
	put(b, &body, pid, 4);
	put(b, &body, parent, 4);
	put(b, &body, time, 8);
	put_trailer(b, &body, time, 0);
	add_record(b, 7, 0, &body);
	strbuf_free(&body);
}

void perf_build_round(struct perf_build *b)
{
	perf_build_record(b, 68, NULL, 0);
}

/* --- the file ---------------------------------------------------------------------------- */

static void put_attr(const struct perf_build *b, struct strbuf *sb)
{
	put(b, sb, 2, 4);
	put(b, sb, ATTR_SIZE, 4);
	put(b, sb, PERF_BUILD_ID, 8);
	put(b, sb, b->period, 8);
	put(b, sb, b->sample_type, 8);
	put(b, sb, 0, 8);
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t bits = (uint8_t)(b->attr_flags >> 8 * i), byte = 0;

		for (int k = 0; k < 8; k++)
			byte |= (uint8_t)((bits >> k & 1) << (b->big_endian ? 7 - k : k));
		strbuf_add(sb, &byte, 1);
	}
	strbuf_fill(sb, '\0', 92 - 48);
	put(b, sb, (uint32_t)b->clockid, 4);
	strbuf_fill(sb, '\0', ATTR_SIZE - 96);
}

static void put_text(const struct perf_build *b, struct strbuf *sb, const char *text)
{
	put(b, sb, strlen(text), 8);
	strbuf_puts(sb, text);
}

static void put_format(const struct perf_build *b, struct strbuf *sb)
{
	struct strbuf text = { 0 };

	strbuf_printf(
		&text,
		"name: kfree\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long call_site;\toffset:8;\tsize:%u;\tsigned:0;\n"
		"\tfield:const void * ptr;\toffset:%u;\tsize:%u;\tsigned:0;\n\n"
		"print fmt: \"call_site=%%pS ptr=%%p\", (void *)REC->call_site, REC->ptr\n",
		PERF_BUILD_ID, b->long_size, 8 + b->long_size, b->long_size);
	put_text(b, sb, strbuf_text(&text));
	strbuf_free(&text);
}

static void put_tracing(const struct perf_build *b, struct strbuf *sb)
{
	struct strbuf text = { 0 };

	strbuf_add(sb, "\x17\x08\x44tracing0.6", 14);
	put(b, sb, b->big_endian, 1);
	put(b, sb, b->long_size, 1);
	put(b, sb, 4096, 4);
	strbuf_printf(&text,
		      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		      "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		      "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		      b->long_size, 8 + b->long_size, 4096 - 8 - b->long_size);
	strbuf_add(sb, "header_page", 12);
	put_text(b, sb, strbuf_text(&text));
	strbuf_add(sb, "header_event", 13);
	put_text(b, sb, "# compressed entry header\n");
	put(b, sb, 0, 4); /* formats of ftrace */
	put(b, sb, 1, 4);
	strbuf_add(sb, b->no_kmem ? "irqs" : "kmem", 5);
	put(b, sb, 1, 4);
	put_format(b, sb);
	put(b, sb, 0, 4); /* kallsyms */
	put(b, sb, 0, 4); /* printk formats */
	put_text(b, sb, "5 before\n77 other\n");
	strbuf_free(&text);
}

static void put_string(const struct perf_build *b, struct strbuf *sb, const char *text)
{
	size_t room = (strlen(text) + 64) & ~(size_t)63;

	put(b, sb, room, 4);
	strbuf_puts(sb, text);
	strbuf_fill(sb, '\0', room - strlen(text));
}

/* Sections 1, 3, 4, 6 and 11, or these as records. */
static void put_section(const struct perf_build *b, struct strbuf *sb, unsigned int nr)
{
	switch (nr) {
	case 1:
		put_tracing(b, sb);
		break;
	case 3:
		put_string(b, sb, "board");
		break;
	case 4:
		put_string(b, sb, "6.1.0-test");
		break;
	case 6:
		if (b->big_endian)
			put_string(b, sb, b->long_size == 8 ? "s390x" : "ppc");
		else
			put_string(b, sb, b->long_size == 8 ? "x86_64" : "armv7l");
		break;
	default:
		put(b, sb, 2, 4);
		put_string(b, sb, "perf");
		put_string(b, sb, b->cmdline ? b->cmdline : "record");
	}
}

static const unsigned int sections[] = { 1, 3, 4, 6, 11 };

#ifdef HAVE_ZSTD
static void put_packed(const struct perf_build *b, struct strbuf *sb, const char *data,
		       size_t size)
{
	if (b->compressed2) {
		put_header(b, sb, 83, 0, 8 + ((size + 7) & ~(size_t)7));
		put(b, sb, size, 8);
	} else {
		put_header(b, sb, 81, 0, size);
	}
	strbuf_add(sb, data, size);
	if (b->compressed2)
		strbuf_fill(sb, '\0', -size & 7);
}
#endif

static void put_compressed(const struct perf_build *b, struct strbuf *sb)
{
#ifdef HAVE_ZSTD
	ZSTD_CStream *cs = ZSTD_createCStream();
	size_t at = 0, size = b->records.size;

	ZSTD_initCStream(cs, 1);
	while (at < size) {
		size_t piece = size - at < b->piece ? size - at : b->piece;
		char out[32768];
		ZSTD_inBuffer in = { b->records.data + at, piece, 0 };
		ZSTD_outBuffer to = { out, sizeof(out), 0 };

		ZSTD_compressStream(cs, &to, &in);
		ZSTD_flushStream(cs, &to);
		put_packed(b, sb, out, to.pos);
		at += piece;
	}
	ZSTD_freeCStream(cs);
#endif
}

static void put_records(const struct perf_build *b, struct strbuf *sb)
{
	if (b->compressed)
		put_compressed(b, sb);
	else
		strbuf_add(sb, b->records.data, b->records.size);
}

static struct strbuf pipe_file(const struct perf_build *b)
{
	struct strbuf sb = { 0 }, part = { 0 };

	strbuf_puts(&sb, b->big_endian ? "2ELIFREP" : "PERFILE2");
	put(b, &sb, 16, 8);
	put_header(b, &sb, 64, 0, ATTR_SIZE + 8);
	put_attr(b, &sb);
	put(b, &sb, EVENT_ID, 8);
	for (size_t i = 1; i < sizeof(sections) / sizeof(*sections); i++) {
		strbuf_reset(&part);
		put_section(b, &part, sections[i]);
		put_header(b, &sb, 80, 0, part.size + 8);
		put(b, &sb, sections[i], 8);
		strbuf_add(&sb, part.data, part.size);
	}
	strbuf_reset(&part);
	put_tracing(b, &part);
	put_header(b, &sb, 66, 0, 4);
	put(b, &sb, part.size, 4);
	strbuf_add(&sb, part.data, part.size);
	strbuf_fill(&sb, '\0', -part.size & 7);
	put_records(b, &sb);
	strbuf_free(&part);
	return sb;
}

static void put_header_of_file(const struct perf_build *b, struct strbuf *sb,
			       uint64_t data_size)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		flags |= 1ULL << sections[i];
	strbuf_puts(sb, b->big_endian ? "2ELIFREP" : "PERFILE2");
	put(b, sb, HEADER_SIZE, 8);
	put(b, sb, ATTR_SIZE + 16, 8);
	put(b, sb, HEADER_SIZE + 8, 8); /* after the ids */
	put(b, sb, ATTR_SIZE + 16, 8);
	put(b, sb, HEADER_SIZE + 8 + ATTR_SIZE + 16, 8);
	put(b, sb, b->unfinished ? 0 : data_size, 8);
	put(b, sb, 0, 8);
	put(b, sb, 0, 8);
	put(b, sb, b->unfinished ? 0 : flags, 8);
	strbuf_fill(sb, '\0', 24);
}

static void put_all_sections(const struct perf_build *b, struct strbuf *sb)
{
	const size_t nr = sizeof(sections) / sizeof(*sections);
	struct strbuf content = { 0 };
	uint64_t first = sb->size + 16 * nr;

	for (size_t i = 0; i < nr; i++) {
		uint64_t at = content.size;

		put_section(b, &content, sections[i]);
		put(b, sb, first + at, 8);
		put(b, sb, content.size - at, 8);
	}
	strbuf_add(sb, content.data, content.size);
	strbuf_free(&content);
}

struct strbuf perf_build_file(const struct perf_build *b)
{
	struct strbuf sb = { 0 }, data = { 0 };

	if (b->pipe)
		return pipe_file(b);
	put_records(b, &data);
	put_header_of_file(b, &sb, data.size);
	put(b, &sb, EVENT_ID, 8);
	put_attr(b, &sb);
	put(b, &sb, HEADER_SIZE, 8);
	put(b, &sb, 8, 8);
	strbuf_add(&sb, data.data, data.size);
	if (!b->unfinished)
		put_all_sections(b, &sb);
	strbuf_free(&data);
	return sb;
}
