/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the lives of slab objects.
 * In: slab events and losses in time order. Out: lives that began and ended, in batches, and sums
 * by who allocated.
 *
 * The life of an object, by its address:
 *   alloc                     it lives
 *   alloc of a live address   the old object was freed unseen (kmem_cache_free_bulk() and
 *                             kfree_rcu() batches have no event): an implicit free
 *   free of a live address    matched
 *   free of a freed address   double (or allocated by kmem_cache_alloc_bulk(), which has
 *                             no event either)
 *   free of any other         unmatched: allocated before the recording began
 *   handed to RCU             a free; the object is dying until it is freed or allocated
 *   free of a dying address   its end, counted apart
 *   kfree(NULL)               counted apart
 * Where allocations were not recorded (@scope), a free of no live object is taken as the free of an
 * unrecorded one: it is counted apart and changes nothing. Clocks of CPUs differ: within @skew, a
 * free without an earlier allocation and, on another CPU, an allocation without a later free are
 * one life in the wrong order, and so are an allocation over a live address and a double free. Each
 * pair is matched, and counted as reordered. With a user's filter (@filtered), an object whose
 * allocation is hidden lives like any other, but its life is neither handed over nor counted. For a
 * free of no live object, it is unknown whether the filter would hide the object.
 * So  allocs = matched + implicit + live at the end,  and
 *     frees = matched + unmatched + double + null + other + died.
 * The recorder's probes tell what is handed to RCU, freed and allocated in bulk.
 */
#ifndef KMEMX_ACCOUNT_SLAB_LIVES_H
#define KMEMX_ACCOUNT_SLAB_LIVES_H

#include "account/addr_set.h"
#include "account/lives.h"
#include "account/slab_edges.h"
#include "base/hash.h"
#include "event/event.h"
#include "recording/sample.h"

/* The order in which CPUs handed objects to RCU. */

/* How many of the latest objects are kept for each CPU. */
#define RCU_ORDER_KEPT (1U << 16)

struct rcu_order_cpu {
	uint64_t *ptrs; /* number n is at n % RCU_ORDER_KEPT */
	uint64_t nr;	/* handed over so far */
};

/* Zero-initialise it. */
struct rcu_order {
	struct rcu_order_cpu *cpus;
	size_t nr_cpus, capacity;
};

/* Adds @ptr as the latest object of @cpu. @place: receives its place. 0; -ENOMEM. */
int rcu_order_add(struct rcu_order *order, uint16_t cpu, uint64_t ptr,
		  uint32_t *place) __must_check;
/* Returns the object that was handed over after the one at @place, and sets @next to its place. 0:
 * no other object was handed over yet. If the one at @place is no longer kept, a later one has its
 * place now.
 */
uint64_t rcu_order_next(const struct rcu_order *order, uint32_t place, uint32_t *next);
void rcu_order_free(struct rcu_order *order);

/*
 * live_entry.flags. A surplus free is a free of no live object. Until the address is allocated, the
 * entry keeps when the free came and who freed. (Once the entry is swept, after the clocks' skew,
 * the free stays what it seemed.) The entry of a dying object keeps bytes_alloc, and in bytes_req
 * the time and its place in the order of .cpu; if its allocation is unknown, only the time.
 */
#define SLAB_SURPLUS \
	1 /* freed: by a surplus free. live: a surplus free on another CPU came just before */
#define SLAB_SURPLUS_DUP 2 /* the surplus free was counted as double, else as unmatched */
#define SLAB_OVER	 4 /* live: allocated over a live object. freed: then on another CPU */
#define SLAB_DYING	 8  /* freed: handed to RCU */
#define SLAB_DYING_OLD	 16 /* dying, and its allocation is unknown */

/* Is it dying, with .row and .bytes_alloc of its allocation? */
static inline bool slab_is_dying(const struct live_entry *e)
{
	return e->state == LIVE_FREED && e->flags & SLAB_DYING &&
	       !(e->flags & SLAB_DYING_OLD);
}

struct slab_tally_part {
	uint64_t nr, bytes_req, bytes_alloc, other_cpu;
};

