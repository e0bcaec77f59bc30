/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the join of several tables' rows, for diff.c.
 * In: the same table of several runs. Out: a value for each row, metric and run.
 */
#ifndef KMEMX_REPORT_DIFF_ROWS_H
#define KMEMX_REPORT_DIFF_ROWS_H

#include "base/hash.h"
#include "report/diff.h"

/**
 * struct diff_value - one metric of a row over all runs
 * @old, @new: medians; @p, @q: NAN where not tested
 * @uncertainty: uncertainty of the difference; @new_uncertainty: of @new; INFINITY: unbounded
 */
struct diff_value {
	double old, new;
	double old_spread, new_spread;
	double p, q;
	double uncertainty, new_uncertainty;
	bool same; /* the same value in all runs */
};

/* A value of a run, divided. @slack: its distance from its lower bound; @below, @above: how far an
 * estimate may be off.
 */
struct diff_number {
	double raw, slack, below, above;
};

/* @largest: the most that one event added, in any run, undivided; @in_old, @in_new: some run of the
 * side has the row.
 */
struct diff_row {
	double largest;
	bool in_old, in_new;
};

/**
 * struct diff_rows - the join
 * @keys: the rows' names; key n is row n - 1; the last row is the table's sum
 * @numbers: by row, metric, run; @missing: the rows do not have this metric
 * @values: by row and metric
 */
struct diff_rows {
	const struct diff_sides *sides;
	const struct diff_options *o;
	struct intern keys;
	size_t nr;
	struct diff_number *numbers;
	struct diff_row *rows;
	double *unseen; /* the most that a row may have and a sample miss: by metric, run */
	bool missing[DIFF_METRICS_MAX];
	struct diff_value *values;
	size_t nr_tests; /* for the main metric */
};

/* 0; -EINVAL; -ENOMEM. Call diff_rows_free() in any case. */
int diff_rows_init(struct diff_rows *d, const struct diff_sides *sides,
		   const struct diff_options *o) __must_check;
void diff_rows_free(struct diff_rows *d);
/* The value of run @run, divided; not NAN. */
double diff_rows_raw(const struct diff_rows *d, size_t row, size_t metric, size_t run);
const struct diff_value *diff_rows_value(const struct diff_rows *d, size_t row,
					 size_t metric);

/* @f as a whole number if it is one; CELL_NONE if it is not a number. */
struct cell diff_cell(double f, bool is_signed);

#endif
