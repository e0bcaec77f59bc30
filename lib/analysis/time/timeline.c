// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: live memory over time.
 * In: changes of live bytes, by row, in time order. Out: live bytes at the ends of equal bins.
 */
#include "analysis/time/peak.h"

#include <stdlib.h>

#include "base/array.h"

void timeline_init(struct timeline *t, uint64_t first, uint64_t last, unsigned int bins)
{
	uint64_t span = last > first ? last - first : 0;

	t->first = first;
	t->bins = bins;
	t->width = bins ? span / bins + 1 : 0;
}

/* The row with that number; NULL: no memory. */
static struct timeline_row *row_of(struct timeline *t, uint32_t number)
{
	size_t need = (number + 1UL) * t->bins;

	if (likely(number < t->nr))
		return &t->rows[number];
	if (array_reserve(&t->rows, &t->capacity, number + 1UL, sizeof(*t->rows)) ||
	    array_reserve(&t->at, &t->at_capacity, need, sizeof(*t->at))) {
		t->failed = true;
		return NULL;
	}
	while (t->nr <= number)
		t->rows[t->nr++] = (struct timeline_row){ 0 };
	return &t->rows[number];
}

void timeline_change(struct timeline *t, uint32_t number, uint64_t ts, uint64_t more,
		     uint64_t less)
{
	struct timeline_row *row;
	uint64_t bin;

	if (likely(!t->bins))
		return;
	row = row_of(t, number);
	if (!row)
		return;
	/* Times outside the range, from a damaged recording, go to the first or last bin. */
	bin = ts > t->first ? (ts - t->first) / t->width : 0;
	while (row->nr < bin && row->nr < t->bins - 1)
		t->at[(size_t)number * t->bins + row->nr++] = row->live;
	row->live += more - less;
}

void timeline_settle(struct timeline *t, uint32_t number, uint64_t less)
{
	struct timeline_row *row = t->bins ? row_of(t, number) : NULL;

	if (!row)
		return;
	while (row->nr < t->bins - 1)
		t->at[(size_t)number * t->bins + row->nr++] = row->live;
	row->live -= less;
}

uint64_t timeline_at(const struct timeline *t, uint32_t number, unsigned int bin)
{
	if (number >= t->nr)
		return 0;
	if (bin < t->rows[number].nr)
		return t->at[(size_t)number * t->bins + bin];
	return t->rows[number].live;
}

void timeline_free(struct timeline *t)
{
	free(t->rows);
	free(t->at);
	*t = (struct timeline){ 0 };
}
