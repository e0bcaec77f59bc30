/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the words that kmemx diff's options take.
 * In: the registry, the metrics of comparisons. Out: lists of words, and help made from them.
 */
#ifndef KMEMX_CMD_DIFF_WORDS_H
#define KMEMX_CMD_DIFF_WORDS_H

#include "analysis/compare/comparison_columns.h"
#include "analysis/row/subject.h"

/* The words of --by and --columns (each list ends in NULL), and the help of these options. */
struct diff_words {
	const char *kinds[SUBJECT_NR + 1], *metrics[DIFF_METRICS_MAX + 1];
	char by[128], columns[128];
};

struct diff_words diff_words(const struct comparison_metrics *m);
/* The words for rows that --by and -s take. Returns how many. */
size_t diff_row_words(const char *words[SUBJECT_NR]);

#endif
