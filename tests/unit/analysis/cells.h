/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: what a table says.
 * In: a table. Out: a cell, or a figure of the summary; the test fails without it.
 */
#ifndef KMEMX_TESTS_CELLS_H
#define KMEMX_TESTS_CELLS_H

#include <check.h>
#include <string.h>

#include "report/table.h"

static inline const struct cell *cell(const struct table *t, size_t row, const char *name)
{
	int column = table_column(t, name);

	ck_assert_int_ge(column, 0);
	ck_assert_uint_lt(row, t->nr_rows);
	return &t->cells[row * t->nr_columns + (size_t)column];
}

static inline uint64_t summary(const struct table *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nr_summary && strcmp(t->summary[i].name, name) != 0; i++)
		;
	ck_assert_uint_lt(i, t->nr_summary);
	return t->summary[i].value.u;
}

#endif
