/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: numbers of the Parquet format, for writing and reading such files.
 * In: nothing. Out: those that kmemx uses, from parquet.thrift.
 *
 * https://parquet.apache.org/docs/file-format/
 */
#ifndef KMEMX_EXPORT_PARQUET_FORMAT_H
#define KMEMX_EXPORT_PARQUET_FORMAT_H

#include "base/compiler.h"

/* How such a file begins and ends. */
#define PARQUET_MAGIC	   "PAR1"
#define PARQUET_MAGIC_SIZE 4

enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DICTIONARY = 8 };
enum { CODEC_NONE = 0, CODEC_GZIP = 2, CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

#endif
