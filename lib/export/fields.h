/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: rows for a database, for any file format.
 * In: rows by callchain, with labels; the recording. Out: the same fields in each row.
 *
 * Every row identifies its recording, so that one table can hold rows of many recordings.
 */
#ifndef KMEMX_EXPORT_FIELDS_H
#define KMEMX_EXPORT_FIELDS_H

#include "base/strbuf.h"
#include "export/export.h"

/**
 * struct export_field - a column
 * @help: its meaning; @unit: UNIT_NONE for texts and plain numbers
 * @number: it is a nonnegative whole number, else text
 * @always: every row has a value
 */
struct export_field {
	const char *name, *help;
	enum column_unit unit;
	bool number, always;
};

/* The first EXPORT_FIELDS_SAME are the same in all rows of a recording. */
#define EXPORT_FIELDS	   48
#define EXPORT_FIELDS_SAME 24
extern const struct export_field export_fields[EXPORT_FIELDS];

/* Indices of export_fields. */
enum {
	FIELD_RECORDING_ID,
	FIELD_HOST,
	FIELD_BUILD_ID = 4,
	FIELD_DAY,
	FIELD_START,
	FIELD_LABELS = EXPORT_FIELDS_SAME - 1,
	FIELD_BALANCE, /* of the recording, but only in its first row, because it is long */
	FIELD_ALLOCATOR,
	FIELD_CALLSITE,
	FIELD_MODULE,
	FIELD_STACK,
	FIELD_STACK_ID,
	FIELD_FIRST_LABEL,
	FIELD_ENTRY = FIELD_FIRST_LABEL, /* nearly always, the callchain determines it */
	FIELD_COMM,
	FIELD_CACHE = FIELD_COMM + 3, /* after the process and the control group */
	FIELD_FIRST_METRIC = FIELD_FIRST_LABEL + EXPORT_LABELS_MAX,
};

/* The field whose name is the @size bytes at @name; EXPORT_FIELDS if no field has that name. Looks
 * at field @next first, because names usually come in order.
 */
unsigned int export_field_find(const char *name, size_t size, unsigned int next);

/* A value: @number if the field is a number, else @size bytes of UTF-8 at @text; not @known: none.
 */
struct export_value {
	const char *text;
	size_t size;
	uint64_t number;
	bool known;
};

/**
 * struct export_values - a row; zero-initialise it
 * @safe: the recording's texts, made safe
 * @begun: a row has been set
 */
struct export_values {
	struct export_value of[EXPORT_FIELDS];
	struct strbuf safe[EXPORT_FIELDS_SAME];
	struct strbuf stack, module, id;
	bool begun;
};

/* Sets the values common to all rows. Call export_values_free() in any case. */
void export_values_init(struct export_values *v, struct export_job *job);
/* Sets the other values, which borrow from @row and @v. */
void export_values_row(struct export_values *v, struct export_job *job,
		       const struct export_row *row);
/* @values: a struct export_values. */
void export_values_free(void *values);

#endif
