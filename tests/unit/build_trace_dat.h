/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: builds ring-buffer pages and trace.dat files in memory.
 * In: events, pages, metadata. Out: bytes of a recording in any version, byte order and word size.
 */
#ifndef KMEMX_TESTS_BUILD_TRACE_DAT_H
#define KMEMX_TESTS_BUILD_TRACE_DAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* A page under construction; free with strbuf_free(&page.bytes). */
struct page_build {
	struct strbuf bytes;
	bool big_endian;
	unsigned int long_size;
	uint32_t page_size;
	uint64_t ts;
};

void put_uint(struct strbuf *sb, uint64_t v, unsigned int size, bool big_endian);
void page_start(struct page_build *p, uint64_t ts);
/* An event header with this type_len and delta; the caller adds the data. */
void page_head(struct page_build *p, unsigned int type_len, uint32_t delta);
void page_word(struct page_build *p, uint32_t word);
/* A data event of @words words, each holding @value. */
void page_event(struct page_build *p, uint32_t delta, unsigned int words, uint32_t value);
/* Fills up to the page size; @commit_flags and @missed as the kernel stores them. */
void page_end(struct page_build *p, uint32_t commit_flags, uint64_t missed);

#define BUILD_MAX_BUFFERS 3
#define BUILD_MAX_CPUS	  4

struct file_build {
	unsigned int version; /* 6 or 7 */
	bool big_endian;
	unsigned int long_size;
	uint32_t page_size;
	const char *tag; /* v6: "flyrecord" or "latency  " */
	const char *compression;
	bool chunks; /* v7: the pages are compressed chunks, preceded by their number */
	uint32_t nr_buffers;
	struct {
		const char *name;
		uint32_t nr_cpus;
		const struct strbuf *pages[BUILD_MAX_CPUS]; /* NULL: no data */
	} buffers[BUILD_MAX_BUFFERS];
	const char *meta_name, *meta_text; /* a kmemx item or NULL */
	const char *const *formats;	   /* of system kmem; NULL: a broken one */
	uint32_t nr_formats;
	bool no_options;   /* no uname, no statistics, no items */
	const char *uname; /* NULL: "Linux box 6.1.0-test riscv64\n" */
	/* False claims, as an attacker would make. */
	uint32_t claim_cpus;	 /* 0: the truth */
	uint64_t claim_cpu_size; /* 0: the truth */
	bool options_loop;
};

/* Returns the whole file; the caller frees it with strbuf_free(). */
struct strbuf build_file(const struct file_build *b);

#endif
