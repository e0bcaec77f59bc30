/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): the database of a store.
 * In: nothing. Out: the store as its readers need it.
 */
#ifndef KMEMX_QUERY_STORE_DB_H
#define KMEMX_QUERY_STORE_DB_H

#ifdef HAVE_SQLITE
#include "base/hash.h"
#include "base/strbuf.h"
#include "query/sqlite.h"
#include "query/store.h"

/**
 * struct query_store - rows in three tables, combined by a view
 * @add_recording, @add_stack, @add_row: prepared statements, until it is sealed
 * @recordings, @stacks: map values to the table's id
 * @nr_rows: rows of each recording, by its id - 1
 * @parts: maps a recording and an allocator to a number; @part_file, by number - 1: the file that
 *	has it
 * @file: number of the file being added; @file_name: its name
 * @key: scratch
 */
struct query_store {
	sqlite3 *db;
	sqlite3_stmt *add_recording, *add_stack, *add_row;
	struct intern recordings, stacks, parts;
	uint64_t *nr_rows;
	uint32_t *part_file;
	size_t nr_rows_capacity, part_capacity;
	uint32_t file;
	struct strbuf file_name, key;
	struct query_totals totals;
};
#endif

#endif
