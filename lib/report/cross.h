/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a list of pairs as a matrix.
 * In: a table whose rows stand for pairs of numbers. Out: a table with a row and a column for each
 * number.
 */
#ifndef KMEMX_REPORT_CROSS_H
#define KMEMX_REPORT_CROSS_H

#include "report/table.h"

/* The most rows, and columns, of a matrix. */
#define CROSS_MAX 32

/* Can text show all of @t as a matrix? Not if rows were cut off or there are too many numbers. */
bool table_can_cross(const struct table *t);
/* The matrix of @t, without notes and summary, if table_can_cross(). The caller frees it. A pair
 * without a row is 0. NULL: no memory.
 */
struct table *table_cross(const struct table *t);

#endif
