// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: k-way merge by time, as a binary heap.
 * In: the time stamp at the head of each of N sequences. Out: which one is next.
 */
#include "recording/merge.h"

#include <errno.h>
#include <stdlib.h>

static bool before(const struct merge_item *a, const struct merge_item *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->index < b->index;
}

static void sift_down(struct merge *m)
{
	struct merge_item item = m->heap[0];
	uint32_t at = 0;

	for (;;) {
		uint64_t child = 2 * (uint64_t)at + 1;

		if (child >= m->count)
			break;
		if (child + 1 < m->count && before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!before(&m->heap[child], &item))
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
	while (at && before(&item, &m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = item;
	return 0;
}

const struct merge_item *merge_top(const struct merge *m)
{
	return m->count ? &m->heap[0] : NULL;
}

void merge_replace_top(struct merge *m, uint64_t ts)
{
	if (!m->count)
		return;
	m->heap[0].ts = ts;
	sift_down(m);
}

void merge_pop(struct merge *m)
{
	if (!m->count)
		return;
	m->heap[0] = m->heap[--m->count];
	if (m->count)
		sift_down(m);
}

bool merge_second(const struct merge *m, struct merge_item *second)
{
	if (m->count < 2)
		return false;
	*second = m->heap[1];
	if (m->count > 2 && before(&m->heap[2], second))
		*second = m->heap[2];
	return true;
}

void merge_free(struct merge *m)
{
	free(m->heap);
	*m = (struct merge){ 0 };
}
