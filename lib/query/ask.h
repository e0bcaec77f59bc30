/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: runs SQL on a store.
 * In: a sealed store, SQL, values of its parameters. Out: a table for a report.
 */
#ifndef KMEMX_QUERY_ASK_H
#define KMEMX_QUERY_ASK_H

#include "base/strbuf.h"
#include "query/store.h"
#include "report/table.h"

/* The parameter :@name (or @name, $name) has the value @value: a number if it is a whole number,
 * else text.
 */
struct query_setting {
	const char *name, *value;
};

/**
 * struct query_ask - a query
 * @title: title of the table
 * @memory: limit of the result in bytes; 0: none
 * @stop: called periodically with @ctx; true stops the query; NULL: never stop
 */
struct query_ask {
	const char *sql, *title;
	const struct query_setting *settings;
	size_t nr_settings;
	uint64_t memory;
	bool (*stop)(void *ctx);
	void *ctx;
};

enum query_problem {
	QUERY_MEMORY,  /* memory ran out, or the limit was reached */
	QUERY_LARGE,   /* the result exceeds @memory */
	QUERY_STOPPED, /* @stop returned true */
	QUERY_EMPTY,   /* no statement */
	QUERY_SEVERAL, /* there is more than one; @offset: where the second begins */
	QUERY_WRITES,  /* it is not read-only */
	QUERY_UNSET,   /* parameter @text has no value; empty: it has no name */
	QUERY_UNUSED,  /* no parameter @text */
	QUERY_SQL,     /* SQLite fails with the message @text */
};

/**
 * struct query_failure - why there is no result; zero-initialise it, strbuf_free() the text
 * @offset: offset of the faulty byte in the SQL; -1: none
 */
struct query_failure {
	enum query_problem problem;
	struct strbuf text;
	int offset;
};

/**
 * query_ask() - run one read-only statement
 *
 * The result is called "query". Its columns have the statement's names, made unique; a column with
 * the name of a table's column gets the same unit.
 *
 * Return: the table, owned by the caller; NULL: @why has the reason.
 */
struct table *query_ask(struct query_store *s, const struct query_ask *ask,
			struct query_failure *why);

#endif
