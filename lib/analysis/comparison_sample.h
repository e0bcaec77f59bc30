/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): intervals of a comparison's figures, which are estimated from a sample.
 * In: what each unit of the sample has of each group. Out: intervals.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_SAMPLE_H
#define KMEMX_ANALYSIS_COMPARISON_SAMPLE_H

#include "account/page_account.h"
#include "account/slab_account.h"
#include "analysis/comparison_columns.h"
#include "analysis/estimate.h"

/**
 * struct comparison_sample - zero-initialise it
 * @bytes, @hits, @net: what units have: allocated, allocations, live at the end
 * @of: of each group; NULL until comparison_sample_end(); @all: of all groups
 */
struct comparison_sample {
	struct unit_pieces bytes, hits, net;
	struct comparison_intervals *of, all;
};

/* Of an account row: how many an object or page of it stands for, and its unit. */
struct sampled_row {
	uint32_t times;
	uint64_t unit;
};

/* Of row @row of @pages, or of @slab where that is NULL. */
struct sampled_row sampled_row(const struct slab_account *slab,
			       const struct page_account *pages, uint32_t row);
/* Something of @bytes, not weighted, was allocated. 0 or -ENOMEM. */
int comparison_sample_add(struct comparison_sample *s, uint32_t group, uint64_t unit,
			  uint64_t bytes) __must_check;
/* Works out the intervals of @nr groups, of slab objects or of pages. 0 or -ENOMEM. */
int comparison_sample_end(struct comparison_sample *s, const struct sample *sample,
			  bool slab, size_t nr) __must_check;
/* Of a copy: gives it memory of its own; no intervals yet. */
void comparison_sample_own(struct comparison_sample *s, bool *failed);
void comparison_sample_free(struct comparison_sample *s);

#endif
