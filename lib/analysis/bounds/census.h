/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the kernel's own count of objects, as a bound on what the events say is live.
 * In: slabinfo before and after, events by cache. Out: ranges in objects.
 *
 * Caches that events cannot tell apart are one class: the kmalloc caches of a size. If the
 * allocation of n objects was seen and their free was not, no more of them are live than the class
 * has in use when the recording ends, and no fewer than it has surely gained.
 * Documentation/internals/bounds.md has the proof and its assumptions.
 */
#ifndef KMEMX_ANALYSIS_CENSUS_H
#define KMEMX_ANALYSIS_CENSUS_H

#include "account/slab_edges.h"
#include "analysis/analysis.h"
#include "base/hash.h"
#include "recording/recording.h"
#include "recording/snapshot.h"

/* What the name of a slab cache says about its objects. */

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
/* Objects per sheaf, for recordings that do not say. */
uint64_t cache_sheaf_capacity(const struct recording *rec, const char *name);

/* How many free objects of a cache SLUB may count as in use: those in the slab that each CPU holds
 * and in its list of partial slabs.
 */
uint64_t census_slack(const struct slabinfo_line *line, const struct recording *rec);

/* Pages of the largest slab. */
#define SLAB_PAGES_MAX 8

/* One of the two counts of a class that were made while events were recorded. */
struct census_count {
	uint64_t objects;
	uint64_t begin, end; /* ns: start of the first cache counted, end of the last */
	uint64_t events;     /* of the class, while any of its caches was counted */
	size_t caches;	     /* caches that were counted */
};

/* What the kernel and the events say of a class, in objects. */
struct census_class {
	uint64_t before, after; /* active_objs */
	uint64_t slack;		/* free objects that @after may include */
	bool counted;		/* slabinfo's numbers are exact, except for slack */
	bool unseen;		/* objects appear without events: a gain proves nothing */
	bool exact;		/* the counts can be used; slabinfo is not needed */
	bool tasks; /* one object per task or process; the recorder starts none */
	size_t nr_caches;
	uint32_t caches;   /* the first of them */
	uint64_t per_slab; /* at most */
	struct census_count first, last;
	uint64_t held;	       /* free objects that the last count may count as in use */
	uint64_t refill;       /* these too, if an event came since caches were shrunk */
	uint64_t since_shrunk; /* events from then to the end of the last count */
	/* From events near the counts: frees of older objects before the end of the first count
	 * or since the last one; frees and allocations since the last one.
	 */
	uint64_t old_outside, frees_since, allocs_since;
	/* From events, set by the caller. @old_freed, @doubled: frees that name the cache, of
	 * objects older than the recording, and of objects already freed.
	 */
	uint64_t allocs, live, old_freed, doubled;
	uint64_t dying; /* handed to RCU, and perhaps in use at the last count */
	/* Frees of older objects that name no cache but, by their slab, are probably of this class.
	 */
	uint64_t old_kfreed;
};

/**
 * struct census_reading - a count of a cache's objects, made from @read to @end
 * @begin: start of shrinking, ns like the others
 * @held: most free objects in CPUs' slabs, which @objects includes
 * @sheaf: objects of a sheaf; 0: the cache has none
 */
struct census_reading {
	bool counted;
	uint64_t objects, begin, read, end, held, sheaf;
};

/**
 * struct census_cache - a cache of slabinfo
 * @of: index of its class; @next: next cache of the class, UINT32_MAX: none
 * @size: bytes of an object; @per_slab, @pages: objects and pages of a slab
 * @before, @after: active_objs; @used: it had slabs
 * @slack: free objects that these may include, without those in sheaves; @sheaf: as the kernel's
 *	release suggests
 */
struct census_cache {
	uint32_t of, next;
	uint64_t size, per_slab, pages, before, after, slack, sheaf;
	struct census_reading first, last;
	bool used;
};

/**
 * struct census - zero-initialise it, then census_init()
 * @most: slabinfo gives an upper bound
 * @least: slabinfo gives a lower bound
 * @lost: lost events, each of which can be an allocation
 */
struct census {
	const struct analysis_env *env;
	struct intern names; /* of caches; number n belongs to @caches[n - 1] */
	struct census_cache *caches;
	size_t nr_caches, caches_capacity;
	struct u64_map sizes; /* of kmalloc -> class */
	struct u64_map
		only; /* bytes of an object -> number of the only such cache; 0: several */
	struct census_class *classes;
	size_t nr_classes;
	bool most, least;
	bool recorder_apart; /* only the recorder's own events are excluded */
	uint64_t nr_sheaves; /* at most, of a cache that has sheaves */
	uint64_t lost, duration_ns;
};

/* The most and the least number of objects that live. */
struct census_range {
	uint64_t min, max;
};

/* Reads the snapshots of @env's recording; @env must outlive @c. 0 or -ENOMEM; call census_free()
 * in any case.
 */
int census_init(struct census *c, const struct analysis_env *env) __must_check;
/* The class of cache @name (may be NULL), of kmallocs of @size bytes; UINT32_MAX: none. */
uint32_t census_of_name(const struct census *c, const char *name);
uint32_t census_of_kmalloc(const struct census *c, uint64_t size);
/* The bytes of an object of cache @name (may be NULL) by slabinfo; 0: it does not say. */
uint64_t census_size(const struct census *c, const char *name);
/* The cache of objects of @bytes that are allocated at @callsite: the only one, kmalloc's apart,
 * that has slabs of such objects, or else the one of this size that the callsite's function is
 * known to use. NULL: not known.
 */
const char *census_guess(const struct census *c, uint64_t callsite, uint64_t bytes);
/* There are live objects of @bytes whose cache is unknown, so a gain of a cache of this size proves
 * nothing.
 */
void census_nameless(struct census *c, uint64_t bytes);
/* Uses the counts that were made while events were recorded: @edges are all events next to them.
 * Call it once, before census_range().
 */
void census_add_edges(struct census *c, const struct slab_edges *edges,
		      const struct event_stream *stream);
/* How many of @nr seemingly live objects of class @of live? They must be in its .live. */
struct census_range census_range(const struct census *c, uint32_t of, uint64_t nr);
/* How many of the seemingly live objects of class @of are probably live: as many as the kernel's
 * count says were added, within the bounds. @untraced: how many others were seen to be freed
 * without an event; if free objects that CPUs hold can explain the difference, no more than these
 * are gone. UINT64_MAX: nothing is known of the class.
 */
uint64_t census_likely(const struct census *c, uint32_t of, uint64_t untraced);
/* Did the kernel's count rise by at least a quarter of class @of's seemingly live objects?
 * Otherwise they may all be gone, or come from free objects that CPUs held. True if nothing is
 * known of the class.
 */
bool census_shows(const struct census *c, uint32_t of);
/* Does the kernel's count show that some of the class's seemingly live objects are gone? */
bool census_contradicts(const struct census *c, uint32_t of);
void census_free(struct census *c);

#endif