/* What began and ended in one row, by enum life_what. */
struct slab_tally {
	struct slab_tally_part of[LIFE_REFUSED];
};

/* Adds one life; @other_cpu: freed on another CPU than allocated on. */
static inline void slab_tally_add(struct slab_tally *tally, enum life_what what,
				  uint64_t bytes_req, uint64_t bytes_alloc,
				  bool other_cpu)
{
	struct slab_tally_part *part = &tally->of[what];

	part->nr++;
	part->bytes_req += bytes_req;
	part->bytes_alloc += bytes_alloc;
	part->other_cpu += other_cpu;
}

/* Receives each free of no live object, even of an unrecorded one, after the lives before it.
 * @doubled: the object was already freed
 */
struct slab_surplus_observer {
	void (*fn)(void *ctx, const struct kmem_event *ev, bool doubled);
	void *ctx;
};

/* Who allocated: two rows differ in at least one of these. */
struct slab_key {
	uint64_t callsite;
	uint32_t cache : 31;	      /* name's number in the stream; 0 unknown */
	uint32_t kmalloc : 1;	      /* 1: kmalloc events, 0: kmem_cache_alloc */
	struct dimension_values dims; /* in the lives' dimensions */
	uint32_t all_tasks;	      /* as in struct row_tail */
};

/* A short cut from a key to its row. */
struct slab_recent {
	uint64_t callsite;
	uint32_t rest; /* cache and kmalloc */
	uint32_t id;   /* the row + 1; 0: unused */
	struct dimension_values dims;
};

#define SLAB_RECENT_BITS 10

/* Frees of no live object, by who freed. */
struct slab_free_only {
	uint64_t callsite;
	uint64_t unmatched, doubled;
};

/* What became of the events. slab_lives_sum() fills in the sums over the rows (allocs, bytes_*,
 * live_*, implicit, pingpong), the matched and the losses.
 */
struct slab_totals {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t failed;      /* allocations that returned NULL */
	uint64_t implausible; /* sizes of 4 GiB and more: counted nowhere else */
	uint64_t frees, matched, unmatched, doubled, null;
	uint64_t other;	      /* frees of unrecorded objects; filtered: of unknown ones */
	uint64_t bytes_freed; /* bytes_alloc of the matched */
	uint64_t implicit, bytes_implicit;
	uint64_t live, live_req, live_alloc;
	uint64_t pingpong;
	uint64_t large, bytes_large; /* kmallocs that the page allocator served */
	uint64_t died;		     /* frees of objects that were handed to RCU before */
	/* Parts of the frees (handed to RCU, in bulk) and of the allocations (in bulk). */
	uint64_t rcu, bulk_frees, bulk_allocs;
	uint64_t unsized;   /* of the allocations in bulk: no event tells their size */
	uint64_t unseen;    /* objects that these events count but do not name */
	uint64_t dying;	    /* at the end: handed to RCU, and nothing since */
	uint64_t reordered; /* matched, with events in the wrong order */
	uint64_t losses;    /* gaps, each of which may hide any number of events */
};

/* The objects that a callsite allocates in bulk, known from a free; 0 bytes: unknown. */
struct slab_bulk_site {
	uint32_t cache, bytes_req, bytes_alloc;
};

/* An object that was ended by an allocation over its address. A slot keeps only the latest. */
#define SLAB_OVER_SLOTS 1024

struct slab_over {
	uint64_t ts;	/* of the allocation over it */
	uint64_t begin; /* of the object's life, if times are kept */
	struct live_entry object;
};

/**
 * struct slab_lives - zero-initialise it, set the options
 * @any: the common part; must be first
 * @freed: freed addresses that @any.live no longer holds; @any.live takes precedence. So memory use
 *	   depends on live objects and pages that ever held one, not on the number of events
 * @skew: how far apart events of two CPUs can be and still be in the wrong order
 * @sample: which objects were recorded; probes name all objects
 * @large_bytes: the page allocator serves kmallocs of more bytes
 * @counted: the totals that are counted with each event
 * @totals: all totals, as of the last slab_lives_sum()
 * @free_only: by callsite
 * @early_free_only: address of a live object whose free may have come first -> index in @free_only
 * @surplus: frees of no live object: slab_surplus_key() -> how many
 * @older_kfrees: page of the object (SLAB_PAGE_SHIFT) -> how many kfree()s there were of objects
 *	that no event allocated; such events name no cache
 * @over: by a hash of the address
 * @bulk_sites: by callsite; @unsized_sites: how many of them have no size
 * @edges: keeps events close to the kernel's counts; borrowed, may be NULL
 * @on_surplus: borrowed; zero: none
 */
