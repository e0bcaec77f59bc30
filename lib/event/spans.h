/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: a value of each key that changes over time.
 * In: changes, in time order. Out: the value of a key at any time.
 */
#ifndef KMEMX_EVENT_SPANS_H
#define KMEMX_EVENT_SPANS_H

#include "base/compiler.h"
#include "base/hash.h"

/* From @ts on, @key has @value. @rank: how many spans of this key are before it. */
struct timed_value {
	uint64_t ts;
	uint32_t key, value, rank;
};

/**
 * struct spans - zero-initialise it
 * @last: key -> its last span
 * @of: those of a key follow each other once spans_sort() was called
 * @latest: only the last value of each key is kept, for all times; spans_sort() is not needed
 */
struct spans {
	struct u64_map last;
	struct timed_value *of;
	size_t nr, capacity;
	bool latest;
};

/* From @ts on, which is not before the key's last span. 0 or -ENOMEM. */
int spans_add(struct spans *s, uint32_t key, uint64_t ts, uint32_t value) __must_check;
/* After the last change, before spans_find(). */
void spans_sort(struct spans *s);
void spans_free(struct spans *s);

/* For spans_find(): the value of the key of @last before it; 0: none. */
uint32_t spans_before(const struct timed_value *last, uint64_t ts);

/* The value of @key at @ts; 0: none. */
static inline uint32_t spans_find(const struct spans *s, uint32_t key, uint64_t ts)
{
	const uint32_t *last = u64_map_find(&s->last, key);
	const struct timed_value *span;

	if (!last)
		return 0;
	span = &s->of[*last];
	return likely(span->ts <= ts) ? span->value : spans_before(span, ts);
}

/* The last value of @key, also before spans_sort(); 0: none. */
static inline uint32_t spans_last(const struct spans *s, uint32_t key)
{
	return spans_find(s, key, UINT64_MAX);
}

#endif
