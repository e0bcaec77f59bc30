/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): advice: shared by advise.c, which collects and shows, and the files of the
 * findings.
 * In: lives. Out: findings.
 */
#ifndef KMEMX_ANALYSIS_ADVISE_H
#define KMEMX_ANALYSIS_ADVISE_H

#include "account/slab_lives.h"
#include "analysis/row/sites.h"
#include "base/keyed.h"
#include "base/strbuf.h"

/* Key of similar objects; without padding, as keys are compared as bytes. @site: the callsite's
 * group.
 */
struct size_peak_key {
	uint32_t site, bytes_req, bytes_alloc, pad;
};

/* @hit: allocations; @live: live now; @most: live at the peak; @low: the fewest since; @gone: ended
 * without an event; @seen: @most before size_peaks_estimate()
 */
struct size_peak {
	uint64_t hit, live, most, low, gone, seen;
};

/* Objects from the page allocator: @bytes of their blocks; @needed: bytes of the whole pages that
 * the requested sizes need.
 */
struct size_peak_pages {
	uint64_t objects, bytes, needed;
};

/**
 * struct size_peak_site - sums for one callsite, over all sizes
 * @hit: allocations
 * @large: those that kmalloc takes from the page allocator; @large_gone: those of them that ended
 *	without an event
 * @now: those of them that live; @most: the same when @bytes - @needed was highest
 * @bytes_req, @bytes_alloc: sizes of all @large; 0: they differ
 */
struct size_peak_site {
	uint64_t hit, large, large_gone;
	struct size_peak_pages now, most;
	uint32_t bytes_req, bytes_alloc;
};

/**
 * struct size_peaks - live objects by callsite and size
 * @site_of: by row of the lives: its group, plus 1; 0: not known yet; UINT32_MAX: not kmalloc's
 *	objects
 * @totals: by group
 */
struct size_peaks {
	uint32_t *site_of;
	size_t nr_rows, rows_capacity;
	KEYED(struct size_peak) counts; /* by struct size_peak_key */
	struct recent_keys recent;
	struct size_peak_site *totals;
	size_t nr_sites, sites_capacity;
};

/* Groups of callsites; without padding, as keys are compared as bytes. */
struct far_frees_key {
	uint32_t by, freed_by;
};

/* @nr: objects freed; @far: of these, on another CPU */
struct far_frees_pair {
	uint64_t nr, far;
};

/* Objects freed on another CPU. */
struct far_frees {
	KEYED(struct far_frees_pair) pairs; /* by struct far_frees_key */
	struct recent_keys recent;	    /* by callsite of the free and row */
};

/* Used as the order of slab objects. */
#define GFP_USE_SLAB UINT32_MAX

/* Key of similar allocations; without padding, as keys are compared as bytes. @site: the callsite's
 * group.
 */
struct gfp_use_key {
	uint64_t gfp_flags;
	uint32_t site, order;
};

/* @nr: allocations; @in_task: those in a task, with interrupts enabled; @failed: those that failed
 */
struct gfp_use {
	uint64_t nr, in_task, failed;
};

/* The GFP flags that each callsite allocates with. */
struct gfp_uses {
	struct recent_keys recent; /* of what determines the keys */
	KEYED(struct gfp_use) counts;
};

/**
 * struct gfp_masks - the bits of flags in one recording; 0: its formats do not name them
 * @waits: any of these bits lets an allocation wait for reclaim
 */
struct gfp_masks {
	uint64_t kernel, atomic, waits, noretry, nofail;
};

struct gfp_masks gfp_masks_of(const struct gfp_names *names);

/* Fewer frees in a row are no run: more than a folio_batch has in older kernels (15, later 31). */
#define SINGLE_FREES_RUN       16
/* A free after a longer gap than this starts another run, if the clock counts nanoseconds. */
#define SINGLE_FREES_GAP_NS    100000
/* The site of a free without a callchain. */
#define SINGLE_FREES_NOWHERE   UINT32_MAX
/* The pid for frees in interrupts; a softirq runs in whatever task is current. */
#define SINGLE_FREES_INTERRUPT (-1)

