/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a kmem_cache of its own would save, compared with kmalloc.
 * In: peak number of live objects, their size, slabinfo, links of /sys/kernel/slab. Out: bytes.
 *
 * The method is Steven Rostedt's, of the kernel commit "tracing: Use kmem_cache_alloc instead of
 * kmalloc in trace_events.c": what each object wastes in its kmalloc class, minus what stays free
 * in the slabs of the new cache. Documentation/advice.md says what this cannot know.
 */
#ifndef KMEMX_ANALYSIS_OWN_CACHE_H
#define KMEMX_ANALYSIS_OWN_CACHE_H

#include "analysis/analysis.h"
#include "base/keyed.h"

/* Would SLUB make the new cache an alias of an existing one? */
enum own_cache_merge {
	OWN_CACHE_MERGE_UNKNOWN, /* the recording has no links of /sys/kernel/slab */
	OWN_CACHE_APART,	 /* no cache without flags has that size */
	OWN_CACHE_MERGED,
};

/**
 * struct own_cache - the cache as the kernel would make it
 * @size: bytes of an object, aligned
 * @per_slab: objects of a slab; @slab_bytes: bytes of a slab
 * @like: a cache of slabinfo with objects of that size, whose slab layout is used; NULL: SLUB's
 *	rule is used
 * @with: with OWN_CACHE_MERGED: the cache that it would be an alias of
 */
struct own_cache {
	uint64_t size, per_slab, slab_bytes;
	enum own_cache_merge merge;
	const char *like, *with;
};

/* (internal) Caches of one size: numbers of names; @with: 0: the new one would not be merged. */
struct own_cache_known {
	uint64_t per_slab, slab_bytes;
	uint32_t like, with;
};

/**
 * struct own_caches - what is known of the existing caches
 * @links_known: the recording has slabinfo and the links of /sys/kernel/slab
 * @names: of caches; @known: by bytes of an object
 */
struct own_caches {
	uint32_t page_size, nr_cpus;
	bool links_known;
	struct intern names;
	INDEXED(struct own_cache_known) known;
};

/* Reads the texts of @env's recording. 0 or -ENOMEM; call own_caches_free() in any case. */
int own_caches_init(struct own_caches *all, const struct analysis_env *env) __must_check;
/* The cache that SLUB would make for objects of @bytes_req bytes, at most 2^31. Its names belong to
 * @all.
 */
struct own_cache own_caches_find(const struct own_caches *all, uint64_t bytes_req);
void own_caches_free(struct own_caches *all);
/* The slab order that SLUB chooses for objects of @size bytes, without boot options:
 * calculate_order() in mm/slub.c, with a minimum number of objects, and at most a 16th left over,
 * or an 8th, ...
 */
unsigned int own_cache_order(uint64_t size, uint32_t page_size, uint32_t nr_cpus);

/**
 * struct own_cache_gain - what the cache would save, and why
 * @saved: bytes saved in all objects, compared with their kmalloc class
 * @slabs: slabs that they need; @unused: free objects in the last of these
 * @tail: bytes after the last object of each slab
 * @wasted: @unused objects and all tails, in bytes
 * @bytes: @saved minus @wasted; may be negative
 */
struct own_cache_gain {
	uint64_t saved;
	uint64_t slabs, unused, tail, wasted;
	int64_t bytes;
};

/* @live objects, fewer than 2^31, each of @bytes_alloc bytes, fewer than 2^31, in kmalloc. */
struct own_cache_gain own_cache_gain(const struct own_cache *c, uint64_t live,
				     uint64_t bytes_alloc);

#endif
