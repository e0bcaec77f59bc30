/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): the rows of a comparison for a page.
 * In: a table of diff_tables(). Out: plain rows, as many as fit into a page.
 */
#ifndef KMEMX_REPORT_WEB_DIFF_ROWS_H
#define KMEMX_REPORT_WEB_DIFF_ROWS_H

#include <stdint.h>

#include "report/web/web_diff.h"
#include "report/web/web_report.h"

/* Is a difference meaningful? It may be if it was not tested or is significant. */
enum web_diff_mark {
	WEB_DIFF_PLAIN,
	WEB_DIFF_CHANCE,
	WEB_DIFF_TOO_FEW,
	WEB_DIFF_ADDED_UP
};

/* A metric of a row. NAN: none; @uncertainty: INFINITY: unbounded. */
struct web_diff_value {
	double old, new, uncertainty, q;
	enum web_diff_mark mark;
};

/**
 * struct web_diff_rows - initialised by web_diff_rows_init()
 * @of: for each row the number of its name, or of its node if @stacks
 * @values: of all metrics of row 0, of row 1, ...
 * @left_out: rows that do not fit into the page
 */
struct web_diff_rows {
	uint32_t *of;
	struct web_diff_value *values;
	size_t nr, nr_metrics, capacity, values_capacity;
	size_t left_out;
	bool stacks;
};

/* Takes the rows of @t, which has the metrics of @o; adds their names to @names. 0 or -ENOMEM; free
 * it in any case.
 */
int web_diff_rows_init(struct web_diff_rows *r, const struct table *t,
		       const struct diff_options *o,
		       struct web_report *names) __must_check;
void web_diff_rows_free(struct web_diff_rows *r);

#endif
