/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger's events and the kernel's counts, brought together by cache.
 * In: a ledger's groups, slabinfo before and after. Out: rows, each a cache or several.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_BOOKS_H
#define KMEMX_ANALYSIS_LEDGER_BOOKS_H

#include "analysis/ledger.h"
#include "base/strbuf.h"

/* A count of a cache's objects, or of a row's, made from @read to @end (ns); @held: free objects
 * in slabs that CPUs held, at most, which it has as in use.
 */
struct books_count {
	bool counted;
	uint64_t objects, read, end, held;
};

/* A cache of slabinfo. @sheaf: objects of a sheaf; 0: it has none. */
struct books_cache {
	uint32_t row;
	uint64_t size, per_slab, pages, sheaf;
	struct books_count first, last;
};

/**
 * struct books_row - a row of the report: a cache, or kmalloc caches that no event distinguishes
 * @name: number in books.names; 0: none
 * @before, @after: objects, by slabinfo; if @exact by the counts, and then what follows is of the
 *	events between them
 * @slack: free ones that @before or @after may have; of them @sheaves: in sheaves
 * @unsure: events while it was counted, which a count may have or not
 * @again: frees of an object that no event had allocated since its last free
 * @members: names of its caches, if they are several
 */
struct books_row {
	uint32_t name;
	uint32_t nr_caches, nr_counted;
	int64_t before, after;
	struct books_count first, last;
	bool exact;
	uint64_t slack, sheaves, unsure;
	uint64_t allocs, freed, implicit, again;
	struct strbuf members;
};

struct books {
	const struct ledger *ledger;
	struct intern names; /* of caches; number n belongs to caches[n - 1] */
	struct books_cache *caches;
	size_t nr_caches, caches_capacity;
	struct intern row_keys; /* struct row_key */
	struct books_row *rows;
	size_t nr_rows, rows_capacity;
	struct u64_map shared; /* sizes of which one cache serves several kmalloc types */
	uint32_t *group_rows;  /* of each group: its row; UINT32_MAX: none */
	uint32_t *
		unknown_rows; /* of each page of the ledger's unknown objects: the same */
	uint64_t large_net;   /* kmalloc beyond the caches: allocations less frees */
	uint64_t nr_unknown;  /* kfree()s of an unknown cache */
};

/* Makes the rows; set .ledger, the rest zero. 0 or -ENOMEM; books_free() in any case. */
int books_make(struct books *b) __must_check;
/* The name of its plainest cache; NULL: it has none. */
const char *books_row_name(const struct books *b, const struct books_row *row);
void books_free(struct books *b);

#endif
