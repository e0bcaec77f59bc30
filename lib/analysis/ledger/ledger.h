/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: compares the events with the change of the kernel's own counters.
 * In: lives of slab objects, page events. Out: net objects of each cache, gross and net pages.
 *
 * Documentation/ledger.md says what is compared and why it may differ.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_H
#define KMEMX_ANALYSIS_LEDGER_H

#include "analysis/analysis.h"
#include "analysis/bounds/cache_guess.h"
#include "analysis/bounds/census.h"
#include "analysis/ledger/ledger_tasks.h"
#include "base/keyed.h"
#include "recording/kernel_curve.h"

/* Which cache an object belongs to whose allocation names none. */

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

#define LEDGER_STEPS (KERNEL_CURVE_MOMENTS - 1)

/* What changed a count: a group of the ledger, or an unknown page of it. */
enum ledger_step_of { LEDGER_STEP_GROUP, LEDGER_STEP_UNKNOWN };

/* Objects that events added less those they removed, in one step. */
struct ledger_step_net {
	uint32_t id, step;
	enum ledger_step_of of;
	int64_t net;
};

/* Page frames of events in one step. */
struct ledger_step_pages {
	uint64_t allocated, freed;
};

/**
 * struct ledger_steps - ledger_steps_init() it
 * @curve: without moments if the recording has none
 * @nets: by id, kind and step
 * @slab_at, @page_at: the steps of the last events, which come on different threads
 */
struct ledger_steps {
	struct kernel_curve curve;
	INDEXED(struct ledger_step_net) nets;
	struct ledger_step_pages pages[LEDGER_STEPS];
	unsigned int slab_at, page_at;
};

/* Reads the curve of @rec; there are no steps without one. 0 or -ENOMEM. */
int ledger_steps_init(struct ledger_steps *s, const struct recording *rec) __must_check;

/* The number of steps; 0: no curve. */
static inline unsigned int ledger_steps_nr(const struct ledger_steps *s)
{
	return s->curve.nr ? s->curve.nr - 1 : 0;
}

/* At @ts, an event changed the objects of a group, or of an unknown page, by @net. False: no
 * memory.
 */
bool ledger_steps_slab(struct ledger_steps *s, uint64_t ts, enum ledger_step_of of,
		       uint32_t id, int net) __must_check;
/* At @ts, @pages were allocated or freed. */
void ledger_steps_page(struct ledger_steps *s, uint64_t ts, uint64_t allocated,
		       uint64_t freed);
void ledger_steps_free(struct ledger_steps *s);

/**
 * struct ledger_row_steps - a row's steps
 * @kernel: objects at each moment, by slabinfo; @trace: net objects of events in each step
 */
struct ledger_row_steps {
	struct kernel_series kernel;
	int64_t trace[LEDGER_STEPS];
};

/* The change in step @i that the kernel counted and no event explains. */
static inline int64_t ledger_row_step(const struct ledger_row_steps *r, unsigned int i)
{
	return (int64_t)r->kernel.at[i + 1] - (int64_t)r->kernel.at[i] - r->trace[i];
}

/* Consecutive steps, from moment @first to moment @last, in which @net was not explained. */
struct ledger_burst {
	unsigned int first, last;
	int64_t net;
};

/**
 * ledger_row_burst() - the time in which the unexplained part of a row came
 * @nr: number of steps; @missing: what is unexplained from the first moment to the last
 *
 * Return: does a quarter of the time or less have four fifths of @missing or more? Then @burst is
 * the shortest such time.
 */
bool ledger_row_burst(const struct ledger_row_steps *r, const uint64_t *times,
		      unsigned int nr, int64_t missing, struct ledger_burst *burst);

enum ledger_kind {
	LEDGER_NAMED,	/* @id: the cache name's number in the stream */
	LEDGER_KMALLOC, /* @id: bytes_alloc, @type */
	/* @id: callsite of a kmem_cache_alloc that names no cache, @type: bytes_alloc */
	LEDGER_UNNAMED,
};

struct ledger_key {
	uint64_t id;
	uint32_t kind; /* enum ledger_kind */
	uint32_t type; /* enum kmalloc_type, or bytes */
};

/**
 * struct ledger_group - what the events say of one cache, or of a callsite without one
 * @allocs: objects allocated; @freed: frees of these or of older objects
 * @implicit: objects gone without an event: their address was allocated again
 * @again: frees of an object that no event had allocated since its last free
 */
struct ledger_group {
	uint64_t allocs, freed, implicit, again;
};

/* Frees of objects of an unknown cache: neither the event nor, so far, the page names it. */
struct ledger_unknown {
	uint64_t page;	   /* address >> LEDGER_PAGE_SHIFT */
	uint64_t callsite; /* of the free */
	uint64_t frees;
};

/* Who freed an object of a group, without naming the cache. */
struct ledger_freer {
	uint64_t callsite, group;
};

/* Objects of one slab share pages, counted in 4 KiB, the smallest page size of any kernel. */
#define LEDGER_PAGE_SHIFT 12

/* How an event changed a group's numbers. */
enum ledger_edge_what {
	LEDGER_EDGE_ALLOC,
	LEDGER_EDGE_FREE,
	LEDGER_EDGE_IMPLICIT,
	LEDGER_EDGE_FOUND, /* a free of an object that was counted as implicit before */
	LEDGER_EDGE_AGAIN,
	LEDGER_EDGE_UNKNOWN, /* no group: a free of an object of an unknown cache */
};

/* An event close to a count, which is taken out of the numbers that are compared with the count.
 * @id: the group, or for LEDGER_EDGE_UNKNOWN the place in @unknown.
 */
struct ledger_edge {
	uint64_t ts;
	uint32_t id;
	enum ledger_edge_what what;
};

/* @counted: when caches were counted; NULL: they were not, or not all events there were kept. */
struct ledger {
	const struct analysis_env *env;
	struct slab_account *slab;
	uint64_t
		type_masks[KMALLOC_NR_TYPES]; /* GFP bits that choose the type; 0: none */
	KEYED(struct ledger_group) groups;    /* by struct ledger_key */
	struct ledger_names names;
	struct u64_map pages;	    /* page of an object -> the group of its latest one */
	struct intern freers;	    /* struct ledger_freer */
	struct intern unknown_keys; /* of @unknown: page and callsite */
	struct ledger_unknown *unknown;
	size_t nr_unknown, unknown_capacity;
	const struct slab_edges *counted;
	struct ledger_edge *edges;
	size_t nr_edges, edges_capacity;
	struct ledger_tasks tasks;
	struct ledger_steps steps;
	uint64_t nr_slab, nr_page, losses;
	uint64_t pages_allocated, pages_freed;
	bool failed;
};

/* The key of @groups[@group]. */
static inline const struct ledger_key *ledger_key(const struct ledger *ledger,
						  size_t group)
{
	return KEYED_KEY(&ledger->groups, group);
}

/* Does the recording have both snapshots that a ledger needs? */
bool ledger_possible(const struct recording *rec);

extern const struct analysis analysis_ledger;

/* The tables, of slab caches, of steps and of page frames. */
extern const struct table_type ledger_slab_type, ledger_step_type, ledger_page_type;
/* Adds those for which there are events and snapshots, or that of pages. 0 or -ENOMEM. */
int ledger_report(const struct ledger *ledger, struct report *report) __must_check;
void ledger_page_report(const struct ledger *ledger, struct report *report);

#endif
