/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how many kmalloc'ed objects of each size a callsite has live at most.
 * In: lives of slab objects. Out: counts by callsite and size.
 */
#ifndef KMEMX_ANALYSIS_SIZE_PEAKS_H
#define KMEMX_ANALYSIS_SIZE_PEAKS_H

#include "analysis/sites.h"

/* Objects that are alike; without padding, as keys are compared as bytes. @site: its group. */
struct size_peak_key {
	uint32_t site, bytes_req, bytes_alloc, pad;
};

/* @hit: allocations; @live: now, @most: at most; @gone: ended without an event. */
struct size_peak {
	uint64_t hit, live, most, gone;
};

/* Objects that the page allocator gave, the bytes of their blocks of pages, and of these what
 * would do for the bytes that were asked for, in whole pages.
 */
struct size_peak_pages {
	uint64_t objects, bytes, needed;
};

/**
 * struct size_peak_site - what there is of one callsite, of all sizes
 * @hit: allocations
 * @large: of these, what kmalloc takes from the page allocator; @large_gone: of these, ended
 *	   without an event
 * @now: of these, what lives; @most: when @bytes - @needed was highest
 * @bytes_req, @bytes_alloc: of all @large; 0: they have several sizes
 */
struct size_peak_site {
	uint64_t hit, large, large_gone;
	struct size_peak_pages now, most;
	uint32_t bytes_req, bytes_alloc;
};

/**
 * struct size_peaks - size_peaks_init() it
 * @lives: whose lives these are
 * @site_of: of each of their rows: its group of @sites + 1; 0: it is not known yet; UINT32_MAX:
 *	 kmalloc did not give these objects
 * @keys: number n has the counts n - 1
 * @totals: by group
 * @failed: memory ran out; the numbers are void
 */
struct size_peaks {
	const struct analysis_env *env;
	const struct slab_lives *lives;
	struct sites sites;
	uint32_t *site_of;
	size_t nr_rows, rows_capacity;
	struct intern keys;
	struct size_peak *counts;
	size_t nr, capacity;
	struct size_peak_site *totals;
	size_t nr_sites, sites_capacity;
	bool failed;
};

/* Do not move it. */
void size_peaks_init(struct size_peaks *p, const struct analysis_env *env,
		     const struct slab_lives *lives);
/* Takes lives in the order of their events. */
void size_peaks_take(struct size_peaks *p, const struct slab_life *life, size_t nr);
static inline const struct size_peak_key *size_peaks_key(const struct size_peaks *p,
							 size_t i)
{
	return intern_get(&p->keys, (uint32_t)i + 1, NULL);
}

/* Makes @to what @from is, to take lives of @lives, which are a copy of @from's. Callsites' names
 * are still @from's. size_peaks_free_copy() it in any case. 0 or -ENOMEM.
 */
int size_peaks_copy(struct size_peaks *to, const struct size_peaks *from,
		    const struct slab_lives *lives) __must_check;
void size_peaks_free_copy(struct size_peaks *p);
void size_peaks_free(struct size_peaks *p);

#endif
