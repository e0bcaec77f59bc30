/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the rows of an account stand for to the reader, for objects and for pages.
 * In: rows of lives. Out: the table row of each.
 */
#ifndef KMEMX_ANALYSIS_OWNERS_H
#define KMEMX_ANALYSIS_OWNERS_H

#include "analysis/row/estimate.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"

/**
 * struct owners - owners_init() it
 * @slab, @pages: the lives; one of them is NULL
 * @callsites: by row of pages
 * @of: by row of the lives: the row of the table, which is one of @subjects; UINT32_MAX: the user
 *	of this struct left it out
 * @nr_rows: rows of the lives; @nr: rows of the table
 * @flows: to be set if estimates are of what was allocated or ended, not of what lives
 */
struct owners {
	const struct analysis_env *env;
	const struct slab_lives *slab;
	const struct page_lives *pages;
	struct sites sites;
	struct subjects subjects;
	uint64_t *callsites;
	uint32_t *of;
	size_t nr_rows, nr;
	bool flows;
};

/* The owners of @slab's objects, or of @pages, by @kind. 0 or -ENOMEM; call owners_free() in any
 * case. @o must not be moved.
 */
int owners_init_slab(struct owners *o, const struct analysis_env *env,
		     const struct slab_lives *slab, enum subject_kind kind) __must_check;
int owners_init_pages(struct owners *o, const struct analysis_env *env,
		      const struct page_lives *pages,
		      enum subject_kind kind) __must_check;
void owners_free(struct owners *o);

/* How many objects each one of a row of lives stands for: more than one only if figures are
 * estimated from a sample.
 */
static inline uint32_t slab_lives_weight(const struct slab_lives *slab, size_t row)
{
	if (likely(!slab->dimensions.sample.one_in))
		return 1;
	return dimension_weight(&slab->dimensions, &slab_lives_key(slab, row)->dims);
}

static inline uint32_t page_lives_weight(const struct page_lives *pages, size_t row)
{
	if (likely(!pages->dimensions.sample.one_in))
		return 1;
	return dimension_weight(&pages->dimensions, &page_lives_key(pages, row)->dims);
}

/* The same for row @row of @o's lives. */
static inline uint32_t owners_weight(const struct owners *o, size_t row)
{
	return o->pages ? page_lives_weight(o->pages, row)
			: slab_lives_weight(o->slab, row);
}

/* Are figures estimated from a sample? */
static inline bool owners_estimated(const struct owners *o)
{
	return o->env->sample.one_in;
}

/**
 * owners_estimate() - intervals of sums of rows for all memory
 * @values: by row of the lives, its figure in the sample, not weighted; nr_rows of them
 * @group_of: by row, the number of its sum, below @nr; UINT32_MAX: none
 *
 * Only call it if owners_estimated(). Return: 0 or -ENOMEM.
 */
int owners_estimate(const struct owners *o, const uint64_t *values,
		    const uint32_t *group_of, struct estimate *out,
		    size_t nr) __must_check;
/* The same for the sum of all rows that have a group. */
int owners_estimate_all(const struct owners *o, const uint64_t *values,
			const uint32_t *group_of, struct estimate *out) __must_check;

#endif
