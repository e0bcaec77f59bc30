/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a list of pairs as a matrix.
 * In: a table whose rows stand for pairs of numbers. Out: a table with a row for each number,
 * and a column.
 */
#ifndef KMEMX_REPORT_CROSS_H
#define KMEMX_REPORT_CROSS_H

#include "report/table.h"

/* No matrix has more rows, which are as many as its columns. */
#define CROSS_MAX 32

/* Can text show all of @t as a matrix? Not where rows were cut off, or of too many numbers. */
bool table_can_cross(const struct table *t);
/* The matrix of @t, of which table_can_cross(): without notes and summary; the caller's. A pair
 * without a row is 0. NULL: no memory.
 */
struct table *table_cross(const struct table *t);

#endif
