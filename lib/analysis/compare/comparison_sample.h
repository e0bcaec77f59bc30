/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): intervals of a comparison's figures, which are estimated from a sample.
 * In: figures of each group, by unit of the sample. Out: intervals.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_SAMPLE_H
#define KMEMX_ANALYSIS_COMPARISON_SAMPLE_H

#include "account/lives.h"
#include "analysis/compare/comparison_columns.h"
#include "analysis/row/estimate.h"

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

struct sampled_row sampled_row(const struct lives *of, uint32_t row);
/* Adds an allocation of @bytes, not weighted. 0 or -ENOMEM. */
int comparison_sample_add(struct comparison_sample *s, uint32_t group, uint64_t unit,
			  uint64_t bytes) __must_check;
/* Computes the intervals of @nr groups; @what: of allocations. 0 or -ENOMEM. */
int comparison_sample_end(struct comparison_sample *s, const struct sample *sample,
			  enum estimate_of what, size_t nr) __must_check;
void comparison_sample_free(struct comparison_sample *s);

#endif
