/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): how long objects and pages live: shared by lifetime.c, which adds up, and
 * lifetime_columns.c, which shows.
 * In: lives. Out: rows of tables.
 */
#ifndef KMEMX_ANALYSIS_LIFETIME_H
#define KMEMX_ANALYSIS_LIFETIME_H

#include "account/page_account.h"
#include "account/slab_account.h"
#include "analysis/analysis.h"
#include "analysis/life/lifetimes.h"
#include "analysis/row/owners.h"

struct lifetime_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *of[MEMORY_KINDS];
	struct lifetimes times[MEMORY_KINDS];
	bool ns; /* the clock counts nanoseconds */
};

/* A group's allocations: objects or pages. @interval: in a sample: of all that are not live. */
struct lifetime_sum {
	uint64_t all, live;
	struct estimate interval;
};

/* One table under construction; @sums: by group. */
struct lifetime_view {
	const struct lifetime_analysis *a;
	struct owners owners;
	struct lifetime_sum *sums;
	struct lifetime_groups groups;
};

/* @ended: @group, if one of its lifetimes is known, else NULL; @timed: @group, if times are in
 * nanoseconds, else NULL
 */
struct lifetime_view_row {
	struct subject_row subject;
	const struct lifetime_view *v;
	const struct lifetime_group *group;
	const struct lifetime_group *ended, *timed;
	const struct lifetime_sum *sum;
};

extern const struct table_type lifetime_type, lifetime_page_type, lifetime_vmalloc_type,
	lifetime_percpu_memory_type;

#endif
