/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: shared code of the slab tables.
 * In: finished slab accounts. Out: rows added up, the summary, columns.
 */
#ifndef KMEMX_ANALYSIS_SLAB_REPORT_H
#define KMEMX_ANALYSIS_SLAB_REPORT_H

#include "account/slab_account.h"
#include "analysis/bounds/slab_bounds.h"
#include "analysis/row/estimate.h"
#include "analysis/row/sites.h"
#include "analysis/row/subject.h"

/* Which slab allocations count. */
enum account_part { ACCOUNT_ALL, ACCOUNT_KMALLOC, ACCOUNT_CACHES };

/* The account behind the analyses slab, vmalloc, percpu-memory and account. */
struct slab_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_account *acc; /* of the stream; others may use it, too */
};

/* What the tables of a kind of objects call them. */
struct slab_words {
	const char *all, *live; /* "Slab allocations", "Live slab objects" */
	const char *event, *summary;
};

/**
 * struct slab_report - the tables of a finished account
 * @net: range of everything; @allocated, @living: in a sample: bytes of everything
 * @summarised: the summary stands under the first table
 */
struct slab_report {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	const struct slab_account *acc;
	struct sites sites;
	struct slab_bounds bounds;
	struct net_range net;
	struct estimate allocated, living;
	bool summarised;
};

/* Asks for the account of objects of @memory. @task_sums: rows are used as struct dimensions
 * requires. 0 or as the create callback of struct analysis.
 */
int slab_analysis_ask(struct slab_analysis *slab, enum memory memory,
		      bool task_sums) __must_check;
/* Lets @show add its tables. 0, -ENOMEM, or the return value of @show. */
int slab_analysis_view(const void *self, struct report *report,
		       int (*show)(struct slab_report *slab, struct report *report));

/**
 * struct slab_row - a row's data in the slab tables
 * @subject: what the row stands for; @ptr: the address, in tables by address
 * @row: in tables by address: the account row of the latest object there
 * @alloc, @req, @hit: sums of all objects, or of the live ones
 */
struct slab_row {
	struct subject_row subject;
	const struct slab_report *slab;
	uint64_t ptr;
	uint32_t row;
	uint64_t alloc, req, hit;
	const struct slab_counts *counts;
	const struct net_range *net;
	uint64_t cache;	  /* of the best estimate, what the kernel can reclaim */
	uint64_t charged; /* of @alloc, what is charged to the control group */
	const struct estimate *bytes; /* in a sample; else NULL */
};

/* The kind of the objects: slab objects, areas of vmalloc or per-CPU memory. */
static inline enum memory slab_report_memory(const struct slab_report *slab)
{
	return slab->acc->lives.any.kind->memory;
}

/* Its words. */
const struct slab_words *slab_report_words(const struct slab_report *slab);

/* Are figures estimated from a sample? No sample leaves out areas. */
static inline bool slab_report_estimates(const struct slab_report *slab)
{
	return slab->env->sample.one_in && slab_report_memory(slab) == MEMORY_SLAB;
}

/* A cell of both the slab tables and the account table; @row is a struct slab_row. */
struct cell slab_cell_waste_live(const void *row, struct table *t);

/* A row of a table: account rows added up. */
struct slab_sum {
	struct slab_counts counts;
	struct net_range net;
	uint64_t cache;	  /* of the best estimate, what the kernel can reclaim */
	uint64_t charged; /* bytes of what is charged, or those not seen freed */
	struct estimate
		bytes; /* of a sample: allocated, or live where that is asked for */
};

struct slab_sums {
	struct subjects subjects;
	struct slab_sum *sums; /* by row of @subjects */
	struct net_range net;  /* of all sums together */
	size_t nr, capacity;
};

/* The callsite of account row @row, as the reader sees it. */
uint64_t slab_report_callsite(const struct slab_report *slab, size_t row);
/* Where callchains are needed: notes how many allocations have none. @none, @some: what follows if
 * all or some of them do.
 */
void slab_report_note_stackless(const struct slab_report *slab, const char *none,
				const char *some, struct table *t);
/* Adds up the account's rows that @rows selects, by @kind. 0 or -ENOMEM; slab_sums_free() in any
 * case.
 */
int slab_sums_collect(struct slab_sums *s, struct slab_report *slab,
		      enum subject_kind kind, enum account_part rows) __must_check;
void slab_sums_free(struct slab_sums *s);
/* --skip-func: notes how many allocations it could not move, because they have no callchain. */
void slab_report_note_unskipped(const struct slab_report *slab, struct table *t);
/* For a table by cache, made from the first @nr rows: notes why caches have no name, if one lacks
 * it.
 */
void slab_report_note_unnamed(const struct slab_account *acc, size_t nr, struct table *t);
/* Adds the summary to @t if it is the first table. */
void slab_report_summary(struct slab_report *slab, struct table *t);
extern const struct table_type slab_free_only_type;
/* Adds the table "slab_tree": the functions that lead to the callsites. 0 or -ENOMEM. */
int slab_report_tree(struct slab_report *slab, struct report *report) __must_check;
/* Adds the table "slab_free_only": who freed what no event allocated. 0 or -ENOMEM. */
int slab_report_free_only(struct slab_report *slab, struct report *report) __must_check;

/* Bytes allocated beyond the bytes requested. */
static inline uint64_t slab_waste(uint64_t alloc, uint64_t req)
{
	return alloc > req ? alloc - req : 0;
}

#endif
