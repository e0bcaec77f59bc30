/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: shared code of the page allocator's tables.
 * In: finished page accounts. Out: the summary; the tables of failures and of frees without an
 * allocation.
 */
#ifndef KMEMX_ANALYSIS_PAGE_REPORT_H
#define KMEMX_ANALYSIS_PAGE_REPORT_H

#include "account/page_account.h"
#include "analysis/analysis.h"
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

/* The key of a row of the report; rows of the account with the same key are added up. */
struct page_group_key {
	uint64_t gfp_flags;
	uint32_t subject;
	uint32_t order;
	int32_t migratetype;
	uint32_t pad; /* zero: keys are compared as bytes */
};

struct page_group {
	uint64_t hit, pages; /* or the live ones */
	uint64_t implicit_pages;
	struct net_range net;
	uint64_t cache;	       /* of the best estimate, what the kernel can reclaim */
	uint64_t charged;      /* of @pages, those charged to the control group */
	struct estimate bytes; /* in a sample */
};

/* A row's data in the page tables: @subject first. */
struct page_row {
	struct subject_row subject;
	const struct page_report *page;
	uint64_t pfn;
	uint32_t row; /* the account's, in tables by page */
	const struct page_group *sum;
	const struct net_range *net;  /* @sum's */
	const struct estimate *bytes; /* @sum's */
	const struct page_group_key *key;
	uint64_t *gfp_used;
};

/* Kinds of rows that also differ in order, migratetype and GFP flags, as in perf. */
#define PAGE_DETAILED (ROWS(NONE) | ROWS(CALLSITE) | ROWS(STACK))

extern const struct table_type page_type;

/**
 * page_matrix() - add the matrix to a report
 *
 * One row per order, from 0 to the highest seen; one column per migratetype, up to the highest
 * seen, by name or else by number. Cells count successful allocations, or live blocks with @live.
 * Return: 0 or -ENOMEM.
 */
int page_matrix(const struct page_account *acc, const struct analysis_env *env, bool live,
		struct report *report) __must_check;
extern const struct table_type page_matrix_type;

#endif
