/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): what pprof needs of protocol buffers; what Parquet needs of Thrift's compact
 * protocol, and that format's constants.
 * In: numbers, bytes, their field numbers. Out: the encoding, appended to a buffer.
 *
 * https://protobuf.dev/programming-guides/encoding/: a field is a varint of its number and type,
 * then its value; a message is a field whose value is bytes.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md: a field is a
 * byte with the difference of its number from the previous one's and its type, then its value.
 */
#ifndef KMEMX_EXPORT_WIRE_H
#define KMEMX_EXPORT_WIRE_H

#include "base/strbuf.h"

/* Seven bits per byte, the lowest first. */
void proto_varint(struct strbuf *sb, uint64_t value);
/* Writes field @field. 0 is omitted: it is the default of a missing field. */
void proto_uint(struct strbuf *sb, unsigned int field, uint64_t value);
/* Writes a text, a message or packed numbers, even if empty. */
void proto_bytes(struct strbuf *sb, unsigned int field, const void *data, size_t size);
/* Writes the message @message as @field, and empties it. */
void proto_message(struct strbuf *sb, unsigned int field, struct strbuf *message);

/* Maximum depth of nested structures. */
#define THRIFT_DEPTH_MAX 8

/**
 * struct thrift - a structure being written; zero-initialise it, set @sb
 * @last: the number of the last field in each open structure
 */
struct thrift {
	struct strbuf *sb;
	unsigned int last[THRIFT_DEPTH_MAX];
	unsigned int depth;
};

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

/* Write fields. @field is larger than the last one of the structure, by at most 15. */
void thrift_i32(struct thrift *t, unsigned int field, int32_t value);
void thrift_i64(struct thrift *t, unsigned int field, int64_t value);
void thrift_text(struct thrift *t, unsigned int field, const char *text);
/* Begins a list of @nr elements. They follow, each written by one of the next two functions or as a
 * structure.
 */
void thrift_list(struct thrift *t, unsigned int field, enum thrift_type type, size_t nr);
void thrift_element_i32(struct thrift *t, int32_t value);
void thrift_element_text(struct thrift *t, const char *text);
/* Begins a structure as a field; 0: as an element of a list, or the outermost one. */
void thrift_open(struct thrift *t, unsigned int field);
void thrift_close(struct thrift *t);

/* --- the Parquet format: https://parquet.apache.org/docs/file-format/, parquet.thrift --- */

/* A Parquet file begins and ends with this. */
#define PARQUET_MAGIC	   "PAR1"
#define PARQUET_MAGIC_SIZE 4

enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DICTIONARY = 8 };
enum { CODEC_NONE = 0, CODEC_GZIP = 2, CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

#endif
