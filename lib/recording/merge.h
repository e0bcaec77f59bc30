/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: k-way merge by time.
 * In: the time stamp at the head of each of N sequences. Out: which one is next.
 */
#ifndef KMEMX_RECORDING_MERGE_H
#define KMEMX_RECORDING_MERGE_H

#include "base/compiler.h"

struct merge_item {
	uint64_t ts;
	uint32_t index; /* the sequence; ties go to the lower index */
};

/* The index of no sequence. */
#define MERGE_NONE UINT32_MAX

/**
 * struct merge - merge_init(), merge_add() for each sequence that has an item, merge_build()
 * @losers: nodes 1 to @size - 1 of a tree whose leaves, @size of them, are the sequences
 * @top: the winner
 */
struct merge {
	struct merge_item *losers;
	uint32_t size; /* a power of two */
	struct merge_item top;
};

/* For sequences 0 to @nr - 1, all empty at first. 0 or -ENOMEM. */
int merge_init(struct merge *m, uint32_t nr) __must_check;
/* Empties @m, keeping its memory. */
void merge_clear(struct merge *m);
/* Finds the earliest of the added items. */
void merge_build(struct merge *m);

/* Before merge_build(): the head of sequence @index, below merge_init()'s @nr, is at @ts. */
static inline void merge_add(struct merge *m, uint64_t ts, uint32_t index)
{
	m->losers[m->size + index] = (struct merge_item){ ts, index };
}

/* Does @a come before @b? Without a branch. */
static inline bool merge_before(const struct merge_item *a, const struct merge_item *b)
{
	return (a->ts < b->ts) | ((a->ts == b->ts) & (a->index < b->index));
}

/* Replays the path from leaf @leaf to the root with @item, the new head of the sequence that was
 * the top.
 */
static inline void merge_play(struct merge *m, uint32_t leaf, struct merge_item item)
{
	for (uint32_t node = (m->size + leaf) / 2; node; node /= 2) {
		struct merge_item loser = m->losers[node];
		bool wins = merge_before(&loser, &item);

		m->losers[node].ts = wins ? item.ts : loser.ts;
		m->losers[node].index = wins ? item.index : loser.index;
		item.ts = wins ? loser.ts : item.ts;
		item.index = wins ? loser.index : item.index;
	}
	m->top = item;
}

/* The earliest item, owned by @m until the next change; NULL if there is none. */
static inline const struct merge_item *merge_top(const struct merge *m)
{
	return m->top.index != MERGE_NONE ? &m->top : NULL;
}

/* Moves the earliest sequence, which exists, on to @ts. */
static inline void merge_replace_top(struct merge *m, uint64_t ts)
{
	merge_play(m, m->top.index, (struct merge_item){ ts, m->top.index });
}

/* With two sequences (@size is 2): moves the top on to @ts, after the other's head. Returns the
 * other, which is now the top.
 */
static inline struct merge_item merge_swap(struct merge *m, uint64_t ts)
{
	struct merge_item other = m->losers[1];

	m->losers[1] = (struct merge_item){ ts, m->top.index };
	m->top = other;
	return other;
}

/* Removes the earliest sequence, which has ended. */
void merge_pop(struct merge *m);

/* The second smallest item: the top sequence may continue up to its (ts, index) without looking at
 * the others. False if the top is alone.
 */
static inline bool merge_second(const struct merge *m, struct merge_item *second)
{
	struct merge_item least = { UINT64_MAX, MERGE_NONE };

	/* It lost only to the top, so it is on the top's path to the root. */
	for (uint32_t node = (m->size + m->top.index) / 2; node; node /= 2) {
		struct merge_item loser = m->losers[node];
		bool before = merge_before(&loser, &least);

		least.ts = before ? loser.ts : least.ts;
		least.index = before ? loser.index : least.index;
	}
	*second = least;
	return least.index != MERGE_NONE;
}

void merge_free(struct merge *m);

#endif
