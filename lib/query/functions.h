/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): SQL functions beyond SQLite's own.
 * In: a database. Out: the same with them.
 */
#ifndef KMEMX_QUERY_FUNCTIONS_H
#define KMEMX_QUERY_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The first three numbers of a kernel's release as one, to compare it: 6.12.9-amd64 is
 * 60001200009, 6.1 is 60000100000. A number above 99999 counts as that. False: @text does not
 * begin with a digit.
 */
bool query_kernel_version(const char *text, size_t size, uint64_t *version);

/* May SQL call function @name? Only functions that compute something from their arguments or from
 * the clock may be called. Others load code, or take and show addresses of this process
 * (fts3_tokenizer): what is not known is refused.
 */
bool query_function_allowed(const char *name);

struct sqlite3;

/* kernel_version(TEXT), as query_kernel_version(); NULL where that is false. 0 or -ENOMEM. */
int query_functions_add(struct sqlite3 *db) __must_check;

#endif
