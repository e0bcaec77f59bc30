/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the page allocator's tables share.
 * In: finished page accounts. Out: the summary; the tables of failures and of frees alone.
 */
#ifndef KMEMX_ANALYSIS_PAGE_REPORT_H
#define KMEMX_ANALYSIS_PAGE_REPORT_H

#include "analysis/bounds.h"
#include "analysis/estimate.h"
#include "account/page_account.h"
#include "analysis/sites.h"
#include "analysis/subject.h"

/**
 * struct page_report - one view of a finished account
 * @callsites: of each account row; 0 unknown
 * @summarised: the summary stands under the first table
 */
struct page_report {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	const struct page_account *acc;
	struct sites sites;
	struct bounds bounds;
	uint64_t *callsites;
	bool summarised;
};

extern const struct table_type page_failed_type, page_free_only_type;

/* Finds out which callsites free without an event; only then are the net figures known. What it
 * needs of @page: env, acc, sites and callsites. 0 or -ENOMEM; bounds_free() in any case.
 */
int page_report_bounds(struct page_report *page) __must_check;
/* The range of @live pages of account row @row, of which @sure came after the last gap; in
 * bytes.
 */
struct net_range page_report_net(const struct page_report *page, uint32_t row,
				 uint64_t live, uint64_t sure);
/* Are figures estimated from a sample? */
static inline bool page_report_estimates(const struct page_report *page)
{
	return page->env->sample.one_in;
}

/* What account rows have: bytes allocated, live at the end, and sure to be. */
enum page_figure { PAGE_ALLOCATED, PAGE_LIVING, PAGE_SURE };

/* Of a sample: estimates of sums of account rows, as unit_pieces_estimate() takes them. 0 or
 * -ENOMEM.
 */
int page_report_estimate(const struct page_report *page, enum page_figure figure,
			 const uint32_t *group_of, struct estimate *out,
			 size_t nr) __must_check;
/* Puts the summary, and what the reader must know, under @t if it is the first table. */
void page_report_summary(struct page_report *page, struct table *t);
/* A migratetype's name, or its number. */
struct cell page_report_migratetype(const struct page_report *page, struct table *t,
				    int value);
/* The short names of GFP flags; notes in @used which there were. */
struct cell page_report_gfp(const struct page_report *page, struct table *t,
			    uint64_t flags, uint64_t *used);
/* The full names, with '|' between them; "" where there are none. */
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
