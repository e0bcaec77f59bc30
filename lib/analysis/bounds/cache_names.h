/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the name of a slab cache says about its objects.
 * In: names of slabinfo. Out: facts from the sources of the kernel.
 */
#ifndef KMEMX_ANALYSIS_CACHE_NAMES_H
#define KMEMX_ANALYSIS_CACHE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* Which of the kmalloc caches of one size serves a request (kmalloc_type() of slab.h). */
enum kmalloc_type {
	KMALLOC_NORMAL,
	KMALLOC_CGROUP,
	KMALLOC_RECLAIM,
	KMALLOC_DMA,
	KMALLOC_NR_TYPES,
};

/* The kmalloc type in a cache's name; KMALLOC_NR_TYPES: it is not a kmalloc cache. */
enum kmalloc_type census_kmalloc_type(const char *name);
/* Are objects of the cache allocated without an event? */
bool cache_comes_unseen(const char *name);
/* Does it hold one object per task or process? */
bool cache_is_of_tasks(const struct recording *rec, const char *name);
/* Does every allocation and free of it have an event? */
bool cache_has_all_events(const char *name);
/* Objects of a sheaf, if the recording does not say. */
uint64_t cache_sheaf_capacity(const struct recording *rec, const char *name);

#endif
