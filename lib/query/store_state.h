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

/* By what a recording's figures are multiplied: 1/16 is one in 16 objects. NULL: it is not trusted.
 */
#define FACTOR                                                   \
	"CASE WHEN NOT " UNTRUSTED " AND scope IS NULL THEN"     \
	" max(1, ifnull(CAST(substr(sample, 3) AS INTEGER), 1))" \
	" END"

/* Recordings that were restricted to a part of the allocations. */
#define PARTIAL "(scope IS NOT NULL OR sample IS NOT NULL)"

/* Prepared statements: made when first used, freed when the store is sealed. */
enum store_statement {
	STORE_FIND_RECORDING,
	STORE_ADD_RECORDING,
	STORE_SET_BALANCE,
	STORE_COUNT_ROWS,
	STORE_ADD_CHAIN,
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
	STORE_ADD_KIND,
	STORE_ADD_ALLOCATOR,
	STORE_ADD_SITE_SUMS, /* in the order of store_sums */
	STORE_ADD_CHAIN_SUMS,
	STORE_ADD_TASK_SUMS,
	STORE_STATEMENTS,
};

#define METRICS (EXPORT_FIELDS - FIELD_FIRST_METRIC)

/* What rows are summed up by, in each recording. */
enum store_sums {
	STORE_BY_SITE,
	STORE_BY_CHAIN,
	STORE_BY_TASK, /* and allocator */
	STORE_SUMS,
};

#define STORE_KEYS 4

/* The columns of a table of sums before the figures: the recording is the last one. */
struct store_sums_key {
	sqlite3_int64 of[STORE_KEYS];
};

/* Sums of a file's rows, by keys; internal to store_sums.c. */
struct store_sums_table {
	struct intern keys;
	struct sums *sums;
	size_t capacity;
};

/* The numbers of a callchain's callsite and allocator; 0: not known yet. */
struct chain_names {
	uint32_t site, allocator;
};

/**
 * struct query_store - rows in tables, combined by views
 * @on_disk: it is a file
 * @chains: maps a callchain and allocator to its id in the table, @callsites a callsite and
 *	allocator, @tasks a task with its process and control group, @kinds a cache, or an order
 *	with migratetype and GFP flags; @stale: the tables may have others
 * @chain_names: by the number of the callchain, less 1
 * @since_ns: when the transaction began; 0: there is none
 * @version: SQLite's data_version when @chains was read
 * @file: id of the file being added; 0: none. @id, @path, @name: what it is
 * @recording: id of the last row's recording, whose values are @recording_key; @nr_rows: rows added
 *	since then; @part_key, @repeated: whether the last row's part is an earlier file's
 * @host: of the recording; @first_row: of the file
 * @sums: of the file's rows
 * @key: scratch
 */
struct query_store {
	sqlite3 *db;
	sqlite3_stmt *statements[STORE_STATEMENTS];
	bool on_disk, stale, sealed;
	struct intern chains, callsites, tasks, kinds, allocators;
	struct chain_names *chain_names;
	size_t chain_names_capacity;
	struct store_sums_table sums[STORE_SUMS];
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
/**
 * struct store_table - a table that holds columns of rows
 * @first: its other columns, before them; @last: what is after them
 * @from, @to: those columns, of which another version may have more or fewer
 */
struct store_table {
	const char *name, *first, *last;
	unsigned int from, to;
};

enum {
	STORE_TABLE_RECORDING,
	STORE_TABLE_CHAIN,
	STORE_TABLE_ROW,
	STORE_TABLE_TASK,
	STORE_TABLE_KIND,
	STORE_TABLE_ALLOCATOR,
	STORE_TABLE_SUMS, /* in the order of store_sums */
	STORE_TABLES = STORE_TABLE_SUMS + STORE_SUMS,
};

extern const struct store_table store_tables[STORE_TABLES];

static inline const char *store_type_of(unsigned int field)
{
	return export_fields[field].number ? " INTEGER" : " TEXT";
}

/* Appends the columns from @first to before @end, each after @lead, with commas between them. There
 * is also a comma before them, unless @first is 0.
 */
void store_put_columns(struct strbuf *sql, unsigned int first, unsigned int end,
		       const char *lead);
/* Appends SQL that creates the tables that are missing. */
void store_put_tables(struct strbuf *sql);
/* Is there a column @name in @table? */
int store_has_column(struct query_store *s, const char *table,
		     const char *name) __must_check;
/* Appends SQL that converts the tables from an older format. 1: columns are missing, so files must
 * be read again; 0; or an error.
 */
int store_put_migration(struct query_store *s, struct strbuf *sql,
			int format) __must_check;
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
/* Adds the row's figures to the sums of @key. -EOVERFLOW: one exceeds 2^63 - 1. */
int store_add_sums(struct query_store *s, enum store_sums which,
		   const struct store_sums_key *key,
		   const struct query_row *row) __must_check;
/* Writes the sums of the current file's rows. */
int store_end_sums(struct query_store *s) __must_check;
/* Forgets them. */
void store_drop_sums(struct query_store *s);
void store_free_sums(struct query_store *s);
#endif
#endif
