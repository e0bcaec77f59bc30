/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): shared code of the tables of fallbacks and of pageblocks.
 * In: fallbacks from frag.c. Out: who a fallback served, as the reader sees it.
 */
#ifndef KMEMX_ANALYSIS_FRAG_WHO_H
#define KMEMX_ANALYSIS_FRAG_WHO_H

#include "analysis/kernel/frag.h"
#include "analysis/row/subject.h"

/**
 * struct frag_view - tables under construction
 * @known: stack -> index of its callsite in @callsites
 * @ns: times are in nanoseconds
 * @has_ownership: the events say whether pageblocks were claimed
 */
struct frag_view {
	const struct frag *f;
	struct sites sites;
	struct dimensions dims;
	struct subjects subjects;
	struct u64_map known;
	uint64_t *callsites;
	size_t nr_callsites, callsites_capacity;
	bool ns, has_ownership;
};

/* Is the fallback shown? With a filter, only if its allocation was found and passes. */
static inline bool frag_is_shown(const struct frag *f, const struct frag_event *e)
{
	return !f->env->filter || (e->found && !e->hidden);
}

/* Rows by @kind. 0 or -ENOMEM; call frag_view_end() in any case. @v must not be moved. */
int frag_view_begin(struct frag_view *v, const struct frag *f,
		    enum subject_kind kind) __must_check;
void frag_view_end(struct frag_view *v);
/* The fallback's row; UINT32_MAX: no memory. */
uint32_t frag_view_subject(struct frag_view *v, const struct frag_event *e);
/* The name of a migratetype, or its number. */
struct cell frag_view_type(const struct frag_view *v, int32_t type, struct table *t);
/* Hides the columns that were not asked for, and sets the unit of times to that of the clock. */
void frag_view_columns(const struct frag_view *v, struct table *t);

/* Adds the table of pageblocks, if there are any. 0 or -ENOMEM. */
int frag_show_blocks(const struct frag *f, struct report *report) __must_check;

#endif
