/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: shared code of the page allocator's tables.
 * In: finished page accounts. Out: the summary; the tables of failures and of frees without an
 * allocation.
 */
#ifndef KMEMX_ANALYSIS_PAGE_REPORT_H
#define KMEMX_ANALYSIS_PAGE_REPORT_H

#include "account/page_account.h"
#include "analysis/bounds/bounds.h"
#include "analysis/bounds/reclaimable.h"
#include "analysis/row/estimate.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"

/**
 * struct page_report - the tables of a finished account
 * @callsites: by account row; 0: unknown
 * @charged: GFP flags of pages that are charged to a control group; 0: not known
 * @summarised: the summary stands under the first table
 */
struct page_report {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	const struct page_account *acc;
	struct sites sites;
	struct bounds bounds;
	struct reclaimable reclaimable; /* of tables by who allocated; else zero */
	uint64_t *callsites, charged;
	bool summarised;
};

extern const struct table_type page_failed_type, page_free_only_type;

/* Finds the callsites that free without an event, which the net figures need. @page must have env,
 * acc, sites and callsites. 0 or -ENOMEM; call bounds_free() in any case.
 */
int page_report_bounds(struct page_report *page) __must_check;
/* The range, in bytes, of @live pages of account row @row, @sure of which came after the last gap.
 */
struct net_range page_report_net(const struct page_report *page, uint32_t row,
				 uint64_t live, uint64_t sure);
/* Are figures estimated from a sample? */
static inline bool page_report_estimates(const struct page_report *page)
{
	return page->env->sample.one_in;
}

/* Figures of account rows: bytes allocated, live at the end, and sure to be live. */
enum page_figure { PAGE_ALLOCATED, PAGE_LIVING, PAGE_SURE };

/* In a sample: estimates of sums of account rows, see unit_pieces_estimate(). 0 or -ENOMEM. */
int page_report_estimate(const struct page_report *page, enum page_figure figure,
			 const uint32_t *group_of, struct estimate *out,
			 size_t nr) __must_check;
/* Adds the summary and important notes to @t if it is the first table. */
void page_report_summary(struct page_report *page, struct table *t);
/* A migratetype's name, or its number. */
struct cell page_report_migratetype(const struct page_report *page, struct table *t,
				    int value);
/* The short names of GFP flags; adds those that occur to @used. */
struct cell page_report_gfp(const struct page_report *page, struct table *t,
			    uint64_t flags, uint64_t *used);
/* The full names, separated by '|'; "" if there are none. */
struct cell page_report_gfp_names(const struct page_report *page, struct table *t,
				  uint64_t flags);
/* Gives @t a legend, "GFP: C __GFP_COMP  K GFP_KERNEL", of the names in @used. */
void page_report_legend(const struct page_report *page, struct table *t, uint64_t used);
/* Adds the table "page_tree": the functions that lead to the callsites. 0 or -ENOMEM. */
int page_report_tree(struct page_report *page, struct report *report) __must_check;
/* Adds the table "page_failed" if requests failed: who asked. 0 or -ENOMEM. */
int page_report_failed(struct page_report *page, struct report *report) __must_check;
/* Adds the table "page_free_only" if frees have callchains: who freed pages that no event
 * allocated. 0 or -ENOMEM.
 */
int page_report_free_only(struct page_report *page, struct report *report) __must_check;

#endif
