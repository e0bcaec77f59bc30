// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: k-way merge by time, as a binary heap.
 * In: the time stamp at the head of each of N sequences. Out: which one is next.
 */
#include "recording/merge.h"

#include <errno.h>
#include <stdlib.h>

void merge_settle(struct merge *m)
{
	struct merge_item item = m->heap[0];
	uint32_t at = 0;

	for (;;) {
		uint64_t child = 2 * (uint64_t)at + 1;

		if (child >= m->count)
			break;
		if (child + 1 < m->count &&
		    merge_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!merge_before(&m->heap[child], &item))
			break;
		m->heap[at] = m->heap[child];
		at = (uint32_t)child;
	}
	m->heap[at] = item;
}

int merge_push(struct merge *m, uint64_t ts, uint32_t index)
{
	struct merge_item item = { ts, index };
	uint32_t at = m->count;

	if (m->count == m->capacity) {
		uint32_t capacity = m->capacity ? m->capacity * 2 : 16;
		struct merge_item *heap;

		if (capacity < m->capacity)
			return -ENOMEM;
		heap = reallocarray(m->heap, capacity, sizeof(*heap));
		if (!heap)
			return -ENOMEM;
		m->heap = heap;
		m->capacity = capacity;
	}
	m->count++;
	while (at && merge_before(&item, &m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = item;
	return 0;
}

void merge_pop(struct merge *m)
{
	if (!m->count)
		return;
	m->heap[0] = m->heap[--m->count];
	if (m->count)
		merge_settle(m);
}

void merge_free(struct merge *m)
{
	free(m->heap);
	*m = (struct merge){ 0 };
}
