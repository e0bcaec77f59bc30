/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: texts made once and used often.
 * In: numbers and the text for each. Out: the text of a number.
 */
#ifndef KMEMX_BASE_TEXT_CACHE_H
#define KMEMX_BASE_TEXT_CACHE_H

#include "base/hash.h"
#include "base/strbuf.h"

struct cached_text {
	char *text; /* NUL terminated */
	size_t size;
};

/**
 * struct text_cache - zero-initialise it except for @fill and @ctx
 * @fill: appends the text of @key; called when @key is not in the cache
 */
struct text_cache {
	void (*fill)(void *ctx, uint64_t key, struct strbuf *out);
	void *ctx;
	struct u64_map by_key;
	struct cached_text *texts;
	size_t nr, capacity;
	uint64_t last_key; /* of the last call; valid only if @last is set */
	const struct cached_text *last;
};

/* The most texts that are kept: then the cache is emptied. */
#define TEXT_CACHE_MAX 65536U

/* Makes the text of a new key; same result as text_cache_get(). */
const struct cached_text *text_cache_find(struct text_cache *tc, uint64_t key);
void text_cache_free(struct text_cache *tc);

/* The text, valid until the next call; NULL if memory ran out. */
static inline const struct cached_text *text_cache_get(struct text_cache *tc,
						       uint64_t key)
{
	if (tc->last && tc->last_key == key)
		return tc->last;
	return text_cache_find(tc, key);
}

#endif
