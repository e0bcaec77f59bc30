/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: what SQL asks of a store.
 * In: a sealed store, SQL, values of its parameters. Out: a table for a report.
 */
#ifndef KMEMX_QUERY_ASK_H
#define KMEMX_QUERY_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "query/store.h"
#include "report/table.h"

/* The parameter :@name (or @name, $name) is @value: a number if that is a whole one, else text. */
struct query_setting {
	const char *name, *value;
};

/**
 * struct query_ask - a question
 * @title: of the table
 * @memory: bytes that the result may take; 0: no limit
 * @stop: called periodically with @ctx: true: give up; NULL: never give up
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
	QUERY_MEMORY,  /* there was not enough of it, or not as much as allowed */
	QUERY_LARGE,   /* the result takes more than @memory */
	QUERY_STOPPED, /* @stop wanted it */
	QUERY_EMPTY,   /* there is no statement */
	QUERY_SEVERAL, /* there is more than one; @offset: where the second begins */
	QUERY_WRITES,  /* it does more than read */
	QUERY_UNSET,   /* no value for the parameter @text; empty: one without a name */
	QUERY_UNUSED,  /* there is no parameter @text */
	QUERY_SQL,     /* SQLite cannot do it, and says @text */
};

/**
 * struct query_failure - why there is no result; zero-initialise it, strbuf_free() the text
 * @offset: of the offending byte of the SQL; -1: none
 */
struct query_failure {
	enum query_problem problem;
	struct strbuf text;
	int offset;
};

/**
 * query_ask() - run one statement that reads
 *
 * The table is called "query". Its columns have the statement's names, made unique; a column named
 * like one of a table has its unit.
 *
 * Return: the table, owned by the caller; NULL: @why says why.
 */
struct table *query_ask(struct query_store *s, const struct query_ask *ask,
			struct query_failure *why);

#endif
