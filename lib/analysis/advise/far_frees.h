/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: objects freed on a different CPU than the one that allocated them.
 * In: lives of slab objects. Out: counts by allocating and freeing callsite.
 */
#ifndef KMEMX_ANALYSIS_FAR_FREES_H
#define KMEMX_ANALYSIS_FAR_FREES_H

#include "analysis/row/sites.h"

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
 * @keys: number n has the counts n - 1
 * @failed: memory ran out; the numbers are void
 */
struct far_frees {
	const struct analysis_env *env;
	const struct slab_lives *lives;
	struct sites *sites;
	uint32_t *site_of;
	size_t nr_rows, rows_capacity;
	struct intern keys;
	struct recent_keys recent; /* by callsite of the free and row */
	struct far_frees_pair *pairs;
	size_t nr, capacity;
	bool failed;
};

void far_frees_init(struct far_frees *f, const struct analysis_env *env,
		    const struct slab_lives *lives, struct sites *sites);
/* Takes lives; ignores those that no event ended. */
void far_frees_take(struct far_frees *f, const struct life *life, size_t nr);
static inline const struct far_frees_key *far_frees_key(const struct far_frees *f,
							size_t i)
{
	return intern_get(&f->keys, (uint32_t)i + 1, NULL);
}

void far_frees_free(struct far_frees *f);

#endif
