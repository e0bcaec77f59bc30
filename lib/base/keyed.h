/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: an array with an item for each key.
 * In: keys, as bytes. Out: items, in the order in which their keys came.
 */
#ifndef KMEMX_BASE_KEYED_H
#define KMEMX_BASE_KEYED_H

#include "base/array.h"
#include "base/hash.h"

/* A member or a variable; zero-initialise it. The item of key number n is of[n - 1]; there are nr
 * of them. Keys must have no padding.
 */
#define KEYED(type)                  \
	struct {                     \
		struct intern keys;  \
		type *of;            \
		size_t nr, capacity; \
	}

/* The number of a key of @size bytes at @data. It has an item, which is zero at first. 0: no
 * memory.
 */
#define KEYED_ID_OF(k, data, size)                                                      \
	({                                                                              \
		uint32_t id_ = intern_id(&(k)->keys, data, size);                       \
                                                                                        \
		id_ && !array_reach(&(k)->of, &(k)->nr, &(k)->capacity, id_) ? id_ : 0; \
	})
#define KEYED_ID(k, key) KEYED_ID_OF(k, key, sizeof(*(key)))

/* The item of a key of @size bytes at @data, valid until the next new one; NULL: no memory. */
#define KEYED_ITEM_OF(k, data, size)                                 \
	({                                                           \
		const uint32_t number_ = KEYED_ID_OF(k, data, size); \
                                                                     \
		number_ ? &(k)->of[number_ - 1] : NULL;              \
	})
#define KEYED_ITEM(k, key) KEYED_ITEM_OF(k, key, sizeof(*(key)))

/* The key of item @i, from 0 on. */
#define KEYED_KEY(k, i) intern_get(&(k)->keys, (uint32_t)(i) + 1, NULL)

#define KEYED_FREE(k)                    \
	({                               \
		intern_free(&(k)->keys); \
		free((k)->of);           \
	})

/* The same for keys that are numbers; the item of a key is at its index. */
#define INDEXED(type)                 \
	struct {                      \
		struct u64_map index; \
		type *of;             \
		size_t nr, capacity;  \
	}

/* The item of @key, zero at first, valid until the next new one; NULL: no memory. Each key in the
 * index has its item, also after a failure.
 */
#define INDEXED_ITEM(k, key)                                                           \
	({                                                                             \
		const uint64_t key_ = (key);                                           \
		uint32_t *place_ = u64_map_find(&(k)->index, key_);                    \
                                                                                       \
		if (unlikely(!place_) &&                                               \
		    !array_reserve(&(k)->of, &(k)->capacity, (k)->nr + 1)) {           \
			place_ = u64_map_insert(&(k)->index, key_, (uint32_t)(k)->nr); \
			if (place_)                                                    \
				(k)->of[(k)->nr++] = (typeof(*(k)->of)){ 0 };          \
		}                                                                      \
		place_ ? &(k)->of[*place_] : NULL;                                     \
	})

#define INDEXED_FREE(k)                    \
	({                                 \
		u64_map_free(&(k)->index); \
		free((k)->of);             \
	})

#endif
