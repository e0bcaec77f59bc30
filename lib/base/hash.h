/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: hash functions, a map from u64 to u32, and the interning of byte strings.
 * In: keys. Out: small dense numbers that stand for them.
 */
#ifndef KMEMX_BASE_HASH_H
#define KMEMX_BASE_HASH_H

#include "base/compiler.h"

/* Finaliser of MurmurHash3 (Austin Appleby, public domain): every input bit affects every output
 * bit. Addresses need this, because they differ in few bits.
 */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	x ^= x >> 33;
	return x;
}

/* An odd number by which the functions below multiply. With a known value, a recording could be
 * made whose keys all collide, so that each is compared with all others: hash_keep_secret() chooses
 * another value for each run. Without that call, it is the same in every run, as tests need.
 */
extern uint64_t hash_secret;

/* Chooses hash_secret at random; call it before any table exists. If the system has no random
 * numbers, nothing changes.
 */
void hash_keep_secret(void);

/* XORs the halves of a 128-bit product: each bit of @x affects the low half in a way that depends
 * on the secret.
 */
static inline uint64_t hash_fold(uint64_t x)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)x * hash_secret;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	x *= hash_secret;
	x = (x ^ x >> 32) * hash_secret;
	return x ^ x >> 32;
#endif
}

#define HASH_GOLDEN 0x9e3779b97f4a7c15ULL /* 2^64 divided by the golden ratio */

/* For tables of addresses and frame numbers, which use the low half of the result. The golden ratio
 * separates neighbours, whatever the secret is (Knuth, TAOCP 3, 6.4).
 */
static inline uint64_t hash_address(uint64_t x)
{
	x *= HASH_GOLDEN;
	return hash_fold(x ^ x >> 32);
}

/* The result differs from run to run. */
uint64_t hash_bytes(const void *data, size_t size);

/**
 * struct u64_map - open-addressing map from uint64_t to a uint32_t; zero-initialise it
 *
 * Single keys cannot be removed. Every key value is allowed, 0 too.
 */
struct u64_map {
	struct u64_map_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

struct u64_map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

/* @key's slot, or the empty one for it. The map must have slots; it is never full. */
static inline struct u64_map_slot *u64_map_slot(const struct u64_map *map, uint64_t key)
{
	size_t i = hash_address(key) & (map->capacity - 1);

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & (map->capacity - 1);
	return &map->slots[i];
}

/* The address of the value, valid until the next insertion; NULL if @key is absent. */
static inline uint32_t *u64_map_find(const struct u64_map *map, uint64_t key)
{
	struct u64_map_slot *slot;

	if (!map->count)
		return NULL;
	slot = u64_map_slot(map, key);
	return slot->used ? &slot->value : NULL;
}

/* The used slots, map->count of them, sorted by key; the caller frees them. NULL if memory ran out.
 * The map's own order differs from run to run.
 */
struct u64_map_slot *u64_map_sorted(const struct u64_map *map);
/* Finds @key or inserts it with @value. NULL if memory ran out. */
uint32_t *u64_map_insert(struct u64_map *map, uint64_t key, uint32_t value);
/* Removes all keys. */
void u64_map_clear(struct u64_map *map);
void u64_map_free(struct u64_map *map);
/* A local map with this is freed when its block is left. */
#define __auto_map __attribute__((cleanup(u64_map_free)))

/**
 * struct intern - gives equal byte strings the same small number; zero-initialise it
 *
 * Numbers start at 1 and are dense; 0 means no string. Memory grows only with distinct content,
 * which never moves.
 */
struct intern {
	struct intern_entry *entries; /* entries[id - 1] */
	uint32_t count;
	uint32_t *slots;
	size_t nr_slots;
	struct intern_block *block; /* the last one, with all contents before @room */
	uint8_t *room;
	size_t room_size;
	size_t contents_size; /* of all blocks */
};

/* Contents, 8-byte aligned. */
struct intern_block {
	struct intern_block *before;
	_Alignas(8) uint8_t bytes[];
};

struct intern_entry {
	const uint8_t *content;
	uint32_t hash;
	uint32_t size;
};

/* The number of the @size bytes at @data (size at most 1 GiB); 0 if memory ran out. */
uint32_t intern_id(struct intern *in, const void *data, size_t size);
/* The number of these bytes if they have one, else 0; adds nothing. */
uint32_t intern_find(const struct intern *in, const void *data, size_t size);
/* Content of @id, 8-byte aligned and followed by a NUL byte; valid until intern_free(). NULL
 * for 0 and for unknown ids. @size may be NULL.
 */
static inline const void *intern_get(const struct intern *in, uint32_t id, size_t *size)
{
#ifdef ANALYZER /* it cannot know that ids come from this table */
	if (!id || id > in->count)
		__builtin_unreachable();
#endif
	if (!id || id > in->count)
		return NULL;
	if (size)
		*size = in->entries[id - 1].size;
	return in->entries[id - 1].content;
}

void intern_free(struct intern *in);

/**
 * struct recent_keys - short cuts from keys of up to three words to their numbers; zero-initialise
 * it
 *
 * Keys repeat all the time, and comparing one with a recent one is faster than hashing its bytes.
 */
#define RECENT_KEYS_BITS 9

struct recent_keys {
	struct recent_key {
		uint64_t words[3];
		uint32_t id;
	} of[1 << RECENT_KEYS_BITS];
};

/* The place of the key's number. If the number is 0, the caller must look it up and store it. */
static inline uint32_t *recent_key(struct recent_keys *r, uint64_t a, uint64_t b,
				   uint64_t c)
{
	uint64_t mix = ((a * HASH_GOLDEN ^ b) * HASH_GOLDEN ^ c) * HASH_GOLDEN;
	struct recent_key *key = &r->of[mix >> (64 - RECENT_KEYS_BITS)];

	if (unlikely(key->words[0] != a || key->words[1] != b || key->words[2] != c))
		*key = (struct recent_key){ { a, b, c }, 0 };
	return &key->id;
}

#endif
