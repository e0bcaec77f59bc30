/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): SQL functions beyond SQLite's own.
 * In: a database. Out: the same with them.
 */
#ifndef KMEMX_QUERY_FUNCTIONS_H
#define KMEMX_QUERY_FUNCTIONS_H

#include "base/compiler.h"

/* Converts the first three numbers of a kernel's release to one number for comparison: 6.12.9-amd64
 * is 60001200009, 6.1 is 60000100000. Numbers above 99999 count as 99999. False: @text does not
 * begin with a digit.
 */
bool query_kernel_version(const char *text, size_t size, uint64_t *version);

/* May SQL call function @name? Only functions that compute a result from their arguments or the
 * clock are allowed. Others load code, or accept and reveal addresses of this process
 * (fts3_tokenizer), so unknown functions are refused.
 */
bool query_function_allowed(const char *name);

struct sqlite3;

/* Adds kernel_version(TEXT), as query_kernel_version(); NULL if that returns false. 0
 * or -ENOMEM.
 */
int query_functions_add(struct sqlite3 *db) __must_check;

#endif
