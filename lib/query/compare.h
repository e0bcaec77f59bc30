/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): the SQL aggregate compare(): do two sides of a fleet differ?
 * In: values of recordings, with side, host and group of hosts. Out: one JSON object.
 */
#ifndef KMEMX_QUERY_COMPARE_H
#define KMEMX_QUERY_COMPARE_H

#ifdef HAVE_SQLITE
#include "query/sqlite.h"

/* compare(side, value, host, group): rows in which one is NULL do not count. A host's value on a
 * side is the median of its values there, divided by the median of all hosts of its group; groups
 * whose median is 0 do not count. The object has hosts_old, hosts_new; old, new: medians of the
 * hosts' undivided values; times: the ratio of the medians of the divided ones; p:
 * mann_whitney_test(). What does not exist is null.
 */
void query_compare_step(sqlite3_context *ctx, int nr, sqlite3_value **values);
void query_compare_end(sqlite3_context *ctx);
#endif
#endif
