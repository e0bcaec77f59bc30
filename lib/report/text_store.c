// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_store.h"

#include "base/array.h"
#include "base/hash.h"

#define CHUNK_SIZE 16384

struct text_chunk {
	struct text_chunk *next;
	size_t used, capacity;
	char data[];
};

/* The intern table finds known texts, but its bytes move when it grows, so the addresses returned
 * point into the chunks.
 */
struct text_store {
	struct intern known;
	const char **texts; /* by intern number - 1 */
	size_t nr_texts, capacity;
	struct text_chunk *chunks;
};

struct text_store *text_store_new(void)
{
	return calloc(1, sizeof(struct text_store));
}

void text_store_free(struct text_store *store)
{
	struct text_chunk *next;

	if (!store)
		return;
	for (; store->chunks; store->chunks = next) {
		next = store->chunks->next;
		free(store->chunks);
	}
	intern_free(&store->known);
	free(store->texts);
	free(store);
}

static char *text_store_room(struct text_store *store, size_t size)
{
	struct text_chunk *chunk = store->chunks;
	size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;
	char *room;

	if (!chunk || chunk->capacity - chunk->used < size) {
		chunk = malloc(sizeof(*chunk) + capacity);
		if (!chunk)
			return NULL;
		*chunk = (struct text_chunk){ store->chunks, 0, capacity };
		store->chunks = chunk;
	}
	room = chunk->data + chunk->used;
	chunk->used += size;
	return room;
}

const char *text_store_add(struct text_store *store, const char *text)
{
	size_t size = strlen(text) + 1;
	uint32_t id;
	char *copy;

	/* Reserve room first: every number handed out must have an address. */
	if (size > 1U << 30 || array_reserve(&store->texts, &store->capacity,
					     store->nr_texts + 1, sizeof(*store->texts)))
		return NULL;
	id = intern_id(&store->known, text, size);
	if (!id)
		return NULL;
	if (id <= store->nr_texts && store->texts[id - 1])
		return store->texts[id - 1];
	if (id > store->nr_texts)
		store->texts[store->nr_texts++] = NULL;
	copy = text_store_room(store, size);
	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	store->texts[id - 1] = copy;
	return copy;
}
