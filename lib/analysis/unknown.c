// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a recording without all frees cannot say.
 * In: finished tables. Out: the same without the numbers about what lives.
 */
#include "analysis/unknown.h"

#include <string.h>

#include "base/compiler.h"

/* Columns and items of summaries that begin so are about what lives. */
static bool about_lives(const char *name)
{
	static const char *const begins[] = { "net",
					      "peak",
					      "live",
					      "current_",
					      "bytes_net",
					      "bytes_live",
					      "bytes_wasted_live",
					      "waste_live",
					      "allocs_live",
					      "alloc_only" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static void blank_table(struct table *t)
{
	const struct cell none = { .type = CELL_NONE };
	size_t column, row, i;

	for (column = 0; column < t->nr_columns; column++) {
		if (!about_lives(t->columns[column].name))
			continue;
		for (row = 0; row < t->nr_rows; row++)
			t->cells[row * t->nr_columns + column] = none;
	}
	for (i = 0; i < t->nr_summary; i++)
		if (about_lives(t->summary[i].name))
			t->summary[i].value = none;
}

void unknown_blank(struct report *report)
{
	size_t i;

	for (i = 0; i < report->nr_tables; i++)
		blank_table(report->tables[i]);
}
