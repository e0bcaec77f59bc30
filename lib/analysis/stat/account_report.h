/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: shared code of the tables of one account, of any kind of memory.
 * In: finished accounts. Out: rows added up, their bounds, columns, the summary.
 */
#ifndef KMEMX_ANALYSIS_ACCOUNT_REPORT_H
#define KMEMX_ANALYSIS_ACCOUNT_REPORT_H

#include "analysis/bounds/reclaimable.h"
#include "analysis/bounds/slab_bounds.h"
#include "analysis/row/estimate.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"

/* The account behind the analyses slab, page, vmalloc, percpu-memory, account, owners and
 * footprint.
 */
struct account_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *lives; /* of the stream's account; others may use it, too */
};

/**
 * struct account_report - the tables of a finished account
 * @live: tables show only what is still allocated
 * @callsites: by account row, as the reader sees them; 0: unknown
 * @charged: of pages: GFP flags of those that are charged to a control group
 * @knows_charged: it is known what is charged
 * @net: range of everything; @allocated, @living: in a sample: bytes of everything
 * @summarised: the summary stands under the first table
 */
struct account_report {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	const struct lives *lives;
	bool live;
	struct sites sites;
	uint64_t *callsites, charged;
	bool knows_charged;
	struct slab_bounds bounds;
	struct reclaimable reclaimable;
	struct net_range net;
	struct estimate allocated, living;
	bool summarised;
};

/* Asks for the account of @memory. @task_sums: rows are used as struct dimensions requires. 0 or as
 * the create callback of struct analysis.
 */
int account_analysis_ask(struct account_analysis *a, enum memory memory,
			 bool task_sums) __must_check;
/* Lets @show add its tables. 0, -ENOMEM, or the return value of @show. */
int account_analysis_view(const struct account_analysis *a, struct report *report,
			  int (*show)(struct account_report *r, struct report *report));

static inline enum memory account_report_memory(const struct account_report *r)
{
	return r->lives->kind->memory;
}

static inline bool account_report_of_pages(const struct account_report *r)
{
	return account_report_memory(r) == MEMORY_PAGE;
}

/* Are figures estimated from a sample? No sample leaves out areas. */
static inline bool account_report_estimates(const struct account_report *r)
{
	return r->env->sample.one_in && account_report_memory(r) <= MEMORY_PAGE;
}

/* Sums of account rows. @of: by row, the number of its sum, below @nr; UINT32_MAX: none; NULL: all
 * are sum 0. @kind: what the sums are by; SUBJECT_NONE: one of all rows.
 */
struct account_groups {
	enum subject_kind kind;
	const uint32_t *of;
	size_t nr;
};

/* Figures of account rows: bytes allocated, live at the end, and sure to be live. */
enum account_figure { ACCOUNT_ALLOCATED, ACCOUNT_LIVING, ACCOUNT_SURE };

/* In a sample: estimates of sums of account rows, see unit_pieces_estimate(). 0 or -ENOMEM. */
int account_report_estimate(const struct account_report *r, enum account_figure figure,
			    const struct account_groups *groups,
			    struct estimate *out) __must_check;

/* The key of a sum; account rows with the same key are added up. Only pages have more than a
 * subject.
 */
struct account_key {
	uint64_t gfp_flags;
	uint32_t subject;
	uint32_t order;
	int32_t migratetype;
	uint32_t pad; /* zero: keys are compared as bytes */
};

/* A row of a table: account rows added up. */
struct account_sum {
	struct lives_sums counts;
	struct net_range net;
	uint64_t cache;	  /* of the best estimate, what the kernel can reclaim */
	uint64_t charged; /* bytes of what is charged, or those not seen freed */
	struct estimate
		bytes; /* of a sample: allocated, or live where that is asked for */
};

/* Which allocations count; ACCOUNT_FAILED: of pages, requests that failed. */
enum account_part { ACCOUNT_ALL, ACCOUNT_KMALLOC, ACCOUNT_CACHES, ACCOUNT_FAILED };

