/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): what a recording allocated, under names that match those of another
 * recording.
 * In: a table's type. Out: the functions of its analysis.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_H
#define KMEMX_ANALYSIS_COMPARISON_H

#include "analysis/analysis.h"
#include "analysis/compare/comparison_columns.h"

enum comparison_kind { KIND_SLAB, KIND_CACHE, KIND_PAGE, KIND_VMALLOC, KIND_PERCPU };

/* What tables of one kind differ in. */
struct comparison_type {
	enum comparison_kind kind;
	enum subject_kind
		always; /* used instead of the options' @by, directories in full depth */
	const struct table_type *table;
	const char *title;
};

/* Callbacks for a struct analysis whose table has that @type. */
int comparison_create(const struct analysis_env *env, const struct analysis_options *opts,
		      const struct comparison_type *type, void **self);
void comparison_end(void *self);
int comparison_view(const void *self, struct report *report);
void comparison_destroy(void *self);

#endif
