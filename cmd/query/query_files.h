/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (query): which files are loaded.
 * In: operands. Out: recordings and files of rows, in order; for a directory, those below it.
 */
#ifndef KMEMX_CMD_QUERY_FILES_H
#define KMEMX_CMD_QUERY_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
