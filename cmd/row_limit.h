/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --lines of a report.
 * In: the option, the terminal. Out: tables with so many rows.
 */
#ifndef KMEMX_CMD_ROW_LIMIT_H
#define KMEMX_CMD_ROW_LIMIT_H

#include "options.h"
#include "report/table.h"

/* For a uint64_t; 0, where it is not given: a screen's worth on a terminal, else all rows. */
#define LINES_OPTION(lines)                                                     \
	{                                                                       \
		OPTION_ROWS | OPTION_EVERYDAY, 'l', "lines", "N|all", &(lines), \
			"N rows of each table, or all"                          \
	}

/* Keeps the first rows of @t. What merely has no room on the screen is left out of text only:
 * the formats for machines have it.
 */
void row_limit_apply(uint64_t lines, struct table *t);

#endif