/* Who freed; without padding, as keys are compared as bytes. @site: the group of the callsite; if
 * it is SINGLE_FREES_NOWHERE, @pid is the task, else @pid is 0.
 */
struct single_frees_key {
	uint32_t site;
	int32_t pid;
};

/* @pages: pages in @runs; @longest: pages of the longest run. */
struct single_frees_count {
	uint64_t pages, runs, longest;
};

/**
 * struct single_frees - pages freed one by one, many in a row
 * @rule: finds the callsite that freed in a callchain
 * @by_stack: callchain -> group
 * @tasks: those seen to allocate; in a recording of a part of the system, others' frees are ignored
 * @places: page frame -> its index in the run that last freed it
 * @counts: of runs that have ended, by who freed: struct single_frees_key
 */
struct single_frees {
	struct callsite_rule *rule;
	struct u64_map by_stack, tasks, places;
	INDEXED(struct single_frees_cpu) cpus;
	KEYED(struct single_frees_count) counts;
	bool clocks_are_ns, part;
};

/**
 * struct advise - the analysis
 * @sites: groups of callsites
 * @losses: gaps in the events
 * @failed: memory ran out; the numbers are void
 */
struct advise {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_lives *slab;
	struct sites sites;
	struct size_peaks sizes;
	struct gfp_uses gfp;
	struct far_frees far;
	struct single_frees single;
	uint64_t losses;
	bool failed;
};

/* Takes lives in the order of their events. */
void size_peaks_take(struct advise *a, const struct life *life, size_t nr);
/* After the last event: makes best estimates of the peaks. Of the objects that were not seen freed
 * since the peak, only those count that are live at the end by the kernel's count. 0 or -ENOMEM.
 */
int size_peaks_estimate(struct advise *a) __must_check;
void size_peaks_free(struct size_peaks *p);

/* Takes events; ignores those that are not allocations or are hidden, and page allocations without
 * a callchain.
 */
void gfp_uses_take(struct advise *a, const struct kmem_event *ev, size_t nr);

void single_frees_init(struct advise *a);
/* Takes events in time order; ignores those that are not about pages. */
void single_frees_take(struct advise *a, const struct kmem_event *ev, size_t nr);
/* After the last event: ends all runs. */
void single_frees_end(struct advise *a);
void single_frees_free(struct single_frees *s);

/* A table under construction. @kind: whose findings are added; @sample: the recording's sample, or
 * zero.
 */
struct advise_view {
	const struct advise *a;
	const struct finding_kind *kind;
	struct table *t;
	uint64_t nr_findings;
	struct sample sample;
};

/**
 * struct finding - a row; a number of 0 is not known
 * @site: the callsite's group of advise.sites, unless @task has a text
 * @bytes: bytes that it would save
 * @hit: allocations that it is about; @live: the most of their objects that were live at once
 * @bytes_req: bytes requested for each object; @object: bytes each takes now; @better: bytes it
 *	would take
 * @freed_by: the group of the callsite that freed most of them, plus 1; 0: does not apply
 * @task: the task, if the callsite is not known
 * @more: the options of kmemx that show more; empty: those of its kind, and --callsite
 * @evidence, @arithmetic, @doubt, @merge: sentences without a final period; may be empty
 */
struct finding {
	uint32_t site, freed_by;
	uint64_t bytes;
	uint64_t hit, live, bytes_req, object, better;
	struct strbuf task, more, evidence, arithmetic, doubt, merge;
};

typedef int finding_fn(struct advise_view *v);

/**
 * struct finding_kind - a kind of finding
 * @name: its name in the table
 * @more: the options of kmemx that show more, before --callsite
 * @find: adds its findings with advise_add(); 0 or -ENOMEM
 */
struct finding_kind {
	const char *name, *more;
	finding_fn *find;
};

finding_fn advise_own_cache, advise_shrink, advise_whole_pages, advise_atomic,
	advise_high_order, advise_unbatched;

/* Adds a row. Frees @f's texts. 0 or -ENOMEM. */
int advise_add(struct advise_view *v, struct finding *f) __must_check;
/* Says why a number of live objects is uncertain; @gone of them ended without an event. */
void advise_doubt_live(const struct advise *a, uint64_t gone, struct finding *f);

extern const struct table_type advice_type;

#endif
