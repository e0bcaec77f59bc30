// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the set of addresses that events have spoken of.
 * In: slab pointers or page frame numbers. Out: what is known of each, at once.
 */
#include "analysis/live.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

static size_t live_home(const struct live_table *t, uint64_t key)
{
	return hash_u64(key) & (t->capacity - 1);
}

/* @key's entry, or the empty place where it belongs. */
static struct live_entry *live_probe(const struct live_table *t, uint64_t key)
{
	size_t i = live_home(t, key);

	while (t->entries[i].state != LIVE_EMPTY && t->entries[i].key != key)
		i = (i + 1) & (t->capacity - 1);
	return &t->entries[i];
}

static bool live_grow(struct live_table *t)
{
	struct live_table bigger = { .count = t->count, .epoch = t->epoch };
	size_t i;

	bigger.capacity = t->capacity ? t->capacity * 2 : 1024;
	bigger.entries = calloc(bigger.capacity, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (i = 0; i < t->capacity; i++) {
		if (t->entries[i].state != LIVE_EMPTY)
			*live_probe(&bigger, t->entries[i].key) = t->entries[i];
	}
	free(t->entries);
	*t = bigger;
	return true;
}

struct live_entry *live_find(const struct live_table *t, uint64_t key)
{
	struct live_entry *e;

	if (!t->capacity)
		return NULL;
	e = live_probe(t, key);
	return e->state == LIVE_EMPTY ? NULL : e;
}

struct live_entry *live_insert(struct live_table *t, uint64_t key)
{
	struct live_entry *e;

	if (t->count * 4 >= t->capacity * 3 && !live_grow(t))
		return NULL;
	e = live_probe(t, key);
	if (e->state == LIVE_EMPTY) {
		*e = (struct live_entry){ .key = key };
		t->count++; /* the caller gives it a state */
	}
	return e;
}

void live_remove(struct live_table *t, struct live_entry *entry)
{
	size_t mask = t->capacity - 1;
	size_t hole = (size_t)(entry - t->entries);
	size_t i = hole;

	/* Shift back every follower whose home does not lie between the hole and itself, so
	 * that no probe meets a hole before its goal.
	 */
	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (t->entries[i].state == LIVE_EMPTY)
			break;
		home = live_home(t, t->entries[i].key);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			t->entries[hole] = t->entries[i];
			hole = i;
		}
	}
	t->entries[hole].state = LIVE_EMPTY;
	t->count--;
}

struct live_entry *live_next(const struct live_table *t, struct live_entry *entry)
{
	size_t i = entry ? (size_t)(entry - t->entries) + 1 : 0;

	for (; i < t->capacity; i++) {
		if (t->entries[i].state != LIVE_EMPTY)
			return &t->entries[i];
	}
	return NULL;
}

/* Six bits count 63 gaps; then all entries are marked, which costs little at that rate. */
void live_gap(struct live_table *t)
{
	size_t i;

	if (++t->epoch < LIVE_EPOCH_OLD)
		return;
	t->epoch = 0;
	for (i = 0; i < t->capacity; i++)
		t->entries[i].epoch = LIVE_EPOCH_OLD;
}

void live_free(struct live_table *t)
{
	free(t->entries);
	*t = (struct live_table){ 0 };
}
