/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): reads Thrift's compact protocol, as export/wire.h writes it.
 * In: bytes, hostile. Out: the wanted fields of structures.
 */
#ifndef KMEMX_QUERY_THRIFT_READ_H
#define KMEMX_QUERY_THRIFT_READ_H

#include "base/bytes.h"
#include "export/wire.h"

/* A text within the input. */
struct thrift_string {
	const char *text;
	size_t size;
};

/**
 * struct thrift_member - a field of a structure that is wanted
 * @number: its number; 0 ends a table of them
 * @type: THRIFT_I64: an int64_t, also from 32 bits; THRIFT_BINARY: a struct thrift_string;
 *	THRIFT_STRUCT: its members are @inside; THRIFT_LIST: of structures, each read by @each, with
 *	its index and their number, until it returns nonzero
 * @offset: of the member, or of what @inside and @each fill, in the structure to be filled
 */
struct thrift_member {
	unsigned int number;
	enum thrift_type type;
	size_t offset;
	const struct thrift_member *inside;
	int (*each)(void *to, struct byte_reader *r, size_t i, size_t nr);
};

/* Reads a structure into @to; leaves members that it lacks unchanged. Sets @r->failed if the
 * encoding is invalid. Returns 0, or what a list's function returned.
 */
int thrift_read(struct byte_reader *r, const struct thrift_member *members, void *to);
uint64_t thrift_read_varint(struct byte_reader *r);

#endif
