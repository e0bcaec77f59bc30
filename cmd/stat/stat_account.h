/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the account table as trace_analyze prints it.
 * In: a report with the table "account". Out: text.
 */
#ifndef KMEMX_CMD_STAT_ACCOUNT_H
#define KMEMX_CMD_STAT_ACCOUNT_H

#include "analysis/columns.h"
#include "report/render.h"

/* Is @col a number that is shown by default? The table can be sorted by these columns.
 */
bool stat_account_shows(const struct column_type *col);

/* A renderer of that one table, for scripts that read trace_analyze's text. */
int stat_account_render(const struct report *r, const struct render_options *opts,
			const struct render_out *out) __must_check;

#endif
