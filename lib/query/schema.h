/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: what the tables have that SQL sees.
 * In: nothing. Out: their columns, units and meaning.
 */
#ifndef KMEMX_QUERY_SCHEMA_H
#define KMEMX_QUERY_SCHEMA_H

#include <stdbool.h>

#include "report/table.h"

/* The name of column @i of both tables; NULL behind the last one. */
const char *query_column(size_t i);
/* The unit of a result's column called @name: bytes for what begins with that, nanoseconds for what
 * ends in _ns; else what the column of a table has that is called so.
 */
enum column_unit query_unit(const char *name);
/* A table of all columns; NULL: no memory. */
struct table *query_schema_table(void);

#endif
