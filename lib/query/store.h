/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: a database of rows of many recordings, in memory or in a file.
 * In: rows. Out: a database for SQL. Building it needs SQLite.
 *
 * SQL sees the tables "allocations", with the columns of kmemx export; "sites", "chains" and
 * "tasks", which are its sums by recording, allocator and callsite, callchain or task;
 * "recordings", "files" and further views.
 */
#ifndef KMEMX_QUERY_STORE_H
#define KMEMX_QUERY_STORE_H

#include "query/ndjson.h"

struct query_store;

/**
 * struct query_totals - counts of a store's contents
 * @rows, @recordings, @hosts: their numbers
 * @untrusted: recordings that lost events or were truncated
 * @partial: samples, and recordings of some tasks or events
 * @repeated: rows left out because an earlier file has the same recording
 * @large: numbers of 2^63 and above, stored as floating point
 * @files: files in the store; @unreadable: those that could not be read, which have no rows
 */
struct query_totals {
	uint64_t rows, recordings, hosts, untrusted, partial, repeated, large;
	uint64_t files, unreadable;
};

/**
 * struct query_file_id - tells whether a file is already in a store
 * @path: NULL: it cannot be recognised (a pipe)
 * @how: how its rows are made, as a number; the same file read in another way is a different one
 * @content: query_content(); used only if size and time do not suffice
 */
struct query_file_id {
	const char *path;
	uint64_t size, mtime_ns, how, content;
};

/* The functions below exist only if kmemx was built with SQLite, except query_content() and
 * query_kernel_version().
 */

/* Loads SQLite, once. 0; -ELIBACC: it is not installed, or is older than the one that kmemx was
 * built with. Call it before all others.
 */
int query_store_load(void) __must_check;
/**
 * query_store_open() - create a store, or open one that is a file
 * @path: the file, created if it is missing; NULL: a store in memory
 * @memory: bytes that SQLite may use in this process, for all stores; 0: no limit
 *
 * A file of an older kmemx gets the columns that it lacks; columns of a newer one are kept. An
 * older format is converted. A transaction covers the files of 0.3 s: even if the process is
 * killed, a store has all of a file's rows or none.
 *
 * Return: 0; -ELIBACC; -ENOMEM; -EEXIST: @path is another kind of file; -EPROTO: its
 * format is newer; or as query_store_add(). Pass *@out to query_store_free() in any case.
 */
int query_store_open(struct query_store **out, const char *path,
		     uint64_t memory) __must_check;
/* Is this file in the store, unchanged? 1: yes; 0: no; or as query_store_add(). If only its time
 * differs, @id->content decides; 0: the content is unknown.
 */
int query_store_known(struct query_store *s, const struct query_file_id *id) __must_check;
/* Rows added from now on are from file @name, and replace its earlier ones. Keeps the previous
 * file's rows. Results as query_store_add().
 */
int query_store_file(struct query_store *s, const char *name,
		     const struct query_file_id *id) __must_check;
/* Removes the rows of the current file and notes @problem, so that it is not read again until it
 * changes. Results as query_store_add().
 */
int query_store_unreadable(struct query_store *s, const char *problem) __must_check;
/* A hash of @fd's content, which is the same everywhere; never 0. 0 or -errno of read(2). */
int query_content(int fd, uint64_t *content) __must_check;
/**
 * query_store_add() - add a row, which is copied
 *
 * A recording's rows of one allocator are taken from one file only: those in further files are
 * skipped and counted in query_totals.repeated.
 *
 * Return: 0; -ENOMEM, also if @memory is used up; for a file: -ENOSPC, -EIO, -EBUSY: another
 * process writes it for over a minute; -EROFS; -EUCLEAN: it is damaged;
 * -EOVERFLOW: a sum exceeds 2^63 - 1.
 */
int query_store_add(struct query_store *s, const struct query_row *row) __must_check;
/* Removes recordings that began before @before, in seconds of Unix time. Call it after adding all
 * rows. Results as query_store_add().
 */
int query_store_expire(struct query_store *s, uint64_t before) __must_check;
/* Call it after adding all rows: from now on the store is read-only. Results as
 * query_store_add().
 */
int query_store_seal(struct query_store *s) __must_check;
/* Valid after query_store_seal(). */
const struct query_totals *query_store_totals(const struct query_store *s);
void query_store_free(struct query_store *s);

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

/* Adds kernel_version(TEXT), which is query_kernel_version(), or NULL if that returns false;
 * sign_test(UP, DOWN); student(T, FREEDOM); and the aggregates quantile(VALUE, PART),
 * mann_whitney(SIDE, VALUE), which is p, compare() and outlying() of compare.h, at_first(AT, VALUE)
 * and at_last(AT, VALUE), change(AT, VALUE), the last value minus the first, and drops(AT, VALUE):
 * how often a value is below the previous one. 0 or -ENOMEM.
 */
int query_functions_add(struct sqlite3 *db) __must_check;

#endif
