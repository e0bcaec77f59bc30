/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: rows from a recording, as kmemx export makes them.
 * In: a report of the analysis "export". Out: the same rows as its files have.
 */
#ifndef KMEMX_QUERY_EXPORTED_H
#define KMEMX_QUERY_EXPORTED_H

#include "base/compiler.h"
#include "export/export.h"
#include "query/row.h"

/* Takes a row, whose texts are valid during the call: 0 or an error. */
typedef int (*query_row_fn)(void *ctx, const struct query_row *row);

/* Gives @row all rows of @report, with @ctx. 0; -ENOMEM; what @row returned. */
int query_exported(const struct export_options *opts, const struct report *report,
		   query_row_fn row, void *ctx) __must_check;

#endif
