/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how many of the seemingly live slab objects are live.
 * In: finished slab accounts, the kernel's own count. Out: ranges of any sum of rows.
 *
 * The kernel counts by cache, so the range of a sum is computed from its parts in each cache. Two
 * callsites of a cache together hold no more than the cache does, so the maximum of one gives a
 * minimum for the other.
 */
#ifndef KMEMX_ANALYSIS_SLAB_BOUNDS_H
#define KMEMX_ANALYSIS_SLAB_BOUNDS_H

#include "account/slab_account.h"
#include "analysis/bounds/bounds.h"
#include "analysis/bounds/cache_guess.h"
#include "analysis/bounds/census.h"

/* Live objects of one row and one size, all in one class of the census, or in none. */
struct slab_piece {
	uint32_t row, of; /* indexes of a row, of a class; UINT32_MAX: of none */
	uint32_t bytes;	  /* of each */
	uint64_t nr;
	uint64_t likely; /* how many probably live, in parts of SLAB_LIKELY_ONE */
};

/* One object in slab_piece.likely. */
#define SLAB_LIKELY_ONE 65536

/* Bytes of @piece that probably live. */
static inline uint64_t slab_piece_likely(const struct slab_piece *piece)
{
	return piece->likely * piece->bytes / SLAB_LIKELY_ONE;
}

/* Zero-initialise it, then slab_bounds_make(). */
struct slab_bounds {
	const struct slab_account *acc;
	struct bounds bounds;
	struct census census;
	struct cache_guess guess; /* refers to @census */
	struct slab_piece *pieces;
	size_t nr_pieces, capacity;
	struct u64_map index; /* row and size -> piece */
};

/* @acc must be finished and outlive @b. 0 or -ENOMEM; call slab_bounds_free() in any case. */
int slab_bounds_make(struct slab_bounds *b, const struct slab_account *acc,
		     const struct analysis_env *env) __must_check;
/**
 * slab_bounds_sums() - the ranges of sums of rows
 * @group_of: by row: the number of its sum, below @nr; UINT32_MAX: none
 * @sums: receives the range of each sum
 *
 * Return: 0 or -ENOMEM.
 */
int slab_bounds_sums(const struct slab_bounds *b, const uint32_t *group_of,
		     struct net_range *sums, size_t nr) __must_check;
/* The range of all rows together. 0 or -ENOMEM. */
int slab_bounds_total(const struct slab_bounds *b, struct net_range *total) __must_check;
/* The range of one address, whose latest object is in @row and counted by @counts. */
struct net_range slab_bounds_address(const struct slab_bounds *b, uint32_t row,
				     const struct slab_counts *counts);
void slab_bounds_free(struct slab_bounds *b);

/* Estimates all pieces of @b. @older: frees of older objects that name no cache are known not to be
 * the recorder's. 0 or -ENOMEM.
 */
int slab_likely_make(struct slab_bounds *b, bool older) __must_check;
/* Does one object of @piece probably live? 1 or 0. */
static inline unsigned int slab_likely_one(const struct slab_piece *piece)
{
	return piece->likely * 2 >= piece->nr * SLAB_LIKELY_ONE;
}

#endif
