/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which cache an object belongs to whose allocation names none.
 * In: names in frees, sizes. Out: a cache for each callsite and size.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_NAMES_H
#define KMEMX_ANALYSIS_LEDGER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/bounds/cache_guess.h"
#include "analysis/bounds/census.h"
#include "base/hash.h"

/**
 * struct ledger_names - the names in frees; zero-initialise it
 * @read: slabinfo was read into @census, of which the names and sizes of caches are used
 * @sizes: name's number in the stream -> bytes of an object; 0: slabinfo does not say
 * @named: group << 32 | name's number in the stream -> how many frees named this cache
 */
struct ledger_names {
	bool read;
	struct census census;
	struct u64_map sizes, named;
};

/* Does slabinfo say that objects of @cache, a name's number in the stream, are not of @bytes? 0
 * bytes: unknown, as of objects allocated in bulk.
 */
bool ledger_names_differ(struct ledger_names *n, const struct analysis_env *env,
			 uint32_t cache, uint64_t bytes);
/* An object of @group was freed, and the event named @cache. False: no memory. */
bool ledger_names_add(struct ledger_names *n, uint32_t group,
		      uint32_t cache) __must_check;
void ledger_names_free(struct ledger_names *n);

/**
 * struct ledger_guess - finds caches; zero-initialise it, then ledger_guess_init()
 * @named: group -> the cache, a number in the stream, that most frees of its objects named
 */
struct ledger_guess {
	struct cache_guess any;
	struct u64_map named;
};

/* 0 or -ENOMEM; call ledger_guess_free() in any case. */
int ledger_guess_init(struct ledger_guess *g, const struct ledger_names *n,
		      const struct analysis_env *env,
		      const struct census *census) __must_check;
/**
 * ledger_guess_cache() - the cache of objects without a name
 * @group: of objects of @bytes bytes, allocated at @callsite
 *
 * It is the one that most frees of the group's objects named, or else cache_guess_name().
 *
 * Return: its name; NULL: not known.
 */
const char *ledger_guess_cache(const struct ledger_guess *g, uint32_t group,
			       uint64_t callsite, uint64_t bytes);
void ledger_guess_free(struct ledger_guess *g);

#endif
