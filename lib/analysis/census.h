/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the kernel's own count of objects, as a bound on what the events say is live.
 * In: slabinfo before and after, what was seen of each cache. Out: ranges in objects.
 *
 * Caches that no event tells apart are one class: the kmalloc caches of a size. Of n objects
 * seen allocated and not seen freed, no more live than the class has in use when the
 * recording ends, and no fewer than it has surely gained. Documentation/accounting.md has
 * the proof and what it takes for granted.
 */
#ifndef KMEMX_ANALYSIS_CENSUS_H
#define KMEMX_ANALYSIS_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "account/snapshot.h"
#include "base/hash.h"

/* Which of the kmalloc caches of one size serves a request (kmalloc_type() of slab.h). */
enum kmalloc_type {
	KMALLOC_NORMAL,
	KMALLOC_CGROUP,
	KMALLOC_RECLAIM,
	KMALLOC_DMA,
	KMALLOC_NR_TYPES,
};

/* The kmalloc type that a cache's name tells; KMALLOC_NR_TYPES: it is none of kmalloc's. */
enum kmalloc_type census_kmalloc_type(const char *name);
/* How many free objects of a cache SLUB may count as in use: those of the slab that each CPU
 * holds and of its list of partial ones.
 */
uint64_t census_slack(const struct slabinfo_line *line, const struct recording *rec);

/* What the kernel and the events say of a class, in objects. */
struct census_class {
	uint64_t before, after; /* active_objs */
	uint64_t slack;		/* of @after: free ones that it may count */
	bool counted;		/* slabinfo's numbers are exact, but for that */
	bool unseen; /* objects come without events: what was gained need not be seen */
	/* By events, the caller's. Of frees those that name the cache: of objects older
	 * than the recording, and of objects freed already.
	 */
	uint64_t allocs, live, old_freed, doubled;
};

struct census_cache {
	uint32_t of; /* index of its class */
	uint64_t per_slab, slack;
};

/**
 * struct census - zero-initialise it, then census_init()
 * @most: slabinfo says how much can be live at most
 * @least: it says how much must be live at least
 * @lost: events, each of which can be an allocation
 */
struct census {
	struct intern names; /* of caches; number n belongs to @caches[n - 1] */
	struct census_cache *caches;
	size_t nr_caches, caches_capacity;
	struct u64_map sizes; /* of kmalloc -> class */
	struct census_class *classes;
	size_t nr_classes, classes_capacity;
	bool most, least;
	uint64_t lost, duration_ns;
};

/* The most and the least of some objects. */
struct census_range {
	uint64_t min, max;
};

/* Reads the snapshots of @env's recording. 0 or -ENOMEM; census_free() in any case. */
int census_init(struct census *c, const struct analysis_env *env) __must_check;
/* The class of cache @name (may be NULL), of kmallocs of @size bytes; UINT32_MAX: none. */
uint32_t census_of_name(const struct census *c, const char *name);
uint32_t census_of_kmalloc(const struct census *c, uint64_t size);
/* Of @nr objects of class @of that seem to live, how many do? They must be in its .live. */
struct census_range census_range(const struct census *c, uint32_t of, uint64_t nr);
/* Some of the class's objects that seem to live are gone, by the kernel's count. */
bool census_contradicts(const struct census *c, uint32_t of);
void census_free(struct census *c);

#endif
