/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): the rows of the first look at a recording.
 * In: the tables of other analyses. Out: the largest rows of these, in the table "summary".
 */
#ifndef KMEMX_ANALYSIS_SUMMARY_ROWS_H
#define KMEMX_ANALYSIS_SUMMARY_ROWS_H

#include "report/table.h"

extern const struct table_type summary_type;

/* The table @name of @r; NULL: there is none. */
const struct table *summary_find(const struct report *r, const char *name);
/* Adds the largest rows of the tables of @from to @to. @lacks_frees: what needs them is left
 * out. @estimated: from a sample: they have intervals. 0 or -ENOMEM.
 */
int summary_add_largest(const struct report *from, bool lacks_frees, bool estimated,
			struct table *to) __must_check;
/* Adds notes to @to, which has its rows, about growth that is uncertain and where there is none. */
void summary_note_growth(const struct report *from, struct table *to);
/* Adds the first row of the table "advice", and a note that says what it is. 0 or -ENOMEM. */
int summary_add_advice(const struct report *from, struct table *to) __must_check;

#endif
