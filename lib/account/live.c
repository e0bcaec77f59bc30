// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the set of addresses that events have spoken of.
 * In: slab pointers or page frame numbers. Out: what is known of each, at once.
 */
#include "account/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define LIVE_FIRST_CAPACITY 1024

/* Puts @entry, which the table does not hold, into its place. */
static void live_put(struct live_table *t, const struct live_entry *entry, uint64_t begin)
{
	struct live_entry *place = live_probe(t, entry->key);

	*place = *entry;
	live_set_begin(t, place, begin);
}

/* Gives the entries of the first @old places their places in the whole table.
 *
 * An entry's new home is its old one, or that plus @old. Taken in order from the start of a
 * cluster, an entry that keeps its home finds everything before it settled already, and one
 * that leaves goes to a part that was empty. Only the cluster that wraps around the old end
 * has to be set aside: its rest at the start comes last. Return: 0; -ENOMEM with the table
 * as it was.
 */
static int live_spread(struct live_table *t, size_t old)
{
	struct live_entry *aside;
	uint64_t *begins;
	size_t start = 0, i;

	while (t->entries[start].state != LIVE_EMPTY) /* it is never full */
		start++;
	aside = malloc((start + 1) * (sizeof(*aside) + sizeof(*begins)));
	if (!aside)
		return -ENOMEM;
	begins = (uint64_t *)(aside + start + 1);
	memcpy(aside, t->entries, start * sizeof(*aside));
	if (t->times)
		memcpy(begins, t->begins, start * sizeof(*begins));
	memset(t->entries, 0, start * sizeof(*aside));
	t->capacity = 2 * old;
	for (i = start; i < old; i++) {
		struct live_entry entry = t->entries[i];

		if (entry.state == LIVE_EMPTY)
			continue;
		t->entries[i].state = LIVE_EMPTY;
		live_put(t, &entry, t->times ? t->begins[i] : 0);
	}
	for (i = 0; i < start; i++)
		live_put(t, &aside[i], t->times ? begins[i] : 0);
	free(aside);
	return 0;
}

bool live_grow(struct live_table *t)
{
	size_t old = t->capacity, capacity = old ? 2 * old : LIVE_FIRST_CAPACITY;
	struct live_entry *entries;
	uint64_t *begins;

	/* For large sizes the C library has the kernel move pages instead of copying. */
	entries = reallocarray(t->entries, capacity, sizeof(*entries));
	if (!entries)
		return false;
	t->entries = entries;
	if (t->times) {
		begins = reallocarray(t->begins, capacity, sizeof(*begins));
		if (!begins)
			return false;
		t->begins = begins;
	}
	memset(entries + old, 0, (capacity - old) * sizeof(*entries));
	if (!old)
		t->capacity = capacity;
	else if (live_spread(t, old))
		return false;
	t->limit = live_is_small(t) ? capacity / 2 : capacity / 16 * 13;
	return true;
}

void live_remove_slow(struct live_table *t, struct live_entry *entry)
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
			if (t->times)
				t->begins[hole] = t->begins[i];
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
	free(t->begins);
	*t = (struct live_table){ 0 };
}

void live_own(struct live_table *t, bool *failed)
{
	array_own(&t->entries, t->capacity, sizeof(*t->entries), failed);
	array_own(&t->begins, t->begins ? t->capacity : 0, sizeof(*t->begins), failed);
}
