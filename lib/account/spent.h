/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): rows by task of which nothing lives.
 * In: the rows of an account. Out: fewer rows, and what each task had, whatever the callsite.
 *
 * A row by task and by all else that an account distinguishes costs memory for each task that
 * ever ran. Where tables are by task alone, it says two things: what the task allocated, and what
 * the callsite did. Once nothing of it lives, and its bounds depend on nothing any more, the two
 * are added up apart: to the task's sums here, and to a row of all tasks.
 */
#ifndef KMEMX_ACCOUNT_SPENT_H
#define KMEMX_ACCOUNT_SPENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/dimension.h"
#include "account/event_place.h"
#include "base/compiler.h"
#include "base/hash.h"

/* The end of every key of an account's rows. */
struct row_tail {
	struct dimension_values dims;
	uint32_t all_tasks; /* 1: what was of many tasks, whose sums are struct spent's */
};

/**
 * struct spent - sums by task; spent_init() it
 * @lock: parts of an account (event/parts.h) have it together
 * @keys: dimension_values of tasks, without callchain and size; number n has the sums and the
 *	  first event n - 1
 * @sums: a tally each, of @words numbers
 */
struct spent {
	pthread_mutex_t lock;
	size_t words;
	struct intern keys;
	uint64_t *sums;
	size_t sums_capacity;
	struct event_place *firsts;
	size_t firsts_capacity;
};

/**
 * struct spent_rows - the rows of an account, to be swept
 * @keys: of @key_size bytes, which end with struct row_tail
 * @tallies: of spent.words numbers each; @firsts: in the order of the rows
 * @used: of each row: something lives of it, or may turn out to have lived
 * @now: of each row what its number is after the sweep
 */
struct spent_rows {
	struct intern *keys;
	size_t key_size;
	uint64_t *tallies;
	struct event_place *firsts;
	const bool *used;
	uint32_t *now;
};

/* @words: of a tally, a struct that has nothing but uint64_t. */
void spent_init(struct spent *s, size_t words);
/* Rows that are not used become sums of @s and rows of all tasks. The rows stay in the order of
 * their first events. 0; -ENOMEM: they are void.
 */
int spent_sweep(struct spent *s, const struct dimensions *dims,
		struct spent_rows *rows) __must_check;
/* When to sweep next: a sweep looks at all that lives. @room: for how many things there is. */
static inline size_t spent_limit(size_t rows, size_t room)
{
	size_t more = room / 16;

	return 2 * rows + (more > 512 ? more : 512);
}

/* The end of the key of row @row, from 0, of those in @keys; NULL: there is none. */
static inline const struct row_tail *row_tail_of(const struct intern *keys, uint32_t row)
{
	size_t size = 0;
	const uint8_t *key = intern_get(keys, row + 1, &size);

	return key ? (const struct row_tail *)(key + size - sizeof(struct row_tail))
		   : NULL;
}

/* Whose sums number @i, from 0, are. */
static inline const struct dimension_values *spent_key(const struct spent *s, uint32_t i)
{
	return intern_get(&s->keys, i + 1, NULL);
}

/* The tally of that number. */
static inline const void *spent_sum(const struct spent *s, uint32_t i)
{
	return s->sums + i * s->words;
}

/* As array_own(), of sums that were copied. */
void spent_own(struct spent *s, bool *failed);
void spent_free(struct spent *s);

#endif
