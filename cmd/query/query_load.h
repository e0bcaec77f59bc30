/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (query): files become rows.
 * In: recordings, files of rows. Out: a store with their rows, or a message.
 */
#ifndef KMEMX_CMD_QUERY_LOAD_H
#define KMEMX_CMD_QUERY_LOAD_H

#include "query/ask.h"
#include "query/store.h"

/* @rows: it has rows of kmemx export, else it is a recording. @size: 0 for a pipe. */
struct query_file {
	char *path;
	bool rows;
	uint64_t size;
};

/* Zero-initialise it. @bytes: the size of all files of rows. */
struct query_files {
	struct query_file *items;
	size_t nr, capacity;
	uint64_t bytes;
};

/* Adds a file, "-", or a directory: GO_ON, or the exit code after a message. */
int query_files_add(struct query_files *files, const char *path);
void query_files_free(struct query_files *files);

/* @jobs: threads for a recording; 0: the default. @no_inline, @verbose: for recordings. */
struct query_load {
	struct query_store *store;
	uint64_t jobs;
	bool no_inline;
	unsigned int verbose;
	uint64_t memory;
};

/* Says that the rows need more than @memory bytes. EXIT_FAILED. */
int query_load_no_memory(uint64_t memory);
/* Loads all files: GO_ON, or the exit code after a message. */
int query_load(const struct query_load *load, const struct query_files *files);

/* Prints why the query failed. Returns the exit code. */
int query_failed(const struct query_ask *ask, const struct query_failure *why);
/* Says that @word is neither SQL nor the name of a query. EXIT_USAGE. */
int query_unknown(const char *word);

#endif
