// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: what follows a table: a line that explains its short words, and its summary.
 * In: words with their meanings, rows; the lines of a summary. Out: lines of text.
 */
#include <math.h>

#include "base/array.h"
#include "report/table.h"
#include "report/text_layout.h"

void table_add_legend(struct table *t, const char *word, const char *meaning)
{
	const struct cell cells[] = { cell_text(t, word), cell_text(t, meaning) };

	if (t->failed || ARRAY_ADD(t->legend, t->nr_legend,
				   (struct legend_item){ cells[0].s, cells[1].s }))
		t->failed = true;
}

static bool is_used(const struct table *t, size_t column, size_t nr_rows,
		    const char *word)
{
	const char *last = NULL;

	for (size_t row = 0; row < nr_rows; row++) {
		const struct cell *cell = &t->cells[row * t->nr_columns + column];

		/* Equal texts have the same address. */
		if (cell->type != CELL_TEXT || cell->s == last)
			continue;
		if (text_has_word(cell->s, '|', word))
			return true;
		last = cell->s;
	}
	return false;
}

bool table_legend(const struct table *t, size_t nr_rows, struct strbuf *out)
{
	int column = t->legend_of ? table_column(t, t->legend_of) : -1;
	bool any = false;

	for (size_t i = 0; column >= 0 && i < t->nr_legend; i++) {
		const struct legend_item *item = &t->legend[i];

		if (!is_used(t, (size_t)column, nr_rows, item->word))
			continue;
		if (!any)
			strbuf_printf(out, "%s:", t->legend_title);
		strbuf_printf(out, "%s%s %s", any ? "  " : " ", item->word,
			      item->meaning);
		any = true;
	}
	return any;
}

/* --- the lines of a summary that text shows ----------------------------------------- */

static size_t indent(const struct summary_item *item)
{
	return strspn(item->title, " ");
}

/* An unknown total is shown: it says that frees were not recorded. */
static bool is_empty(const struct summary_item *item)
{
	double value = cell_as_real(&item->value);

	return isnan(value) ? item->rank < SUMMARY_TOTAL : value == 0;
}

/* Shows line @i and the lines that it is part of, unless that takes more than @room new lines.
 * Returns the number of new lines; 0: no room.
 */
static size_t show(const struct table *t, size_t i, size_t room, bool *shown)
{
	size_t lines[SUMMARY_LINES], nr = 0, depth = indent(&t->summary[i]) + 1, j;

	for (j = i + 1; j-- && depth;) {
		if (indent(&t->summary[j]) >= depth)
			continue;
		depth = indent(&t->summary[j]);
		if (shown[j])
			continue;
		if (nr == room)
			return 0;
		lines[nr++] = j;
	}
	for (j = 0; j < nr; j++)
		shown[lines[j]] = true;
	return nr;
}

size_t summary_lines_choose(const struct table *t, enum summary_view view, bool *shown)
{
	size_t room = SUMMARY_LINES;

	if (view == SUMMARY_ALL || t->nr_summary <= SUMMARY_LINES) {
		memset(shown, true, t->nr_summary * sizeof(*shown));
		return 0;
	}
	memset(shown, false, t->nr_summary * sizeof(*shown));
	for (int rank = SUMMARY_TOTAL; rank >= SUMMARY_DETAIL; rank--) {
		for (size_t i = 0; i < t->nr_summary; i++) {
			const struct summary_item *item = &t->summary[i];

			if ((int)item->rank == rank && !shown[i] && !is_empty(item))
				room -= show(t, i, room, shown);
		}
	}
	return t->nr_summary - (SUMMARY_LINES - room);
}
