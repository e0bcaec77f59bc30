/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: finds the group that an allocation belongs to.
 * In: the origin of an allocation from an account's row. Out: small group numbers, and their cells.
 */
#ifndef KMEMX_LIVE_GROUPING_H
#define KMEMX_LIVE_GROUPING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/row/subject.h"

/* Groupings that a recording does not have: a page's order, and the process's control group, which
 * only /proc tells while the process runs.
 */
#define LIVE_ORDER  ((enum subject_kind)14)
#define LIVE_CGROUP ((enum subject_kind)15)

_Static_assert(SUBJECT_NR <= 14, "they have numbers of their own");

/**
 * struct grouping - initialised by grouping_init()
 * @keys: for LIVE_ORDER and LIVE_CGROUP: group n has the key n + 1
 */
struct grouping {
	enum subject_kind kind;
	struct subjects subjects;
	struct intern keys;
};

/* The origin of an allocation; @order: for pages. */
struct grouping_who {
	struct subject subject;
	uint32_t order;
	int32_t pid;
};

/* The dimensions that an account must keep apart: for slab objects, for pages. */
struct dimensions grouping_slab_dimensions(enum subject_kind kind,
					   const struct analysis_env *env);
struct dimensions grouping_page_dimensions(enum subject_kind kind);
/* Is the grouping possible for slab objects, for pages? */
bool grouping_has_slab(enum subject_kind kind);
bool grouping_has_page(enum subject_kind kind);
/* "callsite", ..., "order", "cgroup"; NULL after the last one. */
const char *grouping_word(unsigned int i, enum subject_kind *kind);

/* @env and @sites are borrowed. 0 or -ENOMEM; free it in any case. */
int grouping_init(struct grouping *g, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites,
		  const struct dimensions *dimensions) __must_check;
/* The group of @who; UINT32_MAX: no memory. */
uint32_t grouping_find(struct grouping *g, const struct grouping_who *who);
void grouping_free(struct grouping *g);

#endif
