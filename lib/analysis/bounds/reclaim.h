/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which slab caches the kernel counts as reclaimable.
 * In: a recording's slab_reclaim item. Out: yes, no or unknown, by the cache's name.
 *
 * The kernel gives such memory back when it needs some (SLAB_RECLAIM_ACCOUNT: dentries, inodes,
 * buffer heads, kmalloc-rcl-N). This is what its creator promised, not what a shrinker did.
 */
#ifndef KMEMX_ANALYSIS_RECLAIM_H
#define KMEMX_ANALYSIS_RECLAIM_H

#include "base/compiler.h"
#include "base/hash.h"
#include "recording/recording.h"

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

#endif
