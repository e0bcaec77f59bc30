/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: rows of files that are read before they are needed, by several threads.
 * In: files of rows, hostile as in query/ndjson.h. Out: their rows, a file at a time, in order.
 */
#ifndef KMEMX_QUERY_AHEAD_H
#define KMEMX_QUERY_AHEAD_H

#include "query/ndjson.h"

/* Memory for the rows of a file: files that need more are not read ahead. */
#define AHEAD_FILE_MAX (16U << 20)

/* Maximum number of threads. One more file than there are threads is in memory. */
#define AHEAD_THREADS_MAX 8

/**
 * struct ahead_rows - the rows of a file
 * @ret: result of ndjson_file_read(), or of opening the file; @file tells where an error is
 * @left: it was not read ahead: it is too large, or memory ran out
 * @content: query_content(); 0: unknown
 * @of: @nr rows
 * @blocks: their texts; internal, like all below
 */
struct ahead_rows {
	int ret;
	bool left;
	uint64_t content;
	struct ndjson_file file;
	struct query_row *of;
	size_t nr, capacity;
	char **blocks;
	size_t nr_blocks, block_free, bytes;
};

struct ahead;

/**
 * ahead_start() - begin to read files
 * @paths: borrowed; NULL: skip the file
 * @threads: how many, of which at most AHEAD_THREADS_MAX are started
 *
 * Return: NULL if no thread can be started.
 */
struct ahead *ahead_start(const char *const *paths, size_t nr, unsigned int threads);
/* The rows of file @i, until the next call, for a later file. NULL: it was not read ahead. */
const struct ahead_rows *ahead_get(struct ahead *a, size_t i);
/* @a may be NULL. */
void ahead_stop(struct ahead *a);

#endif
