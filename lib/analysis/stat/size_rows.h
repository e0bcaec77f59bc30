/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): the rows of one table of sizes.
 * In: lives of slab objects. Out: for each row the number of allocations, and the peak of live
 * objects.
 *
 * The peak of a sum is not the sum of the peaks, so table rows are resolved while lives come in,
 * once for each row of the account and size.
 */
#ifndef KMEMX_ANALYSIS_SIZE_ROWS_H
#define KMEMX_ANALYSIS_SIZE_ROWS_H

#include "analysis/row/subject.h"

/* The key of a table row; without padding, as keys are compared as bytes. */
struct size_row_key {
	uint32_t subject;
	uint32_t range; /* of requested sizes: up to 2^range bytes */
	uint32_t bytes; /* of an object: the class */
	uint32_t cache; /* of objects that kmalloc did not give */
	uint32_t kmalloc;
};

/**
 * struct size_row_counts - sums of a row
 * @hit: allocations; @req: bytes requested; @largest: the largest request
 * @live: live now; @most: live at the peak
 */
struct size_row_counts {
	uint64_t hit, req;
	uint64_t live, most;
	uint32_t largest;
};

/**
 * struct size_rows - size_rows_init() it
 * @lives: the source of the lives
 * @known: keys: row of @lives, range and class
 * @of: entry of @known -> row of the table, with SIZE_ROW_SKIPPED if the user wants its callsite
 *	skipped
 * @keys: keys of the rows; number n has the counts n - 1
 * @unskipped: allocations listed under a skipped function
 * @failed: memory ran out; the numbers are void
 */
struct size_rows {
	const struct analysis_env *env;
	const struct slab_lives *lives;
	enum subject_kind kind;
	struct sites sites;
	struct subjects subjects;
	struct intern known;
	struct recent_keys recent;
	uint32_t *of;
	size_t nr_of, of_capacity;
	struct intern keys;
	struct size_row_counts *counts;
	size_t nr, capacity;
	uint64_t unskipped;
	bool failed;
};

#define SIZE_ROW_SKIPPED (1U << 31)

/* @r must not be moved. 0 or -ENOMEM; call size_rows_free() in any case. */
int size_rows_init(struct size_rows *r, const struct analysis_env *env,
		   const struct slab_lives *lives, enum subject_kind kind) __must_check;
/* Takes lives in the order of their events. */
void size_rows_take(struct size_rows *r, const struct life *life, size_t nr);
static inline const struct size_row_key *size_rows_key(const struct size_rows *r,
						       size_t i)
{
	return intern_get(&r->keys, (uint32_t)i + 1, NULL);
}

void size_rows_free(struct size_rows *r);

#endif
