/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the kernel's own count of objects, as a bound on what the events say is live.
 * In: slabinfo before and after, what was seen of each cache. Out: ranges in objects.
 *
 * Caches that no event distinguishes are one class: the kmalloc caches of a size. Of n objects
 * seen allocated and not seen freed, no more live than the class has in use when the
 * recording ends, and no fewer than it has surely gained. Documentation/accounting.md has
 * the proof and what it takes for granted.
 */
#ifndef KMEMX_ANALYSIS_CENSUS_H
#define KMEMX_ANALYSIS_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "account/slab_edges.h"
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

/* The kmalloc type in a cache's name; KMALLOC_NR_TYPES: it is not a kmalloc cache. */
enum kmalloc_type census_kmalloc_type(const char *name);
/* How many free objects of a cache SLUB may count as in use: those of the slab that each CPU
 * holds and of its list of partial ones.
 */
uint64_t census_slack(const struct slabinfo_line *line, const struct recording *rec);

/* One of the two counts of a class whose caches were counted while events were recorded. */
struct census_count {
	uint64_t objects;
	uint64_t begin, end; /* ns: of the first and of the last cache that was counted */
	uint64_t events;     /* of the class, while any of its caches was */
	size_t caches;	     /* that were counted */
};

/* What the kernel and the events say of a class, in objects. */
struct census_class {
	uint64_t before, after; /* active_objs */
	uint64_t slack;		/* of @after: free ones that it may count */
	bool counted;		/* slabinfo's numbers are exact, but for that */
	bool unseen; /* objects come without events: what was gained need not be seen */
	bool exact;  /* the counts hold, and slabinfo is not needed */
	bool tasks;  /* of tasks and processes, of which the recorder starts none */
	size_t nr_caches;
	uint32_t caches;   /* the first of them */
	uint64_t per_slab; /* at most */
	struct census_count first, last;
	uint64_t held;	 /* free ones that the last count may have as in use */
	uint64_t refill; /* and these, if there was an event since caches were shrunk */
	uint64_t since_shrunk; /* events, until the last count's end */
	/* By events near the counts: frees of older objects before the end of the first count
	 * or since the last one; frees and allocations since the last one.
	 */
	uint64_t old_outside, frees_since, allocs_since;
	/* By events, the caller's. Of frees those that name the cache: of objects older
	 * than the recording, and of objects freed already.
	 */
	uint64_t allocs, live, old_freed, doubled;
};

/* When a cache was counted, ns. */
struct census_time {
	uint64_t begin, read, end; /* the shrinking began, the reading, all was read */
};

struct census_cache {
	uint32_t of;   /* index of its class */
	uint32_t next; /* of the class's caches; UINT32_MAX: none */
	uint64_t per_slab, slack;
	struct census_time first, last;
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
	bool recorder_apart; /* nothing but the recorder's own events is left out */
	uint64_t nr_sheaves; /* of a cache that has them, at most */
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
/* Uses the counts that were made while events were recorded: @edges are all events next to them.
 * Once, before any range is asked for.
 */
void census_add_edges(struct census *c, const struct slab_edges *edges,
		      const struct event_stream *stream);
/* Of @nr objects of class @of that seem to live, how many do? They must be in its .live. */
struct census_range census_range(const struct census *c, uint32_t of, uint64_t nr);
/* Some of the class's objects that seem to live are gone, by the kernel's count. */
bool census_contradicts(const struct census *c, uint32_t of);
void census_free(struct census *c);

#endif
