// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: builds ring-buffer pages and trace.dat files in memory.
 */
#include "build_trace_dat.h"

#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"

static void poke(struct strbuf *sb, size_t at, uint64_t v, unsigned int size, bool big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		sb->data[at + i] = (char)(v >> 8 * (big ? size - 1 - i : i));
}

void put_uint(struct strbuf *sb, uint64_t v, unsigned int size, bool big)
{
	static const char zero[8];

	strbuf_add(sb, zero, size);
	poke(sb, sb->size - size, v, size, big);
}

void page_start(struct page_build *p, uint64_t ts)
{
	strbuf_reset(&p->bytes);
	p->ts = ts;
	put_uint(&p->bytes, ts, 8, p->big_endian);
	put_uint(&p->bytes, 0, p->long_size, p->big_endian);
}

void page_word(struct page_build *p, uint32_t word)
{
	put_uint(&p->bytes, word, 4, p->big_endian);
}

void page_head(struct page_build *p, unsigned int type_len, uint32_t delta)
{
	page_word(p, p->big_endian ? type_len << 27 | delta : delta << 5 | type_len);
}

void page_event(struct page_build *p, uint32_t delta, unsigned int words, uint32_t value)
{
	page_head(p, words, delta);
	while (words--)
		page_word(p, value);
}

void page_end(struct page_build *p, uint32_t commit_flags, uint64_t missed)
{
	uint32_t commit = (uint32_t)p->bytes.size - 8 - p->long_size;
	/* The kernel stores a negative int: the upper half is all ones. */
	int64_t word = (int64_t)(int32_t)(commit | commit_flags);

	poke(&p->bytes, 8, (uint64_t)word, p->long_size, p->big_endian);
	if (missed)
		put_uint(&p->bytes, missed, p->long_size, p->big_endian);
	while (p->bytes.size < p->page_size)
		put_uint(&p->bytes, 0, 1, false);
}

static void align(struct strbuf *sb, uint32_t to)
{
	while (sb->size % to)
		put_uint(sb, 0, 1, false);
}

static void put_header_info(const struct file_build *b, struct strbuf *sb)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text,
		      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		      "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		      "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		      b->long_size, 8 + b->long_size, b->page_size - 8 - b->long_size);
	strbuf_add(sb, "header_page", 12);
	put_uint(sb, text.size, 8, b->big_endian);
	strbuf_add(sb, text.data, text.size);
	strbuf_add(sb, "header_event", 13);
	put_uint(sb, 0, 8, b->big_endian);
	strbuf_free(&text);
}

static void put_formats(const struct file_build *b, struct strbuf *sb)
{
	uint32_t i;

	put_uint(sb, 1, 4, b->big_endian);
	strbuf_add(sb, "kmem", 5);
	if (!b->formats) {
		put_uint(sb, 1, 4, b->big_endian);
		put_uint(sb, 12, 8, b->big_endian);
		strbuf_puts(sb, "name: kfree\n");
		return;
	}
	put_uint(sb, b->nr_formats, 4, b->big_endian);
	for (i = 0; i < b->nr_formats; i++) {
		put_uint(sb, strlen(b->formats[i]), 8, b->big_endian);
		strbuf_puts(sb, b->formats[i]);
	}
}

static void put_option(const struct file_build *b, struct strbuf *sb, unsigned int id,
		       const void *data, size_t size)
{
	put_uint(sb, id, 2, b->big_endian);
	put_uint(sb, size, 4, b->big_endian);
	strbuf_add(sb, data, size);
}

static void put_common_options(const struct file_build *b, struct strbuf *sb)
{
	static const char stats[] = "CPU: 1\nentries: 5\noverrun: 6\ncommit overrun: 7\n"
				    "bytes: 8\ndropped events: 9\nread events: 10\n";
	const char *uname = b->uname ? b->uname : "Linux box 6.1.0-test riscv64\n";
	struct strbuf meta = { 0 };

	if (b->no_options)
		return;
	put_option(b, sb, 5, uname, strlen(uname) + 1);
	put_option(b, sb, 9999, "of the future", 14);
	put_option(b, sb, 2, stats, sizeof(stats));
	if (b->nr_buffers > 1) {
		strbuf_printf(&meta, "\nBuffer: %s\n\n", b->buffers[1].name);
		put_option(b, sb, 2, meta.data, meta.size + 1);
		put_option(b, sb, 2, stats, sizeof(stats));
		strbuf_reset(&meta);
	}
	if (b->meta_name) {
		strbuf_add(&meta, b->meta_name, strlen(b->meta_name) + 1);
		strbuf_puts(&meta, b->meta_text);
		put_option(b, sb, RECORDING_OPTION_META, meta.data, meta.size);
	}
	strbuf_free(&meta);
}

static uint64_t cpu_size(const struct file_build *b, const struct strbuf *pages)
{
	/* The size does not include the number of chunks. */
	if (b->chunks && pages && !b->claim_cpu_size)
		return pages->size - 4;
	return b->claim_cpu_size ? b->claim_cpu_size : pages ? pages->size : 0;
}

/* Writes flyrecord, the table of CPUs, the clock and the pages. */
static void put_v6_block(const struct file_build *b, struct strbuf *sb, uint32_t buffer)
{
	uint32_t nr = b->buffers[0].nr_cpus, i;
	size_t table;

	strbuf_add(sb, b->tag ? b->tag : "flyrecord", 10);
	table = sb->size;
	for (i = 0; i < nr; i++) {
		put_uint(sb, 0, 8, b->big_endian);
		put_uint(sb, cpu_size(b, b->buffers[buffer].pages[i]), 8, b->big_endian);
	}
	put_uint(sb, 20, 8, b->big_endian);
	strbuf_add(sb, "local [mono] counter", 20);
	for (i = 0; i < nr; i++) {
		const struct strbuf *pages = b->buffers[buffer].pages[i];

		align(sb, b->page_size);
		poke(sb, table + 16 * i, sb->size, 8, b->big_endian);
		if (pages)
			strbuf_add(sb, pages->data, pages->size);
	}
}

