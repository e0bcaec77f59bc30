/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (query): files become rows.
 * In: recordings, files of rows. Out: a store with their rows, or a message.
 */
#ifndef KMEMX_CMD_QUERY_LOAD_H
#define KMEMX_CMD_QUERY_LOAD_H

#include "query/ask.h"
#include "query/store.h"

/* @rows: the file has rows of kmemx export, else it is a recording. @size: of a file of rows, for
 * progress; 0 for a recording. @id: identifies it in a database; its path is NULL for a pipe.
 */
struct query_file {
	char *path;
	bool rows;
	uint64_t size;
	struct query_file_id id;
};

/* Zero-initialise it. @bytes: the size of all files of rows. */
struct query_files {
	struct query_file *items;
	size_t nr;
	uint64_t bytes;
};

/* Adds a file, "-", or a directory: GO_ON, or the exit code after a message. */
int query_files_add(struct query_files *files, const char *path);
void query_files_free(struct query_files *files);

/* @db: the file that keeps the rows, or NULL. @keep: for how long, in ns; 0: forever. @nr_loaded:
 * number of files read. @jobs: threads; 0: the default. @no_inline, @verbose: for recordings.
 */
struct query_load {
	struct query_store *store;
	const char *db;
	uint64_t keep;
	size_t nr_loaded;
	uint64_t jobs;
	bool no_inline;
	unsigned int verbose;
	uint64_t memory;
};

/* Says why the store failed with @err. EXIT_FAILED. */
int query_load_failed(const struct query_load *load, int err);
/* Loads all files that the store does not have: GO_ON, or the exit code after a message. */
int query_load(struct query_load *load, const struct query_files *files);

/* Prints why the query failed. Returns the exit code. */
int query_failed(const struct query_ask *ask, const struct query_failure *why);
/* Says that @word is neither SQL nor the name of a query. EXIT_USAGE. */
int query_unknown(const char *word);

#endif
