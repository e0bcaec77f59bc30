/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): the state of a store.
 * In: SQLite. Out: the store's tables and statements.
 */
#ifndef KMEMX_QUERY_STORE_STATE_H
#define KMEMX_QUERY_STORE_STATE_H

#include "query/store.h"

#ifdef HAVE_SQLITE
#include "base/keyed.h"
#include "base/strbuf.h"
#include "query/sqlite.h"

/* Recordings that may be incomplete. */
#define UNTRUSTED                                                                          \
	"(ifnull(lost, 0) > 0 OR ifnull(gaps, 0) > 0 OR ifnull(unknown_gaps, 0) > 0"       \
	" OR ifnull(dropped, 0) > 0 OR ifnull(missing, 0) > 0 OR ifnull(bad_pages, 0) > 0" \
	" OR truncated IS NOT NULL)"

/* The factor of a recording's figures: 16 for a sample of 1/16. NULL: it is not trusted. */
#define FACTOR                                                   \
	"CASE WHEN NOT " UNTRUSTED " AND scope IS NULL THEN"     \
	" max(1, ifnull(CAST(substr(sample, 3) AS INTEGER), 1))" \
	" END"

/* Recordings of only a part of the allocations. */
#define PARTIAL "(scope IS NOT NULL OR sample IS NOT NULL)"

/* How rows are summed up, in each recording. */
enum store_sums {
	STORE_BY_SITE,
	STORE_BY_CHAIN,
	STORE_BY_TASK, /* and allocator */
	STORE_SUMS,
};

/* The tables that hold columns of rows. */
enum {
	/* Names, which rows refer to by number. */
	STORE_TABLE_CHAIN,
	STORE_TABLE_SITE,
	STORE_TABLE_TASK,
	STORE_TABLE_KIND,
	STORE_TABLE_ALLOCATOR,
	STORE_NAMES,
	STORE_TABLE_RECORDING = STORE_NAMES,
	STORE_TABLE_HOST,
	STORE_TABLE_ROW,
	STORE_TABLE_SUMS, /* in the order of store_sums */
	STORE_TABLES = STORE_TABLE_SUMS + STORE_SUMS,
};

/* Prepared statements: made when first used, freed when the store is sealed. The first ones add a
 * row to the table of that number.
 */
enum {
	STORE_FIND_RECORDING = STORE_TABLES,
	STORE_SET_BALANCE,
	STORE_COUNT_ROWS,
	STORE_FIND_PART,
	STORE_ADD_PART,
	STORE_FIND_FILE,
	STORE_ADD_FILE,
	STORE_TOUCH_FILE,
	STORE_END_FILE,
	STORE_SET_PROBLEM,
	STORE_REMOVE_FILE,
	STORE_EXPIRE_FILES,
	STORE_GONE_WITH_FILE,
	STORE_GONE_BEFORE,
	STORE_FIND_HOST,
	STORE_STATEMENTS,
};

/* The numbers of a callchain's callsite and allocator; 0: not known yet. */
struct chain_names {
	uint32_t site, allocator;
};

/**
 * struct query_store - rows in tables, combined by views
 * @on_disk: it is a file
 * @names: map names to their ids in the table of that number: a callchain and allocator; a callsite
 *	and allocator; a task with its process and control group; a cache, or an order with
 *	migratetype and GFP flags; an allocator; @stale: the tables may have more
 * @chain_names: by the number of the callchain, less 1
 * @since_ns: when the transaction began; 0: there is none
 * @version: SQLite's data_version when @names were read
 * @file: id of the file being added; 0: none. @id, @path, @name: its identity
 * @recording: id of the last row's recording, whose values are @recording_key; @nr_rows: rows added
 *	since then; @part_key: the last row's part; @repeated: it is from an earlier file
 * @host: id of the recording's host; @first_row: of the file
 * @sums: of the file's rows, by struct sums_key
 * @key: scratch
 */
struct query_store {
	sqlite3 *db;
	sqlite3_stmt *statements[STORE_STATEMENTS];
	bool on_disk, stale;
	struct intern names[STORE_NAMES];
	struct chain_names *chain_names;
	size_t nr_chain_names, chain_names_capacity;
	KEYED(struct sums) sums[STORE_SUMS];
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
 * @first: its other columns, which come first, with their types; @last: SQL after all columns
 * @from, @to: its columns in export_fields; another version may have more or fewer
 */
struct store_table {
	const char *name, *first, *last;
	unsigned int from, to;
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
/* Reads the first @nr values of the first row of a PRAGMA or SELECT. */
int store_numbers(struct query_store *s, const char *sql, sqlite3_int64 *numbers,
		  int nr) __must_check;
static inline __must_check int store_number(struct query_store *s, const char *sql,
					    sqlite3_int64 *number)
{
	return store_numbers(s, sql, number, 1);
}

/**
 * struct store_value - a value of a statement, or several
 * @row: the fields from @first to before @end are the values
 * @text: NULL: the value is NULL
 */
struct store_value {
	enum { STORE_NUMBER, STORE_REAL, STORE_TEXT, STORE_FIELDS } type;
	unsigned int first, end;
	union {
		sqlite3_int64 number;
		double real;
		const char *text;
		const struct query_row *row;
	};
};

/* clang-format off */
#define NUMBER(n) { STORE_NUMBER, .number = (sqlite3_int64)(n) }
#define TEXT(string) { STORE_TEXT, .text = (string) }
#define FIELDS(of, first, end) { STORE_FIELDS, first, end, .row = (of) }
/* clang-format on */

/**
 * store_do() - run a statement with @nr values
 * @to: receives the numbers of the first row, or the id of the row that was added; may be NULL
 *
 * Return: 1: there is a row; 0; -ENOMEM, also if the tables are damaged; or as query_store_add().
 */
int store_do(struct query_store *s, unsigned int which, sqlite3_int64 *to,
	     const struct store_value *values, size_t nr) __must_check;
#define STORE_DO(s, which, to, ...)                                         \
	store_do(s, which, to, (const struct store_value[]){ __VA_ARGS__ }, \
		 ARRAY_SIZE(((const struct store_value[]){ __VA_ARGS__ })))

/* Writes what is known about the current recording or file, and forgets it. */
int store_end_recording(struct query_store *s) __must_check;
int store_end_file(struct query_store *s) __must_check;
int store_commit(struct query_store *s) __must_check;
/* Reads the names that other processes have added. */
int store_read_names(struct query_store *s) __must_check;
/* Writes the sums of the current file's rows. */
int store_end_sums(struct query_store *s) __must_check;
/* Drops these sums. */
void store_drop_sums(struct query_store *s);
#endif
#endif
