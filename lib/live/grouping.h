/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: which group of rows an allocation belongs to.
 * In: who allocated, as an account's row says. Out: small numbers, and their cells.
 */
#ifndef KMEMX_LIVE_GROUPING_H
#define KMEMX_LIVE_GROUPING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/subject.h"

/* What rows can stand for here beside what a recording says: a page's order, and the control group
 * of the process, which only /proc tells while it runs.
 */
#define LIVE_ORDER  ((enum subject_kind)14)
#define LIVE_CGROUP ((enum subject_kind)15)

_Static_assert(SUBJECT_NR <= 14, "they have numbers of their own");

/**
 * struct grouping - grouping_init() it
 * @keys: of LIVE_ORDER and LIVE_CGROUP: group n has the key n + 1
 */
struct grouping {
	enum subject_kind kind;
	struct subjects subjects;
	struct intern keys;
};

/* Who allocated: @order of a page. */
struct grouping_who {
	struct subject subject;
	uint32_t order;
	int32_t pid;
};

/* What an account must keep apart: of slab objects, of pages. */
struct dimensions grouping_slab_dimensions(enum subject_kind kind,
					   const struct analysis_env *env);
struct dimensions grouping_page_dimensions(enum subject_kind kind);
/* Does it make sense for slab objects, for pages? */
bool grouping_has_slab(enum subject_kind kind);
bool grouping_has_page(enum subject_kind kind);
/* "callsite", ..., "order", "cgroup"; NULL behind the last one. */
const char *grouping_word(unsigned int i, enum subject_kind *kind);

/* @env and @sites are borrowed. 0 or -ENOMEM; to be freed in any case. */
int grouping_init(struct grouping *g, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites,
		  const struct dimensions *dimensions) __must_check;
/* The group of @who; UINT32_MAX: no memory. */
uint32_t grouping_find(struct grouping *g, const struct grouping_who *who);
void grouping_free(struct grouping *g);

#endif
