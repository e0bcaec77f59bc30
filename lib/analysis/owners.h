/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the rows of an account stand for to the reader, of objects as of pages.
 * In: lives' rows. Out: for each one a row of a table.
 */
#ifndef KMEMX_ANALYSIS_OWNERS_H
#define KMEMX_ANALYSIS_OWNERS_H

#include "analysis/sites.h"
#include "analysis/subject.h"

/**
 * struct owners - owners_init() it
 * @slab, @pages: whose rows these are: one of them is NULL
 * @callsites: of each row of pages
 * @of: of each row of the lives: the row of the table, which is one of @subjects; UINT32_MAX where
 *	somebody left it out
 * @nr_rows: rows of the lives; @nr: rows of the table
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
};

/* The owners of @slab's objects, or of @pages, by @kind. 0 or -ENOMEM; owners_free() in any case.
 * Do not move it.
 */
int owners_init_slab(struct owners *o, const struct analysis_env *env,
		     const struct slab_lives *slab, enum subject_kind kind) __must_check;
int owners_init_pages(struct owners *o, const struct analysis_env *env,
		      const struct page_lives *pages,
		      enum subject_kind kind) __must_check;
void owners_free(struct owners *o);

#endif