struct slab_lives {
	struct lives any;
	struct slab_recent recent[1 << SLAB_RECENT_BITS];
	struct addr_set freed;
	uint64_t skew;
	struct sample sample;
	uint64_t large_bytes;
	struct slab_totals counted, totals;
	INDEXED(struct slab_free_only) free_only;
	struct u64_map early_free_only;
	struct u64_map surplus;
	struct u64_map older_kfrees;
	struct slab_over over[SLAB_OVER_SLOTS];
	INDEXED(struct slab_bulk_site) bulk_sites;
	size_t unsized_sites;
	struct rcu_order rcu_order;
	struct slab_edges *edges;
	struct slab_surplus_observer on_surplus;
};

/* The kinds that use struct slab_lives: slab objects, areas of vmalloc, per-CPU memory. */
extern const struct life_kind slab_kind, vmalloc_kind, percpu_kind;

/* Takes listed events. */
void slab_lives_listed(struct slab_lives *lives, const struct event_lists *lists);
/* Takes @nr events, prefetches their objects' entries, and hands over the lives that begin and end.
 * Ignores events that are not the slab allocator's.
 */
static inline void slab_lives_events(struct slab_lives *l, const struct kmem_event *ev,
				     size_t nr)
{
	struct event_lists lists;

	for (size_t done = 0; done < nr;) {
		done += event_lists_fill(&lists, ev + done, nr - done);
		slab_lives_listed(l, &lists);
	}
}

/* Adds up what was observed so far: .any.rows, @totals and the addresses. May be called repeatedly.
 * Doubts that only the end can settle stay open.
 */
void slab_lives_sum(struct slab_lives *lives);
/* Sets the totals that follow from @all, the sums of all rows. */
void slab_totals_sum(struct slab_totals *sum, const struct lives_sums *all);
/* No more events: settles events in the wrong order, and adds up. */
void slab_lives_finish(struct slab_lives *lives);
/* The key of row @row, which may be of hidden objects; valid until the next events. */
static inline const struct slab_key *slab_lives_key(const struct slab_lives *l,
						    size_t row)
{
	return lives_key(&l->any, row);
}

static inline struct slab_tally *slab_lives_tally(const struct slab_lives *l, size_t row)
{
	return (struct slab_tally *)l->any.tallies + row;
}

/* Frees the lives, which cannot be used again. */
void slab_lives_free(struct slab_lives *lives);

/* Objects are grouped by address without these bits: by 4 KiB, also where pages are larger. */
#define SLAB_PAGE_SHIFT 12

/* Key in .surplus of frees of @cache counted in totals.unmatched, or with @doubled in .doubled. */
static inline uint64_t slab_surplus_key(uint32_t cache, bool doubled)
{
	return (uint64_t)cache << 1 | doubled;
}

/* Takes a free or an allocation. */
typedef void slab_take_fn(struct slab_lives *l, const struct kmem_event *ev);

/* Takes each object of @ev with @one, as if it had an event of its own. */
void slab_probes_take(struct slab_lives *l, const struct kmem_event *ev,
		      slab_take_fn *one);
/* Learns from @ev, which frees the object of @e and may name its cache. If the object was allocated
 * in bulk, this is the cache of all bulk objects of its callsite; if it has a size, this is the
 * size of the cache's objects. True: the object was allocated in bulk with an unknown cache, so it
 * was not counted as one of that cache.
 */
bool slab_probes_learn(struct slab_lives *l, const struct live_entry *e,
		       const struct kmem_event *ev);
/* May the object of @e still be dying? If not, a later free of it is a double one. */
bool slab_probes_lasts(const struct live_entry *e, uint64_t now);

#endif
