// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: --lines of a report.
 * In: the option, the terminal. Out: tables cut to that many rows.
 */
#include "cmd/output/row_limit.h"

#include "cmd/output/output.h"

/* Lines of a screen that banner, title, notes and summary of a report take. */
#define OTHER_LINES 16
#define ROWS_MIN    8
/* Rows of a table of pairs, which may have the number of CPUs squared. */
#define PAIRS_MAX   64

void row_limit_apply(uint64_t lines, struct table *t)
{
	unsigned int screen = output_height();

	if (lines) {
		table_limit(t, lines);
		return;
	}
	if (!screen && t->cross)
		table_limit_text(t, PAIRS_MAX);
	if (screen)
		table_limit_text(t, screen > OTHER_LINES + ROWS_MIN ? screen - OTHER_LINES
								    : ROWS_MIN);
}
