// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hash.h"

#include <sys/random.h>

#include "base/array.h"

uint64_t hash_secret = 0xd1342543de82ef95ULL;

void hash_keep_secret(void)
{
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) == sizeof(secret))
		hash_secret = secret | 1;
}

static inline uint64_t hash_step(uint64_t h, const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
	return hash_fold(h ^ word);
}

uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *p = data;
	uint64_t h = hash_secret ^ size;
	uint64_t word;

	/* A multiplication has a long latency: long inputs take three in parallel. */
	if (size >= 48) {
		uint64_t b = ~h, c = h << 1;

		for (; size >= 24; size -= 24, p += 24) {
			h = hash_step(h, p);
			b = hash_step(b, p + 8);
			c = hash_step(c, p + 16);
		}
		h = hash_fold(h ^ hash_u64(b)) ^ hash_u64(c + 1);
	}
	for (; size >= 8; size -= 8, p += 8)
		h = hash_step(h, p);
	if (size) {
		word = 0;
		memcpy(&word, p, size);
		h = hash_fold(h ^ word);
	}
	return hash_u64(h);
}

static bool u64_map_grow(struct u64_map *map)
{
	struct u64_map bigger = { 0 };

	bigger.capacity = map->capacity ? map->capacity * 2 : 64;
	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->slots[i].used)
			*u64_map_slot(&bigger, map->slots[i].key) = map->slots[i];
	}
	free(map->slots);
	map->slots = bigger.slots;
	map->capacity = bigger.capacity;
	return true;
}

uint32_t *u64_map_insert(struct u64_map *map, uint64_t key, uint32_t value)
{
	struct u64_map_slot *slot;

	if (map->count * 4 >= map->capacity * 3 && !u64_map_grow(map))
		return NULL;
	slot = u64_map_slot(map, key);
	if (!slot->used) {
		*slot = (struct u64_map_slot){ key, value, 1 };
		map->count++;
	}
	return &slot->value;
}

ORDER_BY(compare_keys, struct u64_map_slot, key, key)

struct u64_map_slot *u64_map_sorted(const struct u64_map *map)
{
	struct u64_map_slot *sorted = malloc((map->count + 1) * sizeof(*sorted));
	size_t nr = 0;

	for (size_t i = 0; sorted && i < map->capacity; i++)
		if (map->slots[i].used)
			sorted[nr++] = map->slots[i];
	if (sorted)
		qsort(sorted, nr, sizeof(*sorted), compare_keys);
	return sorted;
}

void u64_map_clear(struct u64_map *map)
{
	/* Clearing must not take longer than adding the keys did. */
	if (map->count <= map->capacity / 8) {
		u64_map_free(map);
		return;
	}
	memset(map->slots, 0, map->capacity * sizeof(*map->slots));
	map->count = 0;
}

void u64_map_free(struct u64_map *map)
{
	free(map->slots);
	*map = (struct u64_map){ 0 };
}

/* @data's slot, or the empty one for it. */
static uint32_t *intern_slot(const struct intern *in, uint32_t hash, const void *data,
			     size_t size)
{
	size_t i = hash & (in->nr_slots - 1);

	for (; in->slots[i]; i = (i + 1) & (in->nr_slots - 1)) {
		const struct intern_entry *e = &in->entries[in->slots[i] - 1];

		if (e->hash == hash && e->size == size &&
		    (!size || !memcmp(e->content, data, size)))
			break;
	}
	return &in->slots[i];
}

static bool intern_grow_slots(struct intern *in)
{
	size_t nr_slots = in->nr_slots ? in->nr_slots * 2 : 64;
	uint32_t *slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t id = 1; id <= in->count; id++) {
		size_t i = in->entries[id - 1].hash & (nr_slots - 1);

		while (slots[i])
			i = (i + 1) & (nr_slots - 1);
		slots[i] = id;
	}
	free(in->slots);
	in->slots = slots;
	in->nr_slots = nr_slots;
	return true;
}

/* Begins a block with room for @size bytes, of about the size of all contents before. */
static bool intern_grow_room(struct intern *in, size_t size)
{
	size_t room = in->contents_size + 2 * size;
	struct intern_block *block = malloc(sizeof(*block) + room);

	if (!block)
		return false;
	block->before = in->block;
	in->block = block;
	in->room = block->bytes;
	in->room_size = room;
	return true;
}

/* Makes room for one more entry and @size more content bytes. */
static bool intern_reserve(struct intern *in, size_t size)
{
	if (array_grow(&in->entries, in->count) ||
	    (in->room_size < size && !intern_grow_room(in, size)))
		return false;
	return (in->count + 1) * 2 < in->nr_slots || intern_grow_slots(in);
}

uint32_t intern_id(struct intern *in, const void *data, size_t size)
{
	size_t padded = (size + 8) & ~(size_t)7; /* includes the NUL */
	uint32_t hash = (uint32_t)hash_bytes(data, size);
	uint32_t *slot = in->nr_slots ? intern_slot(in, hash, data, size) : NULL;

	if (slot && *slot)
		return *slot;
	if (size > 1U << 30 || in->count >= UINT32_MAX / 2 || !intern_reserve(in, padded))
		return 0;
	slot = intern_slot(in, hash, data, size); /* growing moved the slots */
	in->entries[in->count++] =
		(struct intern_entry){ in->room, hash, (uint32_t)size };
	memset(in->room + padded - 8, 0, 8);
	if (size)
		memcpy(in->room, data, size);
	in->room += padded;
	in->room_size -= padded;
	in->contents_size += padded;
	*slot = in->count;
	return in->count;
}

uint32_t intern_find(const struct intern *in, const void *data, size_t size)
{
	if (!in->nr_slots)
		return 0;
	return *intern_slot(in, (uint32_t)hash_bytes(data, size), data, size);
}

void intern_free(struct intern *in)
{
	free(in->entries);
	free(in->slots);
	while (in->block) {
		struct intern_block *before = in->block->before;

		free(in->block);
		in->block = before;
	}
	*in = (struct intern){ 0 };
}
