/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: builds perf.data files in memory.
 * In: samples and other records. Out: bytes, in either byte order and size of long, optionally as
 * perf writes them to a pipe, or with compressed records.
 */
#ifndef KMEMX_TESTS_BUILD_PERF_DATA_H
#define KMEMX_TESTS_BUILD_PERF_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The fields of a sample: IDENTIFIER, TID, TIME, CPU, CALLCHAIN and RAW. */
#define PERF_BUILD_TYPE (1U << 16 | 1U << 1 | 1U << 2 | 1U << 7 | 1U << 5 | 1U << 10)
/* The ID of the only event, kmem:kfree. */
#define PERF_BUILD_ID	600U
#define PERF_BUILD_SITE 0xc0001000U
/* The user frame of each sample with a callchain. */
#define PERF_BUILD_USER 0x400000U

/**
 * struct perf_build - set the first members and zero the rest
 * @sample_type: bits of the ABI
 * @attr_flags: bit fields of the attr, in the order of their declaration
 * @records: added by perf_build_*(); free with strbuf_free()
 */
struct perf_build {
	bool big_endian;
	unsigned int long_size;
	uint64_t sample_type, attr_flags, period;
	int clockid;
	struct strbuf records;
	/* Properties of the file: */
	bool pipe;
	bool compressed;  /* records are in pieces of @piece bytes */
	bool compressed2; /* with their size and padding, as in newer perf */
	uint32_t piece;
	bool unfinished; /* without the size of the data, without sections */
	bool no_kmem;	 /* the formats are those of another event system */
	const char *cmdline;
};

/* A sample of kfree: task @tid frees object @ptr, with @frames kernel frames. */
struct perf_build_sample {
	uint64_t time, ptr;
	uint32_t cpu, tid, frames;
};

void perf_build_sample(struct perf_build *b, const struct perf_build_sample *s);
void perf_build_lost(struct perf_build *b, uint64_t lost, uint64_t time, uint32_t cpu);
/* Losses that perf counts when it ends: time and CPU are 0. @misc: of the record's header. */
void perf_build_lost_samples(struct perf_build *b, uint64_t lost, uint16_t misc);
/* Says that the event's id belongs to @cpu. */
void perf_build_id_index(struct perf_build *b, uint32_t cpu);
void perf_build_comm(struct perf_build *b, uint32_t tid, const char *comm);
/* Process @pid maps @size bytes of @path from offset 0x1000 at @start; @path NULL: it execs. */
struct perf_build_map {
	uint32_t pid;
	uint64_t time, start, size;
	const char *path;
};

void perf_build_map(struct perf_build *b, const struct perf_build_map *map);
void perf_build_fork(struct perf_build *b, uint32_t pid, uint32_t parent, uint64_t time);
/* The marker between two rounds. */
void perf_build_round(struct perf_build *b);
/* Any record: a header followed by @data. */
void perf_build_record(struct perf_build *b, uint32_t type, const void *data,
		       size_t size);
/* Returns the whole file; the caller frees it with strbuf_free(). */
struct strbuf perf_build_file(const struct perf_build *b);

#endif
