/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): Thrift's compact protocol, as far as Parquet needs it.
 * In: fields and their values. Out: the encoding, appended to a buffer.
 *
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md: a field is a
 * byte with the difference of its number from the previous one's and its type, then its value.
 */
#ifndef KMEMX_EXPORT_THRIFT_H
#define KMEMX_EXPORT_THRIFT_H

#include "base/strbuf.h"

/* The most levels of nested structures. */
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

#endif
