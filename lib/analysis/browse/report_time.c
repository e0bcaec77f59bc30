// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the time of a page.
 * In: bins of the sums over time. Out: the page's bins, with marks of losses and failures; as many
 * as its cells have room for.
 */
#include "analysis/browse/report_rows.h"

int report_time_fill(struct web_report *w, const struct over_time *t)
{
	w->marks = calloc(t->nr_bins, sizeof(*w->marks));
	if (!w->marks)
		return -ENOMEM;
	w->first = t->first;
	w->width = t->width;
	w->nr_bins = t->nr_bins;
	for (uint32_t i = 0; i < t->nr_bins; i++)
		w->marks[i] = (struct web_mark){ t->marks[i].lost, t->marks[i].gaps,
						 t->marks[i].failed };
	return 0;
}

void report_rows_halve(struct web_report *w)
{
	size_t i, k, nr = 0;

	for (i = 0; i < w->nr_rows; i++) {
		struct web_row *row = &w->rows[i];
		size_t first = nr;

		for (k = row->first; k < row->first + row->nr; k++) {
			struct web_cell cell = w->cells[k];
			struct web_cell *last = nr > first ? &w->cells[nr - 1] : NULL;

			cell.bin /= 2;
			if (!last || last->bin != cell.bin) {
				w->cells[nr++] = cell;
				continue;
			}
			last->hit += cell.hit;
			last->bytes_req += cell.bytes_req;
			last->bytes += cell.bytes;
			last->ended += cell.ended;
		}
		row->first = first;
		row->nr = nr - first;
	}
	w->nr_cells = nr;
	for (i = 0; i < w->nr_bins; i++) {
		struct web_mark *to = &w->marks[i / 2], from = w->marks[i];

		if (i % 2)
			*to = (struct web_mark){ to->lost + from.lost,
						 to->gaps + from.gaps,
						 to->failed + from.failed };
		else
			*to = from;
	}
	w->nr_bins = (w->nr_bins + 1) / 2;
	w->width *= 2;
}

void report_time_end(struct web_report *w, const struct analysis_env *env,
		     const struct report_parts *parts)
{
	w->last = env->last_ts;
	w->ns = recording_clocks_are_ns(env->rec);
	for (int i = 0; i < WEB_KINDS; i++)
		w->peak[i] = parts->peak->sides[report_memory((enum web_kind)i)].when;
	for (size_t k = 0; k < w->nr_rows; k++)
		w->live_at_peak[w->rows[k].kind] += w->rows[k].peak;
	while (w->nr_cells > WEB_REPORT_CELLS_MAX && w->nr_bins > 1)
		report_rows_halve(w);
}
