/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a histogram as a line of marks.
 * In: counts from a histogram column. Out: a mark for each step of the axis that all rows share.
 */
#ifndef KMEMX_REPORT_SPARK_H
#define KMEMX_REPORT_SPARK_H

#include "base/strbuf.h"
#include "report/table.h"

#define SPARK_MARKS  16
#define SPARK_LEVELS 8

/**
 * struct spark - the axis; zero-initialise it
 * @first, @last: the range of places with a count in some row
 * @any: some row has a count
 */
struct spark {
	unsigned int first, last;
	bool any;
};

/* Extends the axis to @counts: "0|0|12|3", of values from 0, 2, 4, 8, ... on. */
void spark_fit(struct spark *s, const char *counts);
/* Appends a digit for each mark: 0 for none, else 1 to SPARK_LEVELS, which is the row's largest. */
void spark_levels(const struct spark *s, const char *counts, struct strbuf *sb);
/* The same for a series of numbers: one mark each, on their own axis. */
void spark_series(const char *numbers, struct strbuf *sb);
/* Appends the marks as shown: Unicode blocks or ASCII. */
void spark_paint(const char *levels, bool utf8, struct strbuf *sb);
/* Appends "256 ns to 4.29 s, a mark for every power of 2", in @unit. */
void spark_axis(const struct spark *s, enum column_unit unit, struct strbuf *sb);

#endif
