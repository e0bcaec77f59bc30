/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): the rows of the first look at a recording.
 * In: the tables of other analyses. Out: their largest rows, in the table "summary".
 */
#ifndef KMEMX_ANALYSIS_SUMMARY_ROWS_H
#define KMEMX_ANALYSIS_SUMMARY_ROWS_H

#include "report/table.h"

extern const struct table_type summary_type;

/* Adds the largest rows of the tables of @from to @to. @unknown: the events of kinds of memory of
 * which frees are missing, whose rows about what is live are left out. @estimated: figures are from
 * a sample and have intervals. 0 or -ENOMEM.
 */
int summary_add_largest(const struct report *from, uint32_t unknown, bool estimated,
			struct table *to) __must_check;
/* Adds notes to @to about uncertain growth, or about no growth; @to must have its rows. */
void summary_note_growth(const struct report *from, struct table *to);
/* Adds the first row of the table "advice", and a note that describes it. */
void summary_add_advice(const struct report *from, struct table *to);

#endif
