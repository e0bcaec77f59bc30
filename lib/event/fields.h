/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: all fields of any event, for printing.
 * In: a hostile format text. Out: where each field lies in a record and what it is.
 *
 * formats.h has the fields that the analyses read; this is for showing whole records of any event.
 */
#ifndef KMEMX_EVENT_FIELDS_H
#define KMEMX_EVENT_FIELDS_H

#include "base/compiler.h"

enum field_kind {
	FIELD_UINT,
	FIELD_INT,
	FIELD_ADDRESS, /* pointers, and unsigned longs, which mostly are pointers */
	FIELD_BOOL,
	FIELD_TEXT,  /* characters up to a NUL or the field's end */
	FIELD_BYTES, /* an array of anything else */
};

enum field_place {
	FIELD_HERE,	/* @size bytes at @offset */
	FIELD_DATA_LOC, /* a u32 at @offset holds: offset in the low 16 bits, size above */
	FIELD_REL_LOC,	/* the same, counted from the end of that u32 */
};

/**
 * struct raw_field - one field of an event
 * @offset, @size: as the format says; their sum is at most FIELD_RECORD_MAX
 */
struct raw_field {
	char name[64];
	uint32_t offset, size;
	enum field_kind kind;
	enum field_place place;
};

#define FIELD_RECORD_MAX 65536U
#define FIELD_MAX_NUMBER 128U

/**
 * fields_parse() - read the fields of a format text, without the common ones
 * @fields: receives the array, which the caller frees; NULL if there are none
 *
 * Lines that do not parse, and places outside of any record, are left out; so is what comes
 * after FIELD_MAX_NUMBER fields. Return: 0 or -ENOMEM.
 */
int fields_parse(const char *text, size_t size, struct raw_field **fields,
		 size_t *nr) __must_check;

/* Bytes of a record. */
struct field_content {
	const uint8_t *data;
	uint32_t size;
};

/* Finds the content of @f in a record of @size bytes; false: it is not inside. */
bool field_content(const struct raw_field *f, const uint8_t *record, uint32_t size,
		   bool big_endian, struct field_content *content);
/* The field of that name; NULL if absent. */
const struct raw_field *field_named(const struct raw_field *fields, size_t nr,
				    const char *name);

#endif
