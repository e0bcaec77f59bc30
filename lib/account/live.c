// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/live.h"

#define LIVE_FIRST_CAPACITY 1024
#define LIVE_NARROW_RANGE   (1ULL << 48)
/* Time stamps may step back a little, so the base lies this far before the first one. */
#define LIVE_BASE_BEFORE    (1ULL << 40)

/* Gives each time 8 bytes. False: no memory. */
static bool live_widen(struct live_table *t)
{
	uint64_t *wide = calloc(t->capacity, sizeof(*wide));
	uint32_t half[2];

	if (!wide)
		return false;
	for (size_t i = 0; i < t->capacity; i++) {
		uint64_t ts = t->entries[i].state == LIVE_EMPTY ? 0 : live_begin_at(t, i);

		half[0] = (uint32_t)ts;
		half[1] = (uint32_t)(ts >> 32);
		memcpy(&wide[i], half, sizeof(half));
	}
	free(t->begins);
	t->begins = (uint8_t *)wide;
	t->wide = true;
	t->base = 0;
	return true;
}

/* Handles the first time, one that does not fit in 6 bytes, and wide times. */
void live_set_begin_slow(struct live_table *t, size_t i, uint64_t ts)
{
	uint32_t half[2] = { (uint32_t)ts, (uint32_t)(ts >> 32) };

	if (!t->range) {
		t->base = less(ts, LIVE_BASE_BEFORE);
		t->range = LIVE_NARROW_RANGE;
		live_set_begin(t, &t->entries[i], ts);
	} else if (t->wide || live_widen(t)) {
		memcpy(t->begins + i * live_begin_size(t), half, sizeof(half));
	} else {
		t->failed = true;
	}
}

/* Puts @entry, which the table does not hold, into its place. */
static void live_put(struct live_table *t, const struct live_entry *entry, uint64_t begin)
{
	struct live_entry *place = live_probe(t, entry->key);

	*place = *entry;
	if (t->range)
		live_set_begin(t, place, begin);
}

/* Rehashes the entries of the first @old places into the doubled table.
 *
 * An entry's new home is its old one, or that plus @old. Within a cluster, entries are moved in
 * order: everything before one that keeps its home has been settled, and one that leaves goes to
 * the new half, which was empty. Only the cluster that wraps around the old end is set aside: its
 * part at the start comes last. Return: 0; -ENOMEM with the table unchanged.
 */
static int live_spread(struct live_table *t, size_t old)
{
	struct live_entry *aside;
	size_t size = live_begin_size(t), start = 0, i;
	struct live_table first = *t;

	while (t->entries[start].state != LIVE_EMPTY) /* it is never full */
		start++;
	aside = malloc((start + 1) * (sizeof(*aside) + size));
	if (!aside)
		return -ENOMEM;
	first.begins = (uint8_t *)(aside + start + 1);
	memcpy(aside, t->entries, start * sizeof(*aside));
	if (t->times)
		memcpy(first.begins, t->begins, start * size);
	memset(t->entries, 0, start * sizeof(*aside));
	t->capacity = 2 * old;
	for (i = start; i < old; i++) {
		struct live_entry entry = t->entries[i];

		if (entry.state == LIVE_EMPTY)
			continue;
		t->entries[i].state = LIVE_EMPTY;
		live_put(t, &entry, t->times ? live_begin_at(t, i) : 0);
	}
	for (i = 0; i < start; i++)
		live_put(t, &aside[i], t->times ? live_begin_at(&first, i) : 0);
	free(aside);
	return 0;
}

bool live_grow(struct live_table *t)
{
	size_t old = t->capacity, capacity = old ? 2 * old : LIVE_FIRST_CAPACITY;
	struct live_entry *entries;
	uint8_t *begins;

	/* For large sizes the C library has the kernel move pages instead of copying. */
	entries = reallocarray(t->entries, capacity, sizeof(*entries));
	if (!entries)
		return false;
	t->entries = entries;
	if (t->times) {
		begins = reallocarray(t->begins, capacity, live_begin_size(t));
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
	size_t size = live_begin_size(t), i = hole;

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
				memcpy(t->begins + hole * size, t->begins + i * size,
				       size);
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

/* An epoch has six bits. After 63 gaps all entries become old, which is rare enough to be cheap. */
void live_gap(struct live_table *t)
{
	if (++t->epoch < LIVE_EPOCH_OLD)
		return;
	t->epoch = 0;
	for (size_t i = 0; i < t->capacity; i++)
		t->entries[i].epoch = LIVE_EPOCH_OLD;
}

void live_free(struct live_table *t)
{
	free(t->entries);
	free(t->begins);
	*t = (struct live_table){ 0 };
}
