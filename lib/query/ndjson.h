/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: rows from files written by kmemx export --format ndjson, or from a report.
 * In: lines of JSON from anywhere, which may be damaged or hostile. Out: rows.
 */
#ifndef KMEMX_QUERY_NDJSON_H
#define KMEMX_QUERY_NDJSON_H

#include "export/export.h"
#include "export/fields.h"

/* Values in the order of export_fields; texts may lack a NUL. */
struct query_row {
	struct export_value of[EXPORT_FIELDS];
};

/* Limits: bytes of a line; nesting of values of an ignored key. */
#define NDJSON_LINE_MAX	 (1U << 20)
#define NDJSON_DEPTH_MAX 64

/**
 * struct ndjson_line - a line being read; zero-initialise it
 * @row: the row that was read
 * @wrong: the error, static text; @at: its byte offset
 * @texts: decoded strings with escapes; internal, like all below
 * @head: the beginning of an earlier line, of @head_size bytes, and its decoded strings: most lines
 *	begin like the previous one, with the recording's fields; @head_row, @head_next: what was
 *	read from it
 */
struct ndjson_line {
	struct query_row row;
	const char *wrong;
	size_t at;
	char *texts;
	size_t texts_capacity, texts_size;
	char *head;
	size_t head_size, head_capacity;
	struct query_row head_row;
	unsigned int head_next;
};

/**
 * ndjson_line_read() - read a row
 * @text: an object of plain values, @size bytes, at most NDJSON_LINE_MAX, without a line break
 *
 * Keys may come in any order; unknown keys are ignored, missing ones have no value. Numbers may be
 * strings of digits. Every row must have recording_id, allocator, callsite and stack. Texts are
 * valid until the next call, and only while @text is.
 *
 * Return: 0; -EINVAL: @line->wrong has the reason; -ENOMEM.
 */
int ndjson_line_read(struct ndjson_line *line, const char *text,
		     size_t size) __must_check;
void ndjson_line_free(struct ndjson_line *line);
/* What @row lacks but must have, as a sentence; NULL: nothing. */
const char *ndjson_row_lacks(const struct query_row *row);

/**
 * struct ndjson_file - a file being read; set the members before @number
 * @row: receives each row; a nonzero return value stops reading and is returned
 * @progress: called periodically with the bytes read so far; may be NULL
 * @number: number of the current line, from 1; @line: has its error
 * @is_parquet: it must be a Parquet file; set if it is one: @number is that of a faulty row, or 0
 */
struct ndjson_file {
	int fd;
	int (*row)(void *ctx, const struct query_row *row);
	void (*progress)(void *ctx, uint64_t bytes);
	void *ctx;
	uint64_t number;
	struct ndjson_line line;
	bool is_parquet;
};

/* Reads all lines of @file->fd, which may be a pipe, or compressed with zstd, or all rows of a
 * Parquet file; blank lines are ignored. 0; -EINVAL; -ENOMEM; the value that
 * row() returned; -errno of read(2). Memory does not grow with the file. Free the line in any case:
 * ndjson_line_free().
 */
int ndjson_file_read(struct ndjson_file *file) __must_check;

/**
 * parquet_file_read() - read all rows of a file written by kmemx export --format parquet
 * @file: @fd must be a regular file; its position does not matter. @number is the row in case of an
 *	error in a row, else 0
 *
 * Only what export/parquet.c writes is read: plain values and dictionaries of one value, a page for
 * each column of a group of rows, no compression, gzip or zstd. Everything else is refused. Returns
 * the same as ndjson_file_read().
 */
int parquet_file_read(struct ndjson_file *file) __must_check;

/* Receives a row, whose texts are valid during the call. Returns 0 or an error. */
typedef int (*query_row_fn)(void *ctx, const struct query_row *row);

/* Passes all rows of @report to @row, with @ctx. 0; -ENOMEM; the value that @row returned. */
int query_exported(const struct export_options *opts, const struct report *report,
		   query_row_fn row, void *ctx) __must_check;

#endif
