/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: tables of several runs side by side. Knows nothing about the kernel.
 * In: the same table of old and of new runs. Out: a table of what changed.
 */
#ifndef KMEMX_REPORT_DIFF_H
#define KMEMX_REPORT_DIFF_H

#include "base/strbuf.h"
#include "report/table.h"

#define DIFF_METRICS_MAX  8
/* With fewer runs per side a test is impossible: of 3 and 3 runs, one order in ten is extreme. */
#define DIFF_RUNS_TO_TELL 4

/**
 * struct diff_metric - a column of numbers that is compared
 * @name: name of the column and of the summary item with the sum
 * @height: it does not add up, so it is not divided by the run's divisor
 * @least: the column and summary item with the value's lower bound; NULL: the value itself
 * @low, @high: the columns and summary items with the interval of a sampled value; tables of runs
 *	   that are not samples lack them
 * @missing: summary item of a sampled table: the most that a row may have and the sample miss
 */
struct diff_metric {
	const char *name, *title;
	enum column_unit unit;
	bool height;
	const char *least;
	const char *low, *high, *missing;
};

/**
 * struct diff_run - a table and how to interpret its numbers
 * @divisor: the divisor of all numbers; 1: none
 * @lost: events that may be missing from any row; INFINITY: unknown
 */
struct diff_run {
	const struct table *table;
	double divisor, lost;
};

/* All runs, the @nr_old old ones first. */
struct diff_sides {
	const struct diff_run *runs;
	size_t nr_old, nr;
};

/* Are there enough runs to tell a difference from chance? */
static inline bool diff_can_tell(const struct diff_sides *sides)
{
	return sides->nr_old >= DIFF_RUNS_TO_TELL &&
	       sides->nr - sides->nr_old >= DIFF_RUNS_TO_TELL;
}

/**
 * struct diff_options - what is compared and shown
 * @count: the metric that counts events: a lost event may add 1 to it
 * @largest: the column and summary item with the most that one event of a row added; a lost event
 *	     may add this much to the other metrics
 * @shown: metrics that text shows; the first one is the main metric, shown in full with a column of
 *	marks
 * @alpha: a difference is significant if its corrected p is at most this
 * @all: include rows in which no median of @shown changed
 */
struct diff_options {
	const struct diff_metric *metrics;
	size_t nr_metrics, count;
	size_t shown[DIFF_METRICS_MAX];
	size_t nr_shown;
	double alpha;
	const char *largest;
	bool all;
};

/**
 * diff_tables() - compare a table
 *
 * Rows are joined by the text of the column that table.by names; a row that is missing in a run
 * counts 0. For each metric M the result has M_old, M_new (medians), M_delta, M_pct (NONE from 0),
 * M_uncertainty (what losses and samples may account for; NONE: unbounded), M_new_uncertainty (of
 * M_new alone), and with several runs M_old_spread, M_new_spread, M_p, M_q (NONE: not tested) and
 * M_mark ("~": not significant, "?": too few runs to tell, else empty), which text shows after the
 * changes of all but the main metric. Columns "abs" (of the main metric), "values", "status" (new,
 * gone, same, changed), "mark" and the name.
 *
 * @out: the caller frees it. Return: 0; -EINVAL if a table lacks the columns; -ENOMEM.
 */
int diff_tables(const struct diff_sides *sides, const struct diff_options *o,
		struct table **out) __must_check;
/* The words that diff_sort_column() accepts, at most @max of them. Returns their number. */
size_t diff_sort_words(const struct diff_options *o, const char **words, size_t max);
/* Appends the column of diff_tables() for a user's @word. The change and the change in percent are
 * the main metric's; a metric's name means its new value. False: unknown word.
 */
bool diff_sort_column(const struct diff_options *o, const char *word,
		      struct strbuf *column);
/**
 * diff_matrices() - compare tables whose rows have their own order
 *
 * Rows are joined by the number in their first column, columns by name. Cells are differences of
 * medians; hidden columns NAME_old and NAME_new hold both sides.
 */
int diff_matrices(const struct diff_sides *sides, struct table **out) __must_check;
/* Appends a headline for a table of diff_tables(), like the kernel's bloat-o-meter: "add/remove:
 * 1/0 grow/shrink: 2/3 same: 4 up/down: 10/-20 (-10)".
 */
void diff_headline(const struct table *t, struct strbuf *out);

#endif
