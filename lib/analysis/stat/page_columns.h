/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the columns of the table "page".
 * In: account rows added up. Out: columns and cells.
 */
#ifndef KMEMX_ANALYSIS_PAGE_COLUMNS_H
#define KMEMX_ANALYSIS_PAGE_COLUMNS_H

#include "analysis/stat/page_report.h"

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

#endif