static void build_v6(const struct file_build *b, struct strbuf *sb)
{
	size_t offsets[BUILD_MAX_BUFFERS];
	uint32_t i;

	put_header_info(b, sb);
	put_uint(sb, 0, 4, b->big_endian);
	put_formats(b, sb);
	put_uint(sb, 0, 4, b->big_endian);
	put_uint(sb, 0, 4, b->big_endian);
	put_uint(sb, 0, 8, b->big_endian);
	put_uint(sb, b->claim_cpus ? b->claim_cpus : b->buffers[0].nr_cpus, 4,
		 b->big_endian);
	strbuf_add(sb, "options  ", 10);
	put_common_options(b, sb);
	for (i = 1; i < b->nr_buffers; i++) {
		put_uint(sb, 3, 2, b->big_endian);
		put_uint(sb, 8 + strlen(b->buffers[i].name) + 1, 4, b->big_endian);
		offsets[i] = sb->size;
		put_uint(sb, 0, 8, b->big_endian);
		strbuf_add(sb, b->buffers[i].name, strlen(b->buffers[i].name) + 1);
	}
	put_uint(sb, 0, 2, b->big_endian);
	put_v6_block(b, sb, 0);
	for (i = 1; i < b->nr_buffers; i++) {
		poke(sb, offsets[i], sb->size, 8, b->big_endian);
		put_v6_block(b, sb, i);
	}
}

static size_t put_section(const struct file_build *b, struct strbuf *sb, unsigned int id)
{
	put_uint(sb, id, 2, b->big_endian);
	put_uint(sb, 0, 2, b->big_endian);
	put_uint(sb, 0, 4, b->big_endian);
	put_uint(sb, 0, 8, b->big_endian);
	return sb->size;
}

static void end_section(const struct file_build *b, struct strbuf *sb, size_t start)
{
	poke(sb, start - 8, sb->size - start, 8, b->big_endian);
}

/* Writes the data, and its option into @options. */
static void put_v7_buffer(const struct file_build *b, struct strbuf *sb, uint32_t buffer,
			  struct strbuf *options)
{
	const char *name = b->buffers[buffer].name;
	uint32_t nr = b->buffers[buffer].nr_cpus, i;
	size_t start = put_section(b, sb, 3);
	struct strbuf o = { 0 };

	poke(sb, start - 14, b->chunks, 2, b->big_endian);
	put_uint(&o, start - 16, 8, b->big_endian);
	strbuf_add(&o, name, strlen(name) + 1);
	strbuf_add(&o, "mono", 5);
	put_uint(&o, b->page_size, 4, b->big_endian);
	put_uint(&o, b->claim_cpus ? b->claim_cpus : nr, 4, b->big_endian);
	for (i = 0; i < nr; i++) {
		const struct strbuf *pages = b->buffers[buffer].pages[i];

		align(sb, b->page_size);
		put_uint(&o, i, 4, b->big_endian);
		put_uint(&o, sb->size, 8, b->big_endian);
		put_uint(&o, cpu_size(b, pages), 8, b->big_endian);
		if (pages)
			strbuf_add(sb, pages->data, pages->size);
	}
	end_section(b, sb, start);
	put_option(b, options, 3, o.data, o.size);
	strbuf_free(&o);
}

static void build_v7(const struct file_build *b, struct strbuf *sb)
{
	const char *compression = b->compression ? b->compression : "none";
	struct strbuf options = { 0 }, at = { 0 };
	size_t first, start;
	uint32_t i;

	strbuf_add(sb, compression, strlen(compression) + 1);
	strbuf_add(sb, "1.0", 4);
	first = sb->size;
	put_uint(sb, 0, 8, b->big_endian);
	for (i = 16; i <= 18; i += 2) {
		start = put_section(b, sb, i);
		strbuf_reset(&at);
		put_uint(&at, start - 16, 8, b->big_endian);
		put_option(b, &options, i, at.data, 8);
		if (i == 16)
			put_header_info(b, sb);
		else
			put_formats(b, sb);
		end_section(b, sb, start);
	}
	put_common_options(b, &options);
	for (i = 0; i < b->nr_buffers; i++)
		put_v7_buffer(b, sb, i, &options);
	poke(sb, first, sb->size, 8, b->big_endian);
	strbuf_reset(&at);
	put_uint(&at, b->options_loop ? sb->size : 0, 8, b->big_endian);
	start = put_section(b, sb, 0);
	strbuf_add(sb, options.data, options.size);
	put_option(b, sb, 0, at.data, 8);
	end_section(b, sb, start);
	strbuf_free(&options);
	strbuf_free(&at);
}

struct strbuf build_file(const struct file_build *b)
{
	struct strbuf sb = { 0 };

	strbuf_add(&sb, "\x17\x08\x44tracing", 10);
	strbuf_printf(&sb, "%u", b->version);
	put_uint(&sb, 0, 1, false);
	put_uint(&sb, b->big_endian, 1, false);
	put_uint(&sb, b->long_size, 1, false);
	put_uint(&sb, b->page_size, 4, b->big_endian);
	if (b->version == 6)
		build_v6(b, &sb);
	else
		build_v7(b, &sb);
	return sb;
}
