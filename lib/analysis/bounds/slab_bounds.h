/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how many of the seemingly live slab objects, areas or pages are live.
 * In: finished accounts, the kernel's own count. Out: ranges of any sum of rows.
 *
 * The kernel counts by cache, so the range of a sum is computed from its parts in each cache. Two
 * callsites of a cache together hold no more than the cache does, so the maximum of one gives a
 * minimum for the other.
 */
#ifndef KMEMX_ANALYSIS_SLAB_BOUNDS_H
#define KMEMX_ANALYSIS_SLAB_BOUNDS_H

#include "analysis/bounds/bounds.h"
#include "analysis/bounds/census.h"
#include "base/keyed.h"

/* Live objects of one row and one size, all in one class of the census, or in none. */
struct slab_piece {
	uint32_t row, of; /* indexes of the row, of the class; UINT32_MAX: no class */
	uint32_t bytes;	  /* of each */
	uint64_t nr;
	uint64_t likely; /* bytes that probably live: whole objects of each class */
};

/* Zero-initialise it, then slab_bounds_of(). */
struct slab_bounds {
	const struct analysis_env *env;
	const struct lives *lives;
	const struct slab_lives *acc; /* of objects; NULL: they are pages */
	const uint64_t *callsites;    /* of pages, by row; 0: not known */
	struct bounds bounds;
	struct census census;
	INDEXED(struct slab_piece) pieces; /* by row and size */
};

/* @lives must be finished. @callsites: by row, 0: not known; only those of pages are used. Both
 * must outlive @b. 0 or -ENOMEM; call slab_bounds_free() in any case.
 */
int slab_bounds_of(struct slab_bounds *b, const struct lives *lives,
		   const uint64_t *callsites,
		   const struct analysis_env *env) __must_check;
/**
 * slab_bounds_sums() - the ranges of sums of rows
 * @group_of: by row: the number of its sum, below @nr; UINT32_MAX: none; NULL: all are sum 0
 * @sums: receives the range of each sum
 *
 * Return: 0 or -ENOMEM.
 */
int slab_bounds_sums(const struct slab_bounds *b, const uint32_t *group_of,
		     struct net_range *sums, size_t nr) __must_check;
/* The range of @counts, all of row @row or a part of it, by events alone. */
struct net_range slab_bounds_events(const struct slab_bounds *b, uint32_t row,
				    const struct lives_sums *counts);
/* The range of one address, whose latest object is in @row and counted by @counts. */
struct net_range slab_bounds_address(const struct slab_bounds *b, uint32_t row,
				     const struct lives_sums *counts);
void slab_bounds_free(struct slab_bounds *b);

/* Estimates all pieces of @b. @older: frees of older objects that name no cache are known not to be
 * the recorder's. 0 or -ENOMEM.
 */
int slab_likely_make(struct slab_bounds *b, bool older) __must_check;
/* Does one object of @piece probably live? 1 or 0. */
static inline unsigned int slab_likely_one(const struct slab_piece *piece)
{
	return piece->likely * 2 >= piece->nr * piece->bytes;
}

#endif
