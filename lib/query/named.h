/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: the built-in queries.
 * In: nothing. Out: their names and SQL.
 */
#ifndef KMEMX_QUERY_NAMED_H
#define KMEMX_QUERY_NAMED_H

#include <stddef.h>

/**
 * struct query_named - a built-in query; its SQL is a file in lib/query/sql
 * @title: title of its table
 * @needs: its parameter; NULL: none
 */
struct query_named {
	const char *name, *title, *needs, *sql;
};

/* Built-in query number @i; NULL after the last one. */
const struct query_named *query_named_at(size_t i);
/* The built-in query @name; NULL if there is none. */
const struct query_named *query_named_find(const char *name);

#endif
