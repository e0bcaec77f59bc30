// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: a value of each key that changes over time.
 * In: changes, in time order. Out: the value of a key at any time.
 */
#include "event/spans.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

int spans_add(struct spans *s, uint32_t key, uint64_t ts, uint32_t value)
{
	uint32_t *last;
	uint32_t rank;

	if (s->nr == UINT32_MAX ||
	    array_reserve(&s->of, &s->capacity, s->nr + 1, sizeof(*s->of)))
		return -ENOMEM;
	last = u64_map_insert(&s->last, key, UINT32_MAX);
	if (!last)
		return -ENOMEM;
	if (s->latest && *last != UINT32_MAX) {
		s->of[*last].value = value;
		return 0;
	}
	rank = *last == UINT32_MAX ? 0 : s->of[*last].rank + 1;
	s->of[s->nr] = (struct timed_value){ s->latest ? 0 : ts, key, value, rank };
	*last = (uint32_t)s->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct timed_value *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

void spans_sort(struct spans *s)
{
	if (s->nr)
		qsort(s->of, s->nr, sizeof(*s->of), compare);
	for (size_t i = 0; i < s->nr; i++)
		*u64_map_find(&s->last, s->of[i].key) = (uint32_t)i;
}

uint32_t spans_before(const struct timed_value *last, uint64_t ts)
{
	const struct timed_value *first = last - last->rank;
	uint32_t low = 0, high = last->rank;

	/* The first @low spans begin by then, those from @high on begin later. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (first[middle].ts <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? first[low - 1].value : 0;
}

void spans_free(struct spans *s)
{
	u64_map_free(&s->last);
	free(s->of);
}
