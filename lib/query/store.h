/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: an in-memory database of rows of many recordings.
 * In: rows. Out: a database for SQL. Building it needs SQLite.
 *
 * SQL sees the tables "allocations", with the columns of kmemx export, and "recordings".
 */
#ifndef KMEMX_QUERY_STORE_H
#define KMEMX_QUERY_STORE_H

#include "base/compiler.h"
#include "query/ndjson.h"

struct query_store;

/**
 * struct query_totals - counts of a store's contents
 * @rows, @recordings, @hosts: their numbers
 * @untrusted: recordings that lost events or were truncated
 * @partial: samples, and recordings of some tasks or events
 * @repeated: rows left out because an earlier file has the same recording
 * @large: numbers of 2^63 and above, stored as floating point
 */
struct query_totals {
	uint64_t rows, recordings, hosts, untrusted, partial, repeated, large;
};

/* Loads SQLite. 0; -ENOTSUP: kmemx was built without it; -ELIBACC: it is not installed, or too old.
 * On error, only query_store_open() may be called.
 */
int query_store_supported(void) __must_check;
/**
 * query_store_open() - create an empty store
 * @memory: bytes that SQLite may use in this process, for all stores; 0: no limit
 *
 * Return: 0; -ENOTSUP; -ELIBACC; -ENOMEM. Pass *@out to query_store_free() in any case.
 */
int query_store_open(struct query_store **out, uint64_t memory) __must_check;
/* Rows added from now on are from file @name. 0 or -ENOMEM. */
int query_store_file(struct query_store *s, const char *name) __must_check;
/**
 * query_store_add() - add a row, which is copied
 *
 * A recording's rows of one allocator are taken from one file only: those in further files are
 * skipped and counted in query_totals.repeated.
 *
 * Return: 0; -ENOMEM, also if @memory is used up.
 */
int query_store_add(struct query_store *s, const struct query_row *row) __must_check;
/* Call it after adding all rows: from now on the store is read-only. 0 or -ENOMEM. */
int query_store_seal(struct query_store *s) __must_check;
/* Valid after query_store_seal(). */
const struct query_totals *query_store_totals(const struct query_store *s);
void query_store_free(struct query_store *s);

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

/* Converts the first three numbers of a kernel's release to one number for comparison: 6.12.9-amd64
 * is 60001200009, 6.1 is 60000100000. Numbers above 99999 count as 99999. False: @text does not
 * begin with a digit.
 */
bool query_kernel_version(const char *text, size_t size, uint64_t *version);

/* May SQL call function @name? Only functions that compute a result from their arguments or the
 * clock are allowed. Others load code, or accept and reveal addresses of this process
 * (fts3_tokenizer), so unknown functions are refused.
 */
bool query_function_allowed(const char *name);

struct sqlite3;

/* Adds kernel_version(TEXT), as query_kernel_version(); NULL if that returns false. 0
 * or -ENOMEM.
 */
int query_functions_add(struct sqlite3 *db) __must_check;

#endif
