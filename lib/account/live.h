/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the table of addresses that events name.
 * In: slab pointers or page frame numbers. Out: what is known about each.
 */
#ifndef KMEMX_ACCOUNT_LIVE_H
#define KMEMX_ACCOUNT_LIVE_H

#include "base/hash.h"

enum live_state {
	LIVE_EMPTY, /* only in a fresh entry */
	LIVE_ALLOCATED,
	LIVE_FREED, /* its last event was a free */
};

/**
 * struct live_entry - one address; 24 bytes, so that a million fit in 32 to 64 MB
 * @bytes_req, @bytes_alloc: of a live slab object
 * @ts: when the slab object was freed, or the event of a doubt
 * @split, @doubt: of a page block: index of its request's struct page_split, or 0; the doubt about
 *	it, enum page_doubt_kind, or 0
 * @row: the row of its allocation; with LIVE_HIDDEN if a filter hides it
 * @cpu: where it was allocated, truncated to 16 bits
 * @order: of page blocks, and of doubts about them
 * @flags: doubts about a slab object
 * @epoch: the table's epoch when the entry was made; see live_is_recent()
 * @kind, @again: of a doubt, instead of an epoch; see page_lives.h
 */
struct live_entry {
	uint64_t key;
	union {
		struct {
			uint32_t bytes_req, bytes_alloc;
		};
		struct {
			uint32_t split, doubt;
		};
		uint64_t ts;
	};
	uint32_t row;
	uint16_t cpu;
	union {
		uint8_t order;
		uint8_t flags;
	};
	union {
		struct {
			uint8_t state : 2;
			uint8_t epoch : 6;
		};
		struct {
			uint8_t : 2;
			uint8_t kind : 3;
			uint8_t again : 1;
		};
	};
};

/* Bit of a row: the user's filter hides the allocation. */
#define LIVE_HIDDEN (1U << 31)

_Static_assert(sizeof(struct live_entry) == 24, "what the documentation promises");

/* Open addressing, linear probing; zero-initialise it. A small table is at most half full, which
 * keeps probes short; the largest one grows to 768 KiB. A large table is at most 13/16 full: just
 * after growing, it takes 2 * 24 * 16/13 = 59 bytes per address, or 63 per live object, because at
 * most one address in 16 is freed then.
 */
struct live_table {
	struct live_entry *entries;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
	size_t limit;	 /* the count at which it has to grow */
	uint8_t *begins; /* with @times: the begin time of each entry */
	uint64_t base;	 /* added to each of @begins */
	uint64_t range;	 /* all of @begins are less than this; 0 at first */
	bool times;	 /* to be set before the first entry */
	bool wide;	 /* times take 8 bytes, not 6 */
	bool failed;	 /* a time is missing because memory ran out */
	uint8_t epoch;	 /* gaps so far, modulo LIVE_EPOCH_OLD; new entries carry it */
};

/* Bytes of an entry's time. 6 hold three days in nanoseconds, and cost at most 15 bytes per live
 * object of a large table (8 would cost 20), or 192 KiB of a small one.
 */
static inline size_t live_begin_size(const struct live_table *t)
{
	return t->wide ? 8 : 6;
}

#define LIVE_EPOCH_OLD 63 /* epoch of entries made many gaps ago */

#define LIVE_SMALL_CAPACITY 16384

static inline bool live_is_small(const struct live_table *t)
{
	return t->capacity <= LIVE_SMALL_CAPACITY;
}

/* The hash of @key, which does not depend on the table; callers may keep it. */
static inline uint32_t live_hash(uint64_t key)
{
	return (uint32_t)hash_address(key);
}

static inline size_t live_home(const struct live_table *t, uint64_t key)
{
	return live_hash(key) & (t->capacity - 1);
}

/* The entry of @key, whose live_hash() is @hash, or the empty place where it belongs. The table
 * must have capacity.
 */
static inline struct live_entry *live_probe_hash(const struct live_table *t, uint64_t key,
						 uint32_t hash)
{
	size_t i = hash & (t->capacity - 1);

	while (t->entries[i].state != LIVE_EMPTY && t->entries[i].key != key)
		i = (i + 1) & (t->capacity - 1);
	return &t->entries[i];
}

static inline struct live_entry *live_probe(const struct live_table *t, uint64_t key)
{
	return live_probe_hash(t, key, live_hash(key));
}

