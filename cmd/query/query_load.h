/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (query): files become rows.
 * In: recordings, files of rows. Out: a store with their rows, or a message.
 */
#ifndef KMEMX_CMD_QUERY_LOAD_H
#define KMEMX_CMD_QUERY_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/query/query_files.h"
#include "query/store.h"

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

#endif
