/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): how much is live at the end, at least and at most.
 * In: finished accounts. Out: for rows of a page, for its callsites and its caches.
 */
#ifndef KMEMX_ANALYSIS_REPORT_ENDS_H
#define KMEMX_ANALYSIS_REPORT_ENDS_H

#include "analysis/bounds.h"
#include "analysis/peak.h"
#include "report/web_report.h"

/**
 * struct report_end_group - what rows of an account are added up by
 * @of: of each of the account's rows: which sum, below @nr
 */
struct report_end_group {
	const uint32_t *of;
	size_t nr;
};

/* The ranges of slab objects, or of the pages of @callsites, which sites_beyond() gives for each
 * row: those of @group are in @ranges, which has room for them. 0 or -ENOMEM.
 */
int report_ends_slab(const struct analysis_env *env, const struct peak *peak,
		     const struct report_end_group *group,
		     struct net_range *ranges) __must_check;
int report_ends_pages(const struct analysis_env *env, const struct peak *peak,
		      uint64_t *callsites, const struct report_end_group *group,
		      struct net_range *ranges) __must_check;

#endif
