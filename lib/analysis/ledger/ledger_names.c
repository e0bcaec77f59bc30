// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: which cache an object belongs to whose allocation names none.
 * In: names in frees, sizes. Out: a cache for each callsite and size.
 */
#include "analysis/ledger/ledger.h"

/* --- names in frees ------------------------------------------------------------------------ */

bool ledger_names_differ(struct ledger_names *n, const struct analysis_env *env,
			 uint32_t cache, uint64_t bytes)
{
	uint32_t *size = u64_map_find(&n->sizes, cache);

	if (!n->read) {
		n->read = true;
		if (census_init(&n->census, env))
			return false;
	}
	if (!size)
		size = u64_map_insert(
			&n->sizes, cache,
			(uint32_t)cache_guess_size(
				&n->census, event_stream_cache(env->stream, cache)));
	return bytes && size && *size && *size != bytes;
}

bool ledger_names_add(struct ledger_names *n, uint32_t group, uint32_t cache)
{
	uint32_t *nr = u64_map_insert(&n->named, (uint64_t)group << 32 | cache, 0);

	if (nr && *nr < UINT32_MAX)
		++*nr;
	return nr;
}

void ledger_names_free(struct ledger_names *n)
{
	census_free(&n->census);
	u64_map_free(&n->sizes);
	u64_map_free(&n->named);
}

/* --- a cache for each group ----------------------------------------------------------------- */

/* The cache that most frees of each group named; of several, the one that was named first. */
static int find_named(struct ledger_guess *g, const struct ledger_names *n)
{
	struct u64_map_slot *slots __auto_mem = u64_map_sorted(&n->named);
	uint32_t most = 0, *cache = NULL;
	int ret = slots || !n->named.count ? 0 : -ENOMEM;

	for (size_t i = 0; i < n->named.count && !ret; i++) {
		bool first = !i || slots[i].key >> 32 != slots[i - 1].key >> 32;

		if (!first && slots[i].value <= most)
			continue;
		most = slots[i].value;
		cache = u64_map_insert(&g->named, slots[i].key >> 32, 0);
		if (cache)
			*cache = (uint32_t)slots[i].key;
		else
			ret = -ENOMEM;
	}
	return ret;
}

int ledger_guess_init(struct ledger_guess *g, const struct ledger_names *n,
		      const struct analysis_env *env, const struct census *census)
{
	int ret = find_named(g, n);

	return ret ?: cache_guess_init(&g->any, env, census);
}

const char *ledger_guess_cache(const struct ledger_guess *g, uint32_t group,
			       uint64_t callsite, uint64_t bytes)
{
	const uint32_t *named = u64_map_find(&g->named, group);

	if (named)
		return event_stream_cache(g->any.env->stream, *named);
	return cache_guess_name(&g->any, callsite, bytes);
}

void ledger_guess_free(struct ledger_guess *g)
{
	u64_map_free(&g->named);
	cache_guess_free(&g->any);
}
