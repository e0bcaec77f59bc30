/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --lines of a report.
 * In: the option, the terminal. Out: tables cut to that many rows.
 */
#ifndef KMEMX_CMD_ROW_LIMIT_H
#define KMEMX_CMD_ROW_LIMIT_H

#include "cmd/options/options.h"
#include "report/table.h"

/* @lines is a uint64_t. 0 if not given: one screen on a terminal, else all rows. */
#define LINES_OPTION(lines)                                                     \
	{                                                                       \
		OPTION_ROWS | OPTION_EVERYDAY, 'l', "lines", "N|all", &(lines), \
			"N rows of each table, or all"                          \
	}

/* Keeps the first @lines rows of @t. If @lines is 0, rows that do not fit on the screen are left
 * out of text only: formats for programs have them.
 */
void row_limit_apply(uint64_t lines, struct table *t);

#endif
