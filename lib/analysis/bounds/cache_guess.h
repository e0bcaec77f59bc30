/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which cache an object belongs to whose allocation names none.
 * In: its size and callsite, the sizes of slabinfo, symbols. Out: the cache's name.
 *
 * Before Linux 6.18 kmem_cache_alloc names no cache, before 5.12 kmem_cache_free does not either.
 * But an allocation says how many bytes it takes (bytes_alloc), and that is slabinfo's objsize.
 */
#ifndef KMEMX_ANALYSIS_CACHE_GUESS_H
#define KMEMX_ANALYSIS_CACHE_GUESS_H

#include "analysis/analysis.h"
#include "analysis/bounds/census.h"
#include "base/hash.h"

/**
 * struct cache_guess - zero-initialise it, then cache_guess_init()
 * @sizes: bytes of an object -> number of the only cache in @census, kmalloc's apart, that has
 *	slabs of such objects; 0: there are several
 */
struct cache_guess {
	const struct analysis_env *env;
	const struct census *census;
	struct u64_map sizes;
};

/* Slabinfo's size of objects of cache @name, which may be NULL; 0: it does not say. */
uint64_t cache_guess_size(const struct census *c, const char *name);
/* Both are borrowed. 0 or -ENOMEM; call cache_guess_free() in any case. */
int cache_guess_init(struct cache_guess *g, const struct analysis_env *env,
		     const struct census *census) __must_check;
/* The cache of objects of @bytes that are allocated at @callsite: the only one that has slabs of
 * such objects, or else the one of this size that the callsite's function is known to use. NULL:
 * not known.
 */
const char *cache_guess_name(const struct cache_guess *g, uint64_t callsite,
			     uint64_t bytes);
void cache_guess_free(struct cache_guess *g);

#endif
