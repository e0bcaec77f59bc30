// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the lines of a summary that text shows.
 * In: a table's summary. Out: for each line whether it is shown.
 */
#include "report/text_layout.h"

#include <math.h>
#include <string.h>

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

/* Shows line @i and the lines that it is part of, if they are at most @room. Returns how many were
 * not shown before; 0: no room.
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
	size_t room = SUMMARY_LINES, i;

	if (view == SUMMARY_ALL || t->nr_summary <= SUMMARY_LINES) {
		memset(shown, true, t->nr_summary * sizeof(*shown));
		return 0;
	}
	memset(shown, false, t->nr_summary * sizeof(*shown));
	for (int rank = SUMMARY_TOTAL; rank >= SUMMARY_DETAIL; rank--) {
		for (i = 0; i < t->nr_summary; i++) {
			const struct summary_item *item = &t->summary[i];

			if ((int)item->rank == rank && !shown[i] && !is_empty(item))
				room -= show(t, i, room, shown);
		}
	}
	return t->nr_summary - (SUMMARY_LINES - room);
}
