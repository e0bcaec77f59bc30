/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: a row of the table for SQL.
 * In: nothing. Out: its values, in the columns of kmemx export.
 */
#ifndef KMEMX_QUERY_ROW_H
#define KMEMX_QUERY_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/fields.h"

/* @number if export_fields says that the column is a number, else @size bytes of UTF-8 at @text,
 * which may lack a NUL; not @known: NULL.
 */
struct query_value {
	const char *text;
	size_t size;
	uint64_t number;
	bool known;
};

/* Values in the order of export_fields. */
struct query_row {
	struct query_value of[EXPORT_FIELDS];
};

#endif
