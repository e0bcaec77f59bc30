/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): reads Thrift's compact protocol, as export/thrift.h writes it.
 * In: bytes, hostile. Out: fields and values, or @bad.
 */
#ifndef KMEMX_QUERY_THRIFT_READ_H
#define KMEMX_QUERY_THRIFT_READ_H

#include "export/thrift.h"

/* Bytes that are left; @bad: they are no valid encoding, and all results since then are 0. */
struct thrift_bytes {
	const uint8_t *p, *end;
	bool bad;
};

/* A field of a structure; zero-initialise it before the first one. */
struct thrift_field {
	int64_t number;
	unsigned int type;
};

uint64_t thrift_read_varint(struct thrift_bytes *t);
int64_t thrift_read_number(struct thrift_bytes *t);
/* Returns the text's start, in the bytes, and sets its size. */
const char *thrift_read_text(struct thrift_bytes *t, size_t *size);
/* The number of elements, whose type must be @type; each takes one of the left bytes or more. */
size_t thrift_read_list(struct thrift_bytes *t, enum thrift_type type);
/* The next field of a structure, whose value follows. False: the structure's end. */
bool thrift_read_field(struct thrift_bytes *t, struct thrift_field *field);
/* Is it field @number of type @type? */
bool thrift_is(const struct thrift_field *field, int64_t number, enum thrift_type type);
/* Skips a value. */
void thrift_skip(struct thrift_bytes *t, unsigned int type);

#endif
