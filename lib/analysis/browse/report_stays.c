// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: in which part of the time memory was allocated and ended, for a page.
 * In: sums by rows of the accounts. Out: sums by rows of the page, as many as it has room for.
 */
#include "analysis/browse/report_rows.h"

#include "base/array.h"

int report_stays_add(struct web_report *w, const struct stays *stays, enum memory memory,
		     const uint32_t *row_of)
{
	if (array_reserve(&w->stays, &w->stays_capacity, w->nr_stays + stays->nr,
			  sizeof(*w->stays)))
		return -ENOMEM;
	for (size_t i = 0; i < stays->nr; i++) {
		const struct stay *stay = &stays->stays[i];

		if (stay->memory == memory)
			w->stays[w->nr_stays++] =
				(struct web_stay){ row_of[stay->row], stay->begin,
						   stay->end, stay->bytes };
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct web_stay *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Adds up what has the same place. */
static void merge(struct web_report *w)
{
	size_t i, nr = 0;

	if (w->nr_stays)
		qsort(w->stays, w->nr_stays, sizeof(*w->stays), by_place);
	for (i = 0; i < w->nr_stays; i++) {
		if (nr && !by_place(&w->stays[nr - 1], &w->stays[i]))
			w->stays[nr - 1].bytes += w->stays[i].bytes;
		else
			w->stays[nr++] = w->stays[i];
	}
	w->nr_stays = nr;
}

void report_stays_end(struct web_report *w, uint64_t width)
{
	merge(w);
	while (width < w->width || w->nr_stays > WEB_REPORT_STAYS) {
		for (size_t i = 0; i < w->nr_stays; i++) {
			w->stays[i].begin /= 2;
			w->stays[i].end /= 2;
		}
		width *= 2;
		merge(w);
		if (width > w->width * w->nr_bins)
			break;
	}
	w->stay_bins = (uint32_t)(width / w->width);
}
