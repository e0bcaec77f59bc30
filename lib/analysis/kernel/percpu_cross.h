/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the CPUs on which objects and pages were allocated and freed.
 * In: lives. Out: counts, taken by percpu_cross.c and shown by percpu_cross_view.c.
 */
#ifndef KMEMX_ANALYSIS_PERCPU_CROSS_H
#define KMEMX_ANALYSIS_PERCPU_CROSS_H

#include "analysis/analysis.h"
#include "base/hash.h"

/* The key of a count; without padding, as keys are compared as bytes.
 * @freed_by: for slab objects the address that freed, for pages the stack's number
 * @row: row of the lives: who allocated
 * @from, @to: the CPUs that allocated and freed
 */
struct cross_key {
	uint64_t freed_by;
	uint32_t row, from, to;
	uint32_t zero;
};

/* @nr: objects, or pages */
struct cross_count {
	uint64_t nr, bytes;
};

/**
 * struct cross_side - slab objects, or pages
 * @keys: number n has the counts n - 1
 * @unknown: freed on another CPU, but out-of-order events hide which one
 * @failed: memory ran out; the numbers are void
 */
struct cross_side {
	struct intern keys;
	struct cross_count *counts;
	size_t nr, capacity;
	uint64_t unknown;
	bool failed;
};

/* The analysis. The sides share nothing, as each has its own thread. */
struct percpu_cross {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *of[MEMORY_KINDS];
	struct cross_side sides[MEMORY_KINDS];
};

/* Adds the table of @memory by @kind; @self: struct percpu_cross. 0 or -ENOMEM. */
int percpu_cross_show(const void *self, enum memory memory, enum subject_kind kind,
		      struct report *report) __must_check;
/* Adds the matrix of the CPUs. 0 or -ENOMEM. */
int percpu_cross_show_matrix(const struct percpu_cross *c, enum memory memory,
			     struct report *report) __must_check;
extern const struct table_type percpu_slab_type, percpu_slab_matrix_type;
extern const struct table_type percpu_page_type, percpu_page_matrix_type;

#endif
