/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (query): why SQL has no result.
 * In: a failure of the library. Out: a message that shows the place in the SQL.
 */
#ifndef KMEMX_CMD_QUERY_FAILED_H
#define KMEMX_CMD_QUERY_FAILED_H

#include "query/ask.h"

/* Prints why the query failed. Returns the exit code. */
int query_failed(const struct query_ask *ask, const struct query_failure *why);
/* Says that @word is neither SQL nor the name of a query. EXIT_USAGE. */
int query_unknown(const char *word);

#endif
