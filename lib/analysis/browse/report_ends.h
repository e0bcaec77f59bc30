/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): bounds of live memory at the end.
 * In: finished accounts. Out: ranges for rows of a page, for its callsites and its caches.
 */
#ifndef KMEMX_ANALYSIS_REPORT_ENDS_H
#define KMEMX_ANALYSIS_REPORT_ENDS_H

#include "analysis/bounds/bounds.h"
#include "analysis/time/peak.h"
#include "report/web/web_report.h"

/**
 * struct report_end_group - how rows of an account are added up
 * @of: by account row: the number of its sum, below @nr
 */
struct report_end_group {
	const uint32_t *of;
	size_t nr;
};

/* Computes the ranges of @group's sums of slab objects, or of pages, into @ranges, which has room
 * for them. @callsites: for each row of pages, from sites_beyond(). 0 or -ENOMEM.
 */
int report_ends_slab(const struct analysis_env *env, const struct peak *peak,
		     const struct report_end_group *group,
		     struct net_range *ranges) __must_check;
int report_ends_pages(const struct analysis_env *env, const struct peak *peak,
		      uint64_t *callsites, const struct report_end_group *group,
		      struct net_range *ranges) __must_check;

#endif