/**
 * struct account_sums - the rows of one table; zero-initialise it, set the first members
 * @by_order, @by_migratetype, @by_gfp: rows of pages differ in these, too
 * @sums: by struct account_key
 * @of: by row of the account: its sum; UINT32_MAX: none
 */
struct account_sums {
	enum account_part part;
	bool by_order, by_migratetype, by_gfp;
	const struct account_report *report;
	struct subjects subjects;
	KEYED(struct account_sum) sums;
	uint32_t *of;
};

/* Adds up the account's rows by @kind. 0 or -ENOMEM; account_sums_free() in any case. */
int account_sums_collect(struct account_sums *s, struct account_report *r,
			 enum subject_kind kind) __must_check;
/* The range of all sums together. 0 or -ENOMEM. */
int account_sums_net(const struct account_sums *s, struct net_range *net) __must_check;
void account_sums_free(struct account_sums *s);

/* Kinds of rows of pages that also differ in order, migratetype and GFP flags, as in perf. */
#define PAGE_DETAILED (ROWS(NONE) | ROWS(CALLSITE) | ROWS(STACK))

/**
 * struct account_row - a row's data in the tables
 * @subject: what the row stands for; @at: the address or the frame, in tables by that
 * @row: in such tables: the account row of the latest allocation there
 * @alloc, @req, @hit: sums of all allocations, or of the live ones
 * @cache: of the best estimate, what the kernel can reclaim
 * @charged: of @alloc, what is charged to the control group
 * @bytes: in a sample; else NULL
 * @gfp_used: receives the flags that cells show
 */
struct account_row {
	struct subject_row subject;
	const struct account_report *report;
	uint64_t at;
	uint32_t row;
	uint64_t alloc, req, hit;
	const struct lives_sums *counts;
	const struct net_range *net;
	uint64_t cache, charged;
	const struct estimate *bytes;
	const struct account_key *key;
	uint64_t *gfp_used;
};

/* Is what account row @row has charged to the control group of its process? @charged: of pages, as
 * in struct account_report.
 */
bool account_is_charged(const struct lives *lives, size_t row, uint64_t charged);

/* --skip-func: notes how many allocations of slab objects it could not move, because they have no
 * callchain.
 */
void account_note_unskipped(const struct account_report *r, struct table *t);
/* For a table by cache, made from the first @nr rows: notes why caches have no name, if one lacks
 * it.
 */
void slab_note_unnamed(const struct lives *lives, size_t nr, struct table *t);
/* Add the summary of objects, or of pages with important notes, to @t. */
void slab_report_summary(const struct account_report *r, struct table *t);
void page_report_summary(const struct account_report *r, struct table *t);
/* Adds the table "slab_free_only" or "page_free_only": who freed what no event allocated; that of
 * pages only if frees have callchains. 0 or -ENOMEM.
 */
int account_report_free_only(struct account_report *r,
			     struct report *report) __must_check;

/* Bytes allocated beyond the bytes requested. */
static inline uint64_t slab_waste(uint64_t alloc, uint64_t req)
{
	return less(alloc, req);
}

/* perf's fragmentation: the part of the allocated bytes that was not requested, in percent. */
static inline struct cell slab_frag_cell(uint64_t alloc, uint64_t req)
{
	return cell_real(alloc ? 100.0 - 100.0 * (double)req / (double)alloc : 0.0);
}

extern const struct table_type slab_type, slab_cache_type, vmalloc_type,
	percpu_memory_type, page_type, page_failed_type;
extern const struct table_type slab_free_only_type, page_free_only_type;

/**
 * page_matrix() - add the matrix to a report
 *
 * One row per order, from 0 to the highest seen; one column per migratetype, up to the highest
 * seen, by name or else by number. Cells count successful allocations, or live blocks with @live.
 * Return: 0 or -ENOMEM.
 */
int page_matrix(const struct page_lives *acc, const struct analysis_env *env, bool live,
		struct report *report) __must_check;
extern const struct table_type page_matrix_type;

#endif
