/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: k-way merge by time.
 * In: the time stamp at the head of each of N sequences. Out: which one is next.
 */
#ifndef KMEMX_RECORDING_MERGE_H
#define KMEMX_RECORDING_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct merge_item {
	uint64_t ts;
	uint32_t index; /* the sequence; ties go to the lower index */
};

/* A binary heap; zero-initialise it. */
struct merge {
	struct merge_item *heap;
	uint32_t count;
	uint32_t capacity;
};

/* Adds sequence @index whose head is at @ts. 0 or -ENOMEM. */
int merge_push(struct merge *m, uint64_t ts, uint32_t index) __must_check;
/* Restores the order after the top's time stamp grew. */
void merge_settle(struct merge *m);

static inline bool merge_before(const struct merge_item *a, const struct merge_item *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->index < b->index;
}

/* The earliest item, owned by @m until the next change; NULL if empty. */
static inline const struct merge_item *merge_top(const struct merge *m)
{
	return m->count ? &m->heap[0] : NULL;
}

/* The earliest sequence's head moved on to @ts: restores the order. */
static inline void merge_replace_top(struct merge *m, uint64_t ts)
{
	struct merge_item *heap = m->heap, top;

	if (unlikely(!m->count))
		return;
	heap[0].ts = ts;
	if (m->count > 2) {
		merge_settle(m);
	} else if (m->count == 2 && merge_before(&heap[1], &heap[0])) {
		top = heap[0];
		heap[0] = heap[1];
		heap[1] = top;
	}
}

void merge_pop(struct merge *m);

/* Until which (ts, index) may the top sequence go on without looking at the others?
 * The second smallest item; false if the top is alone.
 */
static inline bool merge_second(const struct merge *m, struct merge_item *second)
{
	if (m->count < 2)
		return false;
	*second = m->heap[1];
	if (m->count > 2 && merge_before(&m->heap[2], second))
		*second = m->heap[2];
	return true;
}

void merge_free(struct merge *m);

#endif
