/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: joins the ledger's events with the kernel's counts, by cache.
 * In: a ledger's groups, slabinfo before and after. Out: rows, each for one or several caches.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_CACHES_H
#define KMEMX_ANALYSIS_LEDGER_CACHES_H

#include "analysis/ledger/ledger.h"
#include "base/strbuf.h"

/**
 * struct cache_row - a row of the report: a cache, or kmalloc caches that events cannot tell apart
 * @name: number in the census's names; 0: none
 * @before, @after: objects by slabinfo; with @exact by the counts, and then the fields below cover
 *	the events between the counts
 * @slack: free objects that @before or @after may include; @sheaves: those of them in sheaves
 * @unsure: events during a count, which the count may include or not
 * @dying: objects handed to RCU whose end no event shows; @waiting: those that RCU has not freed
 * @events: what the events say of its caches
 * @nameless: objects of its size were allocated that are in no row
 * @steps: the kernel's curve and that of the events; NULL: the curve does not have all its caches
 * @members: names of its caches, if there are several
 */
struct cache_row {
	uint32_t name;
	uint32_t nr_caches, nr_counted;
	bool filled; /* one of its caches was not empty when it was counted */
	int64_t before, after;
	struct census_reading first, last;
	bool exact;
	uint64_t slack, sheaves, unsure;
	struct ledger_group events;
	uint64_t dying, waiting;
	bool nameless;
	struct ledger_row_steps *steps;
	struct strbuf members;
};

/**
 * struct ledger_caches - all rows
 * @census: the kernel's numbers; its names are also those of caches that slabinfo does not list
 * @cache_rows: by cache of the census
 */
struct ledger_caches {
	const struct ledger *ledger;
	struct census census;
	uint32_t *cache_rows;
	KEYED(struct cache_row) rows; /* by struct row_key */
	struct u64_map
		named; /* group -> the cache that most frees of its objects named */
	struct u64_map shared; /* sizes for which one cache serves several types */
	uint32_t *group_rows;  /* group -> its row; UINT32_MAX: none */
	uint64_t nameless,
		nameless_net; /* allocations whose cache is not known; less frees */
	struct u64_map nameless_sizes; /* their sizes */
	uint64_t large_net;  /* kmalloc beyond the caches: allocations minus frees */
	uint64_t nr_unknown; /* frees of an unknown cache */
};

/* The key of the group of an object of @bytes bytes in the account's row @row. */
struct ledger_key ledger_key_of(const struct ledger *ledger, uint32_t row,
				uint64_t bytes);

/* Makes the rows; set .ledger, the rest zero. 0 or -ENOMEM; ledger_caches_free() in any case. */
int ledger_caches_make(struct ledger_caches *lc) __must_check;
/* The name of the row's most general cache; NULL: none. */
const char *cache_row_name(const struct ledger_caches *lc, const struct cache_row *row);
/* Adds the table of steps; there is at least one. */
void ledger_step_report(const struct ledger_caches *lc, struct report *report);
void ledger_caches_free(struct ledger_caches *lc);

#endif
