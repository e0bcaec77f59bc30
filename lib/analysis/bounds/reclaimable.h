/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the kernel gives back when it needs memory: a cache is not a leak.
 * In: keys of account rows, names. Out: is it reclaimable?
 *
 * The kernel says so for slab caches, and for pages with __GFP_RECLAIMABLE. No event says so for
 * pages of files: the function that allocated them shows it. Documentation/leaks.md has the
 * rules.
 */
#ifndef KMEMX_ANALYSIS_RECLAIMABLE_H
#define KMEMX_ANALYSIS_RECLAIMABLE_H

#include "account/page_lives.h"
#include "account/slab_lives.h"
#include "analysis/analysis.h"
#include "analysis/bounds/census.h"
#include "base/hash.h"
#include "recording/recording.h"

/* Which slab caches the kernel counts as reclaimable. The kernel gives such memory back when it
 * needs some (SLAB_RECLAIM_ACCOUNT: dentries, inodes, buffer heads, kmalloc-rcl-N). This is what
 * its creator promised, not what a shrinker did.
 */

enum reclaim {
	RECLAIM_UNKNOWN, /* an older recording, an import, a kernel without SLUB, a new cache */
	RECLAIM_NO,
	RECLAIM_YES,
};

/* Zero-initialise it, then reclaim_caches_init(). */
struct reclaim_caches {
	struct intern by[RECLAIM_YES + 1]; /* names of caches; RECLAIM_UNKNOWN has none */
};

/* Reads the item of @rec; without it, every answer is RECLAIM_UNKNOWN. 0 or -ENOMEM; call
 * reclaim_caches_free() in any case.
 */
int reclaim_caches_init(struct reclaim_caches *r,
			const struct recording *rec) __must_check;
/* Is @cache, a name from slabinfo or an event, reclaimable? It may be NULL. If the recording says
 * both, RECLAIM_NO.
 */
enum reclaim reclaim_cache(const struct reclaim_caches *r, const char *cache);
void reclaim_caches_free(struct reclaim_caches *r);

/* Zero-initialise it, then reclaimable_init(). @flag: __GFP_RECLAIMABLE in the recording;
 * @functions: start addresses of those that allocate from reclaimable caches.
 */
struct reclaimable {
	const struct analysis_env *env;
	struct reclaim_caches caches;
	uint64_t flag;
	struct u64_map functions;
	struct census census;
};

/* 0 or -ENOMEM; call reclaimable_free() in any case. @env is borrowed. */
int reclaimable_init(struct reclaimable *r, const struct analysis_env *env) __must_check;
/* Finds the functions that allocate from reclaimable caches. No event names kmalloc-rcl-N, so what
 * these functions kmalloc counts as part of their objects, such as a dentry's long name. 0 or
 * -ENOMEM.
 */
int reclaimable_learn(struct reclaimable *r, const struct lives *lives) __must_check;
/* Can the kernel reclaim objects of row @row of @lives? */
bool reclaimable_slab(const struct reclaimable *r, const struct lives *lives, size_t row);
/* Are pages of rows with @key reclaimable by the request alone: its GFP flags and migratetype? */
bool reclaimable_by_request(const struct reclaimable *r, const struct page_key *key);
/* The same, or because @callsite allocated them; 0: unknown. */
bool reclaimable_page(const struct reclaimable *r, const struct page_key *key,
		      uint64_t callsite);
/* The same for row @row of @lives of any kind of memory, allocated by @callsite. */
bool reclaimable_row(const struct reclaimable *r, const struct lives *lives, size_t row,
		     uint64_t callsite);
/* Does @function allocate pages of files? */
bool reclaimable_of_cache(const char *function);
/* Does the kernel free objects of this cache in batches, when they reach a threshold? */
bool reclaimable_late_cache(const char *cache);
/* Does the kernel free objects of rows with @key in batches, when they reach a threshold? */
bool reclaimable_late(const struct reclaimable *r, const struct slab_key *key);
void reclaimable_free(struct reclaimable *r);

#endif
