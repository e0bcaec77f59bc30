// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: texts made once and used often.
 * In: numbers and the text for each. Out: the text of a number.
 */
#include "base/text_cache.h"

#include <stdlib.h>

#include "base/array.h"

static const struct cached_text *make(struct text_cache *tc, uint64_t key)
{
	struct strbuf sb = { 0 };
	struct cached_text *made;

	if (tc->nr >= TEXT_CACHE_MAX)
		text_cache_free(tc);
	if (array_reserve(&tc->texts, &tc->capacity, tc->nr + 1, sizeof(*tc->texts)))
		return NULL;
	made = &tc->texts[tc->nr];
	tc->fill(tc->ctx, key, &sb);
	strbuf_puts(&sb, ""); /* so that there is a text, even if empty */
	made->size = sb.size;
	made->text = strbuf_detach(&sb);
	if (!made->text)
		return NULL;
	if (!u64_map_insert(&tc->by_key, key, (uint32_t)tc->nr)) {
		free(made->text);
		return NULL;
	}
	tc->nr++;
	return made;
}

const struct cached_text *text_cache_find(struct text_cache *tc, uint64_t key)
{
	const uint32_t *known = u64_map_find(&tc->by_key, key);

	tc->last = known ? &tc->texts[*known] : make(tc, key);
	tc->last_key = key;
	return tc->last;
}

void text_cache_free(struct text_cache *tc)
{
	size_t i;

	for (i = 0; i < tc->nr; i++)
		free(tc->texts[i].text);
	free(tc->texts);
	u64_map_free(&tc->by_key);
	*tc = (struct text_cache){ .fill = tc->fill, .ctx = tc->ctx };
}
