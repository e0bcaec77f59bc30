/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a histogram as a line of marks.
 * In: counts as a column of histograms has them. Out: a mark for each step of the axis that all
 * rows share.
 */
#ifndef KMEMX_REPORT_SPARK_H
#define KMEMX_REPORT_SPARK_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "report/table.h"

#define SPARK_MARKS  16
#define SPARK_LEVELS 8

/**
 * struct spark - the axis; zero-initialise it
 * @first, @last: the places of the counts that some row has
 * @any: some row has a count
 */
struct spark {
	unsigned int first, last;
	bool any;
};

/* Makes room for @counts: "0|0|12|3", of values from 0, 2, 4, 8, ... on. */
void spark_fit(struct spark *s, const char *counts);
/* How many places share a mark, of which there are at most SPARK_MARKS. */
unsigned int spark_step(const struct spark *s);
/* Appends a digit for each mark: 0 for none, else 1 to SPARK_LEVELS, which is the row's most. */
void spark_levels(const struct spark *s, const char *counts, struct strbuf *sb);
/* The same of numbers that follow each other, a mark for each: their axis is their own. */
void spark_series(const char *numbers, struct strbuf *sb);
/* Appends the same as it is shown: with the blocks of Unicode, or in ASCII. */
void spark_paint(const char *levels, bool utf8, struct strbuf *sb);
/* Appends "256 ns to 4.29 s, a mark for every power of 2", in @unit. */
void spark_axis(const struct spark *s, enum column_unit unit, struct strbuf *sb);

#endif
