/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): the SQL aggregates compare(), whether two sides of a fleet differ, and
 * outlying(), which hosts exceed the others.
 * In: values of recordings, with side or site, host and group of hosts. Out: JSON.
 */
#ifndef KMEMX_QUERY_COMPARE_H
#define KMEMX_QUERY_COMPARE_H

#ifdef HAVE_SQLITE
#include "query/sqlite.h"

/* compare(side, value, host, group): rows in which one is NULL do not count. A host's value on a
 * side is the median of its values there, divided by the median of all hosts of its group; groups
 * whose median is 0 do not count. The object has hosts_old, hosts_new; old, new: medians of the
 * hosts' undivided values; times: the ratio of the medians of the divided ones; p:
 * mann_whitney_test(). Missing values are null.
 */
void query_compare_step(sqlite3_context *ctx, int nr, sqlite3_value **values);
void query_compare_end(sqlite3_context *ctx);

/* outlying(site, value, host, group), with query_compare_step(): the hosts whose median at a site
 * is far above that of the others of their group, even after subtracting the host's usual distance
 * from them: a big host is no outlier. Values must be positive; at least 20 hosts must have the
 * site.
 *
 * Logarithms are compared, because hosts differ by factors. A host's distance from the median is
 * divided by the spread at the site: the width of a half normal distribution that reaches the 90th
 * and 95th percentile, or the median spread of the group's sites if that is larger. p is the tail
 * of Student's t distribution; q corrects it after Benjamini and Hochberg, over all sites of all
 * hosts.
 *
 * An array of objects, one for each q up to 5 %: site_id, host_id; recordings, hosts: how many;
 * value: the host's median; others: the median of the hosts' medians; times: the factor by which
 * the host exceeds them, relative to its size; p, q.
 */
void query_outlying_end(sqlite3_context *ctx);
#endif
#endif
