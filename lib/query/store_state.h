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
	STORE_FIND_HOST,
	STORE_ADD_HOST,
	STORE_ADD_CALLSITE,
	STORE_ADD_TASK,
	STORE_ADD_SUMS,
	STORE_STATEMENTS,
};

#define METRICS (EXPORT_FIELDS - FIELD_FIRST_METRIC)

/* Sums of a recording's rows of a callsite. @known: a row has the figure; @is_real: floating point.
 */
struct site_sums {
	sqlite3_int64 recording, host, site;
	struct {
		sqlite3_int64 whole;
		double real;
		bool known, is_real;
	} of[METRICS];
};

/**
 * struct query_store - rows in tables, combined by views
 * @on_disk: it is a file
 * @stacks: maps a callchain to its id in the table, @callsites a callsite, @tasks a task with its
 *	process and control group; @stale: the tables may have others
 * @since_ns: when the transaction began; 0: there is none
 * @version: SQLite's data_version when @stacks was read
 * @file: id of the file being added; 0: none. @id, @path, @name: what it is
 * @recording: id of the last row's recording, whose values are @recording_key; @nr_rows: rows added
 *	since then; @part_key, @repeated: whether the last row's part is an earlier file's
 * @host: of the recording; @first_row: of the file
 * @sums: of the file's rows, by the keys of @sums_of
 * @key: scratch
 */
struct query_store {
	sqlite3 *db;
	sqlite3_stmt *statements[STORE_STATEMENTS];
	bool on_disk, stale, sealed;
	struct intern stacks, callsites, tasks, sums_of;
	struct site_sums *sums;
	size_t sums_capacity;
	sqlite3_int64 version, file, recording, host, first_row;
	uint64_t since_ns;
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
int store_commit(struct query_store *s) __must_check;
/* Reads the callchains and callsites that other processes have added. */
int store_read_names(struct query_store *s) __must_check;
/* Writes the sums of the current file's rows. -EOVERFLOW: one exceeds 2^63 - 1. */
int store_end_sums(struct query_store *s) __must_check;
/* Forgets them. */
void store_drop_sums(struct query_store *s);
#endif
#endif
