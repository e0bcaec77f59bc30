/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: k-way merge by time.
 * In: the time stamp at the head of each of N sequences. Out: which one is next.
 */
#ifndef KMEMX_RECORDING_MERGE_H
#define KMEMX_RECORDING_MERGE_H

#include <stdbool.h>
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
/* The earliest item, owned by @m until the next change; NULL if empty. */
const struct merge_item *merge_top(const struct merge *m);
/* The earliest sequence's head moved on to @ts: restores the order. */
void merge_replace_top(struct merge *m, uint64_t ts);
void merge_pop(struct merge *m);
/* Until which (ts, index) may the top sequence go on without looking at the others?
 * The second smallest item; false if the top is alone.
 */
bool merge_second(const struct merge *m, struct merge_item *second);
void merge_free(struct merge *m);

#endif
