/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: rows from files written by kmemx export --format parquet.
 * In: a Parquet file, which may be damaged or hostile. Out: rows.
 *
 * Only what export/parquet.c writes is read: plain values and dictionaries of one value, a page for
 * each column of a group of rows, no compression, gzip or zstd. Everything else is refused.
 */
#ifndef KMEMX_QUERY_PARQUET_H
#define KMEMX_QUERY_PARQUET_H

#include "export/parquet_format.h"
#include "query/ndjson.h"

/* Limits: bytes of the description at the end; unpacked bytes of a group of rows. Of a whole file,
 * only these are in memory.
 */
#define PARQUET_FOOTER_MAX (64U << 20)
#define PARQUET_GROUP_MAX  (192U << 20)

/* Reads all rows of @file->fd, which must be a regular file; its position does not matter.
 * @file->number is the row in case of an error in a row, else 0. Results as ndjson_file_read().
 */
int parquet_file_read(struct ndjson_file *file) __must_check;

#endif
