/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: rows from a recording, as made by kmemx export.
 * In: a report of the analysis "export". Out: the same rows as in its files.
 */
#ifndef KMEMX_QUERY_EXPORTED_H
#define KMEMX_QUERY_EXPORTED_H

#include "base/compiler.h"
#include "export/export.h"
#include "query/row.h"

/* Receives a row, whose texts are valid during the call. Returns 0 or an error. */
typedef int (*query_row_fn)(void *ctx, const struct query_row *row);

/* Passes all rows of @report to @row, with @ctx. 0; -ENOMEM; the value that @row returned. */
int query_exported(const struct export_options *opts, const struct report *report,
		   query_row_fn row, void *ctx) __must_check;

#endif
