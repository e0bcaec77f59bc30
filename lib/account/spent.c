// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/spent.h"

#include "base/array.h"

#define KEY_MAX 64

void spent_init(struct spent *s, size_t words)
{
	*s = (struct spent){ .words = words };
}

static void add(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] += from[i];
}

/* The key of the task of @v. */
static struct dimension_values task_key(const struct dimensions *dims,
					const struct dimension_values *v)
{
	struct dimension_values key = *v;

	for (int i = 0; i < DIMENSIONS_MAX; i++) {
		if (dims->of[i] == DIMENSION_STACK || dims->of[i] == DIMENSION_KMALLOC)
			key.of[i] = 0;
	}
	return key;
}

uint32_t spent_find(const struct spent *s, const struct dimensions *dims,
		    const struct dimension_values *v)
{
	const struct dimension_values key = task_key(dims, v);

	return intern_find(&s->keys, &key, sizeof(key));
}

/* Adds @tally to the sums of the task of @v. */
static int add_to_task(struct spent *s, const struct dimensions *dims,
		       const struct dimension_values *v, const uint64_t *tally,
		       uint64_t first)
{
	const struct dimension_values key = task_key(dims, v);
	uint32_t before = s->keys.count;
	uint32_t id = intern_id(&s->keys, &key, sizeof(key));

	if (!id ||
	    array_reserve(&s->sums, &s->sums_capacity, id, s->words * sizeof(*s->sums)) ||
	    array_reserve(&s->firsts, &s->firsts_capacity, id, sizeof(*s->firsts)))
		return -ENOMEM;
	if (id > before) {
		memset(s->sums + before * s->words, 0, s->words * sizeof(*s->sums));
		s->firsts[before] = first;
	} else if (first < s->firsts[id - 1]) {
		s->firsts[id - 1] = first;
	}
	add(s->sums + (id - 1) * s->words, tally, s->words);
	return 0;
}

/* Finds the new row of @row, itself or that of all tasks, and moves it there. */
static int move_row(struct spent *s, const struct dimensions *dims,
		    struct spent_rows *rows, uint32_t row, struct intern *keys)
{
	uint64_t *tally = rows->tallies + row * s->words;
	uint64_t key[KEY_MAX / sizeof(uint64_t)];
	struct row_tail tail;
	uint8_t *at = (uint8_t *)key + rows->key_size - sizeof(tail);
	uint32_t before = keys->count, id;

	memcpy(key, intern_get(rows->keys, row + 1, NULL), rows->key_size);
	memcpy(&tail, at, sizeof(tail));
	if (!rows->used[row] && !tail.all_tasks) {
		if (add_to_task(s, dims, &tail.dims, tally, rows->firsts[row]))
			return -ENOMEM;
		tail.dims.of[dimensions_find(dims, DIMENSION_PID)] = 0;
		tail.all_tasks = 1;
		memcpy(at, &tail, sizeof(tail));
	}
	id = intern_id(keys, key, rows->key_size);
	if (!id)
		return -ENOMEM;
	rows->now[row] = id - 1;
	/* Rows only become fewer, so the place written to was read before. */
	if (id > before) {
		memmove(rows->tallies + before * s->words, tally,
			s->words * sizeof(*tally));
		rows->firsts[before] = rows->firsts[row];
	} else {
		add(rows->tallies + (id - 1) * s->words, tally, s->words);
	}
	return 0;
}

int spent_sweep(struct spent *s, const struct dimensions *dims, struct spent_rows *rows)
{
	struct intern keys = { 0 };
	uint32_t nr = rows->keys->count, row;
	int ret = rows->key_size <= KEY_MAX ? 0 : -ENOMEM;

	for (row = 0; row < nr && !ret; row++)
		ret = move_row(s, dims, rows, row, &keys);
	intern_free(rows->keys);
	*rows->keys = keys;
	return ret;
}

void spent_free(struct spent *s)
{
	intern_free(&s->keys);
	free(s->sums);
	free(s->firsts);
	*s = (struct spent){ 0 };
}