/* The entry of @key, valid until the next insertion or removal; NULL if absent. */
static inline struct live_entry *live_find(const struct live_table *t, uint64_t key)
{
	struct live_entry *e;

	if (!t->capacity)
		return NULL;
	e = live_probe(t, key);
	return e->state == LIVE_EMPTY ? NULL : e;
}

/* Prefetches the entry at live_hash() @hash for use a few events later. The table must have
 * capacity. Always inline: GCC drops calls to functions without side effects.
 */
static __always_inline void live_prefetch(const struct live_table *t, uint32_t hash)
{
	const struct live_entry *home = &t->entries[hash & (t->capacity - 1)];

	__builtin_prefetch(home, 1);
	/* The entry's end may be in the next cache line. */
	__builtin_prefetch((const char *)(home + 1) - 1, 1);
}

/* Will the next insertion grow the table? */
static inline bool live_full(const struct live_table *t)
{
	return t->count >= t->limit;
}

/* Doubles the table in place, without a second copy. False: no memory. */
bool live_grow(struct live_table *t) __must_check;

/* Finds or adds an entry of a table that is not full. A new one has state LIVE_EMPTY. */
static inline struct live_entry *live_add_hash(struct live_table *t, uint64_t key,
					       uint32_t hash)
{
	struct live_entry *e = live_probe_hash(t, key, hash);

	if (e->state == LIVE_EMPTY) {
		*e = (struct live_entry){ .key = key };
		t->count++; /* the caller gives it a state */
	}
	return e;
}

/* The same, but grows a full table. NULL if memory ran out. */
static inline struct live_entry *live_insert_hash(struct live_table *t, uint64_t key,
						  uint32_t hash)
{
	if (unlikely(live_full(t)) && !live_grow(t))
		return NULL;
	return live_add_hash(t, key, hash);
}

static inline struct live_entry *live_insert(struct live_table *t, uint64_t key)
{
	return live_insert_hash(t, key, live_hash(key));
}

/* The time in place @i of a table that keeps times. */
static inline uint64_t live_begin_at(const struct live_table *t, size_t i)
{
	const uint8_t *p = t->begins + i * live_begin_size(t);
	uint32_t low, high = 0;
	uint16_t half;

	memcpy(&low, p, sizeof(low));
	if (unlikely(t->wide)) {
		memcpy(&high, p + sizeof(low), sizeof(high));
	} else {
		memcpy(&half, p + sizeof(low), sizeof(half));
		high = half;
	}
	return t->base + ((uint64_t)high << 32 | low);
}

/* When @entry's life began; 0 if the table keeps no times. */
static inline uint64_t live_begin(const struct live_table *t,
				  const struct live_entry *entry)
{
	return t->times ? live_begin_at(t, (size_t)(entry - t->entries)) : 0;
}

void live_set_begin_slow(struct live_table *t, size_t i, uint64_t ts);

static inline void live_set_begin(struct live_table *t, const struct live_entry *entry,
				  uint64_t ts)
{
	size_t i = (size_t)(entry - t->entries);
	uint64_t since = ts - t->base;
	uint32_t low = (uint32_t)since;
	uint16_t half = (uint16_t)(since >> 32);
	uint8_t *p;

	if (likely(!t->times))
		return;
	if (unlikely(t->wide || since >= t->range)) {
		live_set_begin_slow(t, i, ts);
		return;
	}
	p = t->begins + i * live_begin_size(t);
	memcpy(p, &low, sizeof(low));
	memcpy(p + sizeof(low), &half, sizeof(half));
}

void live_remove_slow(struct live_table *t, struct live_entry *entry);
/* Removes an entry that live_find() returned; moves others. */
static inline void live_remove(struct live_table *t, struct live_entry *entry)
{
	size_t next = ((size_t)(entry - t->entries) + 1) & (t->capacity - 1);

	if (t->entries[next].state != LIVE_EMPTY) {
		live_remove_slow(t, entry);
		return;
	}
	entry->state = LIVE_EMPTY;
	t->count--;
}

/* Iteration in no particular order: start with NULL; NULL at the end. */
struct live_entry *live_next(const struct live_table *t, struct live_entry *entry);
/* Records a gap in the events: existing entries are no longer recent. */
void live_gap(struct live_table *t);
/* Was @entry made after the last gap? */
static inline bool live_is_recent(const struct live_table *t,
				  const struct live_entry *entry)
{
	return entry->epoch == t->epoch;
}
void live_free(struct live_table *t);

#endif
