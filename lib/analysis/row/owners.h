/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the rows of an account stand for to the reader, for every kind of memory.
 * In: rows of lives. Out: the table row of each.
 */
#ifndef KMEMX_ANALYSIS_OWNERS_H
#define KMEMX_ANALYSIS_OWNERS_H

#include "analysis/row/estimate.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"

/**
 * struct owners - owners_init() it
 * @lives: the account's lives; @memory: their kind; @pages: they are of pages
 * @callsites: by row
 * @of: by row of the lives: the row of the table, which is one of @subjects; UINT32_MAX: the user
 *	of this struct left it out
 * @nr_rows: rows of the lives; @nr: rows of the table
 * @flows: to be set if estimates are of what was allocated or ended, not of live memory
 */
struct owners {
	const struct analysis_env *env;
	const struct lives *lives;
	enum memory memory;
	bool pages;
	struct sites sites;
	struct subjects subjects;
	uint64_t *callsites;
	uint32_t *of;
	size_t nr_rows, nr;
	bool flows;
};

/* The callsite of each row of @lives, 0: not known. The caller frees them; NULL: no memory. */
uint64_t *owners_callsites(struct sites *sites, const struct lives *lives);
/* The owners of what @lives has, by @kind. 0 or -ENOMEM; call owners_free() in any case. @o must
 * not be moved.
 */
int owners_init(struct owners *o, const struct analysis_env *env,
		const struct lives *lives, enum subject_kind kind) __must_check;
void owners_free(struct owners *o);
/* The rows of the sums of tasks without live memory, by sum, as of subjects_of_spent(); UINT32_MAX:
 * no row is needed. @live: only tasks that have live memory in other rows. The caller frees them;
 * NULL: no memory.
 */
uint32_t *owners_spent(struct subjects *s, const struct lives *lives, bool live);

/* If rows are by callchain, says in a note of @t that none or not all were recorded. */
void owners_note_stackless(const struct owners *o, struct table *t);

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
