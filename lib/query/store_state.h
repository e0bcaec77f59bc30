/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): what is open while a store is filled.
 * In: SQLite. Out: the store's tables and statements.
 */
#ifndef KMEMX_QUERY_STORE_STATE_H
#define KMEMX_QUERY_STORE_STATE_H

#include "query/store.h"

#ifdef HAVE_SQLITE
#include "base/hash.h"
#include "base/strbuf.h"
#include "query/sqlite.h"

/* Recordings that may be incomplete. */
#define UNTRUSTED                                                                          \
	"(ifnull(lost, 0) > 0 OR ifnull(gaps, 0) > 0 OR ifnull(unknown_gaps, 0) > 0"       \
	" OR ifnull(dropped, 0) > 0 OR ifnull(missing, 0) > 0 OR ifnull(bad_pages, 0) > 0" \
	" OR truncated IS NOT NULL)"

/* Recordings that were restricted to a part of the allocations. */
#define PARTIAL "(scope IS NOT NULL OR sample IS NOT NULL)"

/* Prepared statements: made when first used, freed when the store is sealed. */
enum store_statement {
	STORE_FIND_RECORDING,
	STORE_ADD_RECORDING,
	STORE_COUNT_ROWS,
	STORE_ADD_STACK,
	STORE_ADD_ROW,
	STORE_FIND_PART,
	STORE_ADD_PART,
	STORE_FIND_FILE,
	STORE_ADD_FILE,
	STORE_END_FILE,
	STORE_STATEMENTS,
};

/**
 * struct query_store - rows in tables, combined by views
 * @on_disk: it is a file
 * @stacks: maps a callchain to its id in the table; @stale: the table may have others
 * @version: SQLite's data_version when @stacks was read
 * @file: id of the file being added; 0: none. @id, @path, @name: what it is
 * @recording: id of the last row's recording, whose values are @recording_key; @nr_rows: rows added
 *	since then; @part_key, @repeated: whether the last row's part is an earlier file's
 * @key: scratch
 */
struct query_store {
	sqlite3 *db;
	sqlite3_stmt *statements[STORE_STATEMENTS];
	bool on_disk, stale, sealed;
	struct intern stacks;
	sqlite3_int64 version, file, recording;
	struct query_file_id id;
	struct strbuf path, name;
	struct strbuf recording_key, part_key, key;
	uint64_t nr_rows, nr_repeated, nr_large;
	bool repeated;
	struct query_totals totals;
};

/* Error numbers of query_store_add() for SQLite's result @code; 0 for SQLITE_OK, ROW and DONE. */
int store_error(int code);
/* Runs statements without a result. */
int store_run(struct query_store *s, const char *sql) __must_check;
/* Creates the tables, or adds the columns that they lack. */
int store_create(struct query_store *s) __must_check;
/* The statement, ready to be bound; NULL: no memory, or the tables are damaged. */
sqlite3_stmt *store_statement(struct query_store *s, enum store_statement which);
/* The first value of a PRAGMA or SELECT, or an error: nonnegative values only. */
int store_number(struct query_store *s, const char *sql,
		 sqlite3_int64 *number) __must_check;
/* Writes what is known about the current recording or file, and forgets it. */
int store_end_recording(struct query_store *s) __must_check;
int store_end_file(struct query_store *s) __must_check;
/* Reads the callchains that other processes have added. */
int store_read_stacks(struct query_store *s) __must_check;
#endif
#endif
