/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the columns of a comparison's tables.
 * In: sums. Out: cells. The first column names the row, the others are metrics, and the
 * summary has the same of the whole table under these names.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_COLUMNS_H
#define KMEMX_ANALYSIS_COMPARISON_COLUMNS_H

#include <stdint.h>

#include "analysis/columns.h"
#include "analysis/estimate.h"
#include "report/diff.h"

/* A row of the table: whatever has one name. Bytes, but for @hit and @implicit; @bytes_req:
 * those asked for, 0 for pages.
 */
struct comparison_group {
	uint64_t bytes, hit, net_min, bytes_req;
	uint64_t live, peak, largest;
	uint64_t implicit; /* ends without an event */
};

/* Of a sample: intervals of what a row has in all memory. */
struct comparison_intervals {
	struct estimate bytes, hit, net;
};

/* What a row is made from. @in: NULL: figures are not estimated. */
struct comparison_row {
	const char *name;
	const struct comparison_group *group;
	const struct comparison_intervals *in;
};

/* Of objects by ROWS(CALLSITE), (STACK), (MODULE), (DIR); by ROWS(CACHE); of pages. */
extern const struct column_type comparison_slab_columns[], comparison_cache_columns[],
	comparison_page_columns[];

/**
 * struct comparison_metrics - what the columns say that there is to compare; static texts
 * @items, @nr: in the columns' order
 * @usual: is it shown where nobody chooses?
 * @count, @largest: as in struct diff_options
 */
struct comparison_metrics {
	struct diff_metric items[DIFF_METRICS_MAX];
	bool usual[DIFF_METRICS_MAX];
	size_t nr, count;
	const char *largest;
};

/* Of a sample: adds to the summary what a row may have that has nothing in the sample. */
void comparison_add_missing(const struct comparison_intervals *all, struct table *t);
/* Of all tables of comparisons: they have the same figures. */
void comparison_metrics(struct comparison_metrics *m);

#endif
