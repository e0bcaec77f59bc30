/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: the columns of the tables.
 * In: nothing. Out: their columns, units and meaning.
 */
#ifndef KMEMX_QUERY_SCHEMA_H
#define KMEMX_QUERY_SCHEMA_H

#include "report/table.h"

/* The name of column @i of all tables together; NULL after the last one. */
const char *query_column(size_t i);
/* The unit of a result's column @name: bytes if it begins with "bytes", nanoseconds if it ends in
 * _ns; otherwise the unit of the tables' column with that name.
 */
enum column_unit query_unit(const char *name);
/* A table of all columns; NULL: no memory. */
struct table *query_schema_table(void);

/**
 * struct query_named - a built-in query; its SQL is a file in lib/query/sql
 * @title: title of its table
 * @needs: its parameter; NULL: none
 * @whole: leaves out recordings that lost events, were cut short, or have only some tasks or events
 */
struct query_named {
	const char *name, *title, *needs, *sql;
	bool whole;
};

/* Built-in query number @i; NULL after the last one. */
const struct query_named *query_named_at(size_t i);
/* The built-in query @name; NULL if there is none. */
const struct query_named *query_named_find(const char *name);

#endif
