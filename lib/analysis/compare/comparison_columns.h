/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the columns of a comparison's tables.
 * In: sums. Out: cells. The first column names the row, the others are metrics; the summary has the
 * same metrics for the whole table.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_COLUMNS_H
#define KMEMX_ANALYSIS_COMPARISON_COLUMNS_H

#include "analysis/columns.h"
#include "analysis/row/estimate.h"
#include "report/diff.h"

/* A row of the table: everything with the same name. All are bytes except @hit and @implicit;
 * @bytes_req: bytes requested, 0 for pages.
 */
struct comparison_group {
	uint64_t bytes, hit, net_min, bytes_req;
	uint64_t live, peak, largest;
	uint64_t likely;   /* the best estimate of live bytes */
	uint64_t implicit; /* ends without an event */
};

/* Figures that have intervals in a sample: bytes, allocations, bytes live at the end. */
enum comparison_figure { FIGURE_BYTES, FIGURE_HIT, FIGURE_NET, COMPARISON_FIGURES };

/* Their intervals for all memory. */
struct comparison_intervals {
	struct estimate of[COMPARISON_FIGURES];
};

/* A row's data. @in: NULL if figures are not estimated. */
struct comparison_row {
	const char *name;
	const struct comparison_group *group;
	const struct comparison_intervals *in;
};

/* Columns for slab objects; for slab objects by ROWS(CACHE); for pages and areas. */
extern const struct column_type comparison_slab_columns[], comparison_cache_columns[],
	comparison_page_columns[];

/**
 * struct comparison_metrics - what can be compared, from the columns; static texts
 * @items, @nr: in the columns' order
 * @usual: is it shown by default?
 * @count, @largest: as in struct diff_options
 */
struct comparison_metrics {
	struct diff_metric items[DIFF_METRICS_MAX];
	bool usual[DIFF_METRICS_MAX];
	size_t nr, count;
	const char *largest;
};

/* In a sample: adds to the summary what a row missing in the sample may have. */
void comparison_add_missing(const struct comparison_intervals *all, struct table *t);
/* The metrics of all tables of comparisons: these have the same figures. */
void comparison_metrics(struct comparison_metrics *m);

#endif
