/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): what a recording allocated, under names that match those of another
 * recording.
 * In: a table's type. Out: the functions of its analysis.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_H
#define KMEMX_ANALYSIS_COMPARISON_H

#include "account/lives.h"
#include "analysis/analysis.h"
#include "analysis/compare/comparison_columns.h"
#include "analysis/row/estimate.h"
#include "base/hash.h"
#include "base/strbuf.h"

enum comparison_kind { KIND_SLAB, KIND_CACHE, KIND_PAGE, KIND_VMALLOC, KIND_PERCPU };

/* What tables of one kind differ in. */
struct comparison_type {
	enum comparison_kind kind;
	enum subject_kind
		always; /* used instead of the options' @by, directories in full depth */
	const struct table_type *table;
	const char *title;
};

/**
 * struct comparison_sample - zero-initialise it
 * @bytes, @hits, @net: by unit: bytes allocated, allocations, bytes live at the end
 * @of: intervals of each group; NULL until comparison_sample_end(); @all: of all groups
 */
struct comparison_sample {
	struct unit_pieces bytes, hits, net;
	struct comparison_intervals *of, all;
};

/* An account row's unit, and how many objects or pages each of its own stands for. */
struct sampled_row {
	uint32_t times;
	uint64_t unit;
};

/**
 * struct comparison - one table under construction
 * @of: the lives of the stream's account
 * @sources: for a table by cache: source_key() -> source
 * @groups: number n of @names belongs to groups[n - 1]
 * @group_of: by source, which is an account row that ever was live, or an entry of @sources
 * @all: the sums of the whole table
 * @sample: intervals, if figures are estimated from a sample
 */
struct comparison {
	const struct analysis_env *env;
	const struct comparison_type *type;
	enum comparison_kind kind;
	enum subject_kind by;
	struct lives *of;
	struct u64_map sources;
	struct intern names;
	struct comparison_group *groups;
	size_t groups_capacity;
	uint32_t *group_of;
	size_t nr_sources, sources_capacity;
	struct comparison_group all;
	struct strbuf name; /* scratch */
	struct comparison_sample sample;
	bool failed;
};

/* Callbacks for a struct analysis whose table has that @type. */
int comparison_create(struct comparison *p, const struct analysis_options *opts,
		      const struct comparison_type *type);
void comparison_end(void *self);
int comparison_view(const void *self, struct report *report);
void comparison_destroy(void *self);

struct sampled_row sampled_row(const struct lives *of, uint32_t row);
/* Adds an allocation of @bytes, not weighted. 0 or -ENOMEM. */
int comparison_sample_add(struct comparison_sample *s, uint32_t group, uint64_t unit,
			  uint64_t bytes) __must_check;
/* Computes the intervals of @nr groups; @what: of allocations. 0 or -ENOMEM. */
int comparison_sample_end(struct comparison_sample *s, const struct sample *sample,
			  enum estimate_of what, size_t nr) __must_check;
void comparison_sample_free(struct comparison_sample *s);

#endif
