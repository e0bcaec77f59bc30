/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the slab's tables share.
 * In: finished slab accounts. Out: rows added up, the summary, the account table.
 */
#ifndef KMEMX_ANALYSIS_SLAB_REPORT_H
#define KMEMX_ANALYSIS_SLAB_REPORT_H

#include "analysis/sites.h"
#include "account/slab_account.h"
#include "analysis/slab_bounds.h"
#include "analysis/subject.h"

struct slab_report {
	const struct analysis_env *env;
	struct slab_account acc;
	struct sites sites;
	struct slab_bounds bounds;
	struct net_range net; /* of everything */
	bool summarised;      /* the summary stands under the first table */
};

/* A row of a table: account rows added up. */
struct slab_sum {
	struct slab_counts counts;
	struct net_range net;
};

struct slab_sums {
	struct subjects subjects;
	struct slab_sum *sums; /* by row of @subjects */
	struct net_range net;  /* of all of them together */
	size_t nr, capacity;
};

/* The callsite of account row @row, as a reader is to see it. */
uint64_t slab_report_callsite(const struct slab_report *slab, size_t row);
/* Adds the account's rows of @rows up by @kind. 0 or -ENOMEM; to be freed in any case. */
int slab_sums_collect(struct slab_sums *s, struct slab_report *slab,
		      enum subject_kind kind, enum account_rows rows) __must_check;
void slab_sums_free(struct slab_sums *s);
/* --skip-func: tells how many allocations it could not move, as no callchain says where to. */
void slab_report_note_unskipped(const struct slab_report *slab, struct table *t);
/* Puts the summary under @t if it is the first table. */
void slab_report_summary(struct slab_report *slab, struct table *t);
/* Adds the column "net_max", the last one. */
void slab_report_column_max(struct table *t);
/* Adds the table "account". 0 or -ENOMEM. */
int slab_report_account(struct slab_report *slab, struct report *report) __must_check;
/* Adds the table "slab_free_only": who freed what no event allocated. 0 or -ENOMEM. */
int slab_report_free_only(struct slab_report *slab, struct report *report) __must_check;

/* What was allocated over what was asked for. */
static inline uint64_t slab_waste(uint64_t alloc, uint64_t req)
{
	return alloc > req ? alloc - req : 0;
}

#endif
