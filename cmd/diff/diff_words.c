// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the words that kmemx diff's options take.
 * In: the registry, the metrics of comparisons. Out: lists of words, and help made from them.
 */
#include "cmd/diff/diff_words.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analysis/pass/registry.h"

/* What rows can stand for in any analysis of that use: a set of ROWS(). */
static uint32_t rows_of(enum analysis_use use)
{
	const struct analysis *analysis;
	uint32_t rows = 0;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++)
		rows |= analysis->use == use ? analysis->rows : 0;
	return rows;
}

size_t diff_row_words(const char *words[SUBJECT_NR])
{
	uint32_t rows = rows_of(ANALYSIS_DIFF);
	unsigned int kind;
	size_t nr = 0;

	for (kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++) {
		if (rows >> kind & 1)
			words[nr++] = subjects_word(kind);
	}
	return nr;
}

static void join(char *to, size_t size, const char *text)
{
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%s", text);
}

/* Makes help texts such as "callsite,stack,dir" and "bytes,hit: the first in full". */
struct diff_words diff_words(const struct comparison_metrics *m)
{
	struct diff_words w = { .by = "" };
	size_t nr = diff_row_words(w.kinds), i;

	for (i = 0; i < nr; i++) {
		join(w.by, sizeof(w.by), i ? "," : "");
		join(w.by, sizeof(w.by), w.kinds[i]);
	}
	for (i = 0; i < m->nr; i++) {
		w.metrics[i] = m->items[i].name;
		join(w.columns, sizeof(w.columns), i ? "," : "");
		join(w.columns, sizeof(w.columns), m->items[i].name);
	}
	join(w.columns, sizeof(w.columns), ": the first in full");
	return w;
}
