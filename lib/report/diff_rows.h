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
 * struct diff_value - one metric of a row, all runs
 * @old, @new: medians; @p, @q: NAN where not tested
 * @uncertainty: of the difference; @new_uncertainty: of @new; INFINITY: not bounded
 */
struct diff_value {
	double old, new;
	double old_spread, new_spread;
	double p, q;
	double uncertainty, new_uncertainty;
	bool same; /* in all runs */
};

/**
 * struct diff_rows - the join
 * @keys: the rows' names; number n is row n - 1, the last row is the table's sum
 * @raw: values by row, metric, run; @missing: the rows do not have this metric
 * @in_old, @in_new: in how many runs a row is
 * @values: by row and metric
 */
struct diff_rows {
	const struct diff_sides *sides;
	const struct diff_options *o;
	struct intern keys;
	size_t nr;
	double *raw;
	double *largest; /* by row: of all runs, undivided */
	double *slack;	 /* value less the least it can be: in the manner of @raw */
	/* How far the value of all may be from an estimate; in the manner of @raw. */
	double *below, *above;
	double *unseen; /* what a row may have that a sample lacks: by metric, run */
	bool missing[DIFF_METRICS_MAX];
	size_t *in_old, *in_new;
	struct diff_value *values;
	size_t nr_tests; /* of the main metric */
};

/* To be freed in any case. 0; -EINVAL; -ENOMEM. */
int diff_rows_init(struct diff_rows *d, const struct diff_sides *sides,
		   const struct diff_options *o) __must_check;
void diff_rows_free(struct diff_rows *d);
/* The value of run @run, divided; not NAN. */
double diff_rows_raw(const struct diff_rows *d, size_t row, size_t metric, size_t run);
const struct diff_value *diff_rows_value(const struct diff_rows *d, size_t row,
					 size_t metric);
/* Are there enough runs to distinguish a difference from chance? */
bool diff_can_tell(const struct diff_sides *sides);

/* @f as a whole number where it is one; NONE if it is none at all. */
struct cell diff_cell(double f, bool is_signed);

#endif
