/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the peak number of live kmalloc'ed objects, by callsite and size.
 * In: lives of slab objects. Out: counts by callsite and size.
 */
#ifndef KMEMX_ANALYSIS_SIZE_PEAKS_H
#define KMEMX_ANALYSIS_SIZE_PEAKS_H

#include "account/slab_account.h"
#include "analysis/row/sites.h"

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
	struct recent_keys recent;
	struct size_peak *counts;
	size_t nr, capacity;
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
static inline const struct size_peak_key *size_peaks_key(const struct size_peaks *p,
							 size_t i)
{
	return intern_get(&p->keys, (uint32_t)i + 1, NULL);
}

void size_peaks_free(struct size_peaks *p);

#endif
