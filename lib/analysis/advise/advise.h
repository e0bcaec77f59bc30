/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): advice: shared by advise.c, which collects and shows, the files of the
 * findings, and advise_table.c, which makes rows.
 * In: lives. Out: findings.
 */
#ifndef KMEMX_ANALYSIS_ADVISE_H
#define KMEMX_ANALYSIS_ADVISE_H

#include "account/slab_account.h"
#include "analysis/advise/gfp_uses.h"
#include "analysis/advise/single_frees.h"
#include "analysis/row/sites.h"
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

/* Objects from the page allocator: @bytes of their blocks, and of these what would be @needed for
 * the requested bytes, in whole pages.
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
 * struct size_peaks - size_peaks_init() it
 * @lives: the source of the lives
 * @site_of: by row of @lives: its group in @sites, plus 1; 0: not known yet; UINT32_MAX: not
 *	kmalloc's objects
 * @totals: by group
 * @failed: memory ran out; the numbers are void
 */
struct size_peaks {
	const struct analysis_env *env;
	const struct slab_lives *lives;
	struct sites sites;
	uint32_t *site_of;
	size_t nr_rows, rows_capacity;
	KEYED(struct size_peak) counts; /* by struct size_peak_key */
	struct recent_keys recent;
	struct size_peak_site *totals;
	size_t nr_sites, sites_capacity;
	bool failed;
};

/* @p must not be moved. */
void size_peaks_init(struct size_peaks *p, const struct analysis_env *env,
		     const struct slab_lives *lives);
/* Takes lives in the order of their events. */
void size_peaks_take(struct size_peaks *p, const struct life *life, size_t nr);
/* After the last event: makes best estimates of the peaks. Objects that were not seen freed since
 * the peak count as far as the kernel's count says that they are live at the end. @acc: the account
 * that has the lives. 0 or -ENOMEM.
 */
int size_peaks_estimate(struct size_peaks *p,
			const struct slab_account *acc) __must_check;

void size_peaks_free(struct size_peaks *p);

/* Groups of callsites; without padding, as keys are compared as bytes. */
struct far_frees_key {
	uint32_t by, freed_by;
};

/* @nr: objects freed; @far: of these, on another CPU */
struct far_frees_pair {
	uint64_t nr, far;
};

/**
 * struct far_frees - far_frees_init() it
 * @sites: borrowed
 * @site_of: by row of @lives: its group + 1; 0: not known yet
 * @failed: memory ran out; the numbers are void
 */
struct far_frees {
	const struct analysis_env *env;
	const struct slab_lives *lives;
	struct sites *sites;
	uint32_t *site_of;
	size_t nr_rows, rows_capacity;
	KEYED(struct far_frees_pair) pairs; /* by struct far_frees_key */
	struct recent_keys recent;	    /* by callsite of the free and row */
	bool failed;
};

void far_frees_init(struct far_frees *f, const struct analysis_env *env,
		    const struct slab_lives *lives, struct sites *sites);
/* Takes lives; ignores those that no event ended. */
void far_frees_take(struct far_frees *f, const struct life *life, size_t nr);

void far_frees_free(struct far_frees *f);

/**
 * struct advise - the analysis
 * @sizes: live objects by callsite and size; @gfp, @far and @single share its groups of callsites
 * @losses: gaps in the events
 * @failed: memory ran out; the numbers are void
 */
struct advise {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_account *slab;
	struct size_peaks sizes;
	struct gfp_uses gfp;
	struct far_frees far;
	struct single_frees single;
	uint64_t losses;
	bool failed;
};

/* A table under construction. @sample: the recording's sample, or zero. */
struct advise_view {
	const struct advise *a;
	struct table *t;
	uint64_t nr_findings;
	struct sample sample;
};

struct finding_kind;

/**
 * struct finding - a row; a number of 0 is not known
 * @site: the callsite's group of size_peaks.sites, unless @task has a text
 * @bytes: bytes that it would save
 * @hit: allocations that it is about; @live: the most of their objects that were live at once
 * @bytes_req: bytes requested for each object; @object: bytes each takes now; @better: bytes it
 *	would take
 * @freed_by: the group of the callsite that freed most of them, plus 1; 0: does not apply
 * @task: the task, if the callsite is not known
 * @more: the options of kmemx that show more; empty: those of @kind, and --callsite
 * @evidence, @arithmetic, @doubt, @merge: sentences without a final period; may be empty
 */
struct finding {
	const struct finding_kind *kind;
	uint32_t site, freed_by;
	uint64_t bytes;
	uint64_t hit, live, bytes_req, object, better;
	struct strbuf task, more, evidence, arithmetic, doubt, merge;
};

/**
 * struct finding_kind - a kind of finding; each has its own file
 * @name: its name in the table
 * @more: the options of kmemx that show more, before --callsite
 * @find: adds its findings with advise_add(). 0 or -ENOMEM.
 */
struct finding_kind {
	const char *name, *more;
	int (*find)(const struct finding_kind *kind, struct advise_view *v);
};

extern const struct finding_kind finding_own_cache, finding_shrink, finding_atomic,
	finding_high_order, finding_ping_pong, finding_whole_pages, finding_unbatched;

/* Adds a row. Frees @f's texts. 0 or -ENOMEM. */
int advise_add(struct advise_view *v, struct finding *f) __must_check;
/* Says why a number of live objects is uncertain; @gone of them ended without an event. */
void advise_doubt_live(const struct advise *a, uint64_t gone, struct finding *f);

extern const struct table_type advice_type;

#endif
