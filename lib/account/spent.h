/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): rows of tasks without live allocations.
 * In: the rows of an account. Out: fewer rows, and sums by task over all callsites.
 *
 * Rows by task and by everything else cost memory for each task that ever ran. Where tables are by
 * task alone, such a row says two things: what the task allocated, and what the callsite did. Once
 * it has nothing live and can no longer change, the two are added up separately: in the task's sums
 * here, and in a row of all tasks.
 */
#ifndef KMEMX_ACCOUNT_SPENT_H
#define KMEMX_ACCOUNT_SPENT_H

#include "account/dimension.h"
#include "base/hash.h"

/* The end of every key of an account's rows. */
struct row_tail {
	struct dimension_values dims;
	uint32_t all_tasks; /* 1: of many tasks, whose sums are in struct spent */
};

/**
 * struct spent - sums by task; spent_init() it
 * @keys: dimension_values of tasks, without callchain and size; number n has entry n - 1 of @sums
 *	and @firsts
 * @sums: one tally each, of @words numbers
 */
struct spent {
	size_t words;
	struct intern keys;
	uint64_t *sums;
	size_t sums_capacity;
	uint64_t *firsts;
	size_t firsts_capacity;
};

/**
 * struct spent_rows - the rows of an account, to be swept
 * @keys: of @key_size bytes, which end with struct row_tail
 * @tallies: of spent.words numbers each; @firsts: in the order of the rows
 * @used: for each row: some of it lives, or may turn out to have lived
 * @now: for each row: its number after the sweep
 */
struct spent_rows {
	struct intern *keys;
	size_t key_size;
	uint64_t *tallies;
	uint64_t *firsts;
	const bool *used;
	uint32_t *now;
};

/* @words: size of a tally, which consists of uint64_t only. */
void spent_init(struct spent *s, size_t words);
/* Turns unused rows into sums of @s and rows of all tasks. The rows stay in the order of their
 * first events. 0; -ENOMEM: the rows are void.
 */
int spent_sweep(struct spent *s, const struct dimensions *dims,
		struct spent_rows *rows) __must_check;
/* When to sweep next: a sweep looks at all entries. @room: how many entries fit. */
static inline size_t spent_limit(size_t rows, size_t room)
{
	size_t more = room / 16;

	return 2 * rows + (more > 512 ? more : 512);
}

/* The end of the key of row @row, from 0, in @keys; NULL: no such row. */
static inline const struct row_tail *row_tail_of(const struct intern *keys, uint32_t row)
{
	size_t size = 0;
	const uint8_t *key = intern_get(keys, row + 1, &size);

	return key ? (const struct row_tail *)(key + size - sizeof(struct row_tail))
		   : NULL;
}

/* The key of sum @i, from 0. */
static inline const struct dimension_values *spent_key(const struct spent *s, uint32_t i)
{
	return intern_get(&s->keys, i + 1, NULL);
}

/* The number of the sum of @v's task, from 1; 0: it has none. */
uint32_t spent_find(const struct spent *s, const struct dimensions *dims,
		    const struct dimension_values *v);

/* The tally of sum @i. */
static inline const void *spent_sum(const struct spent *s, uint32_t i)
{
	return s->sums + i * s->words;
}

void spent_free(struct spent *s);

#endif
