/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: estimates for all memory from a sample.
 * In: what each unit of the sample holds of each row. Out: estimates of sums of rows, with
 * intervals.
 *
 * The sample consists of units (blocks of memory), not of objects, so the interval follows from how
 * much the units differ. Documentation/sampling.md has the formula and how often it is right.
 */
#ifndef KMEMX_ANALYSIS_ESTIMATE_H
#define KMEMX_ANALYSIS_ESTIMATE_H

#include "account/lives.h"
#include "base/keyed.h"
#include "recording/sample.h"
#include "report/table.h"

/* The interval contains the true value in this percentage of cases. */
#define ESTIMATE_PERCENT 95

/**
 * struct estimate - the estimate of one sum
 * @seen: what the recording itself has, a lower bound of the sum
 * @value, @low, @high: for all memory; @value lies between the others; low < high
 * @units: units of the sample that have any of it, except for those that are always recorded
 * @even: the effective number of units: as many equally full units would give the same interval
 * @largest: the largest share that one unit has: 0 to 1
 * @missing: the most (95 %) that a row with nothing in the sample may have
 * @shared: it was ESTIMATE_SHARED
 */
struct estimate {
	uint64_t seen;
	uint64_t value, low, high;
	uint64_t units;
	double even, largest;
	uint64_t missing;
	bool shared;
};

/* What is estimated. Short-lived objects reuse few addresses, so few units have most slab
 * allocations, and these units are usually not in the sample.
 */
enum estimate_of {
	ESTIMATE_PAGES,	 /* pages, allocated or live */
	ESTIMATE_LIVING, /* live slab objects */
	ESTIMATE_OWN,	 /* slab allocations, by what has addresses of its own */
	ESTIMATE_CACHES, /* slab allocations, by cache */
	ESTIMATE_SHARED, /* slab allocations, by what shares addresses: tasks, CPUs; or all */
	ESTIMATE_NR,
};

/**
 * struct estimate_rule - parameters of estimates
 * @sample: the recording's sample
 * @of: what is estimated
 */
struct estimate_rule {
	const struct sample *sample;
	enum estimate_of of;
};

/* The part of a row in one unit. */
struct unit_piece {
	uint64_t unit, value;
	uint32_t row;
};

/* Zero-initialise it. */
struct unit_pieces {
	KEYED(struct unit_piece) items; /* by row and unit */
};

/* The unit that row @row's memory is in. */
static inline uint64_t estimate_unit(const struct lives *lives, size_t row)
{
	uint32_t unit = lives_value(lives, row, DIMENSION_UNIT);

	return unit ? unit : SAMPLE_CERTAIN;
}

/**
 * unit_pieces_add() - @unit holds @value more of @row
 * @unit: sample_object() or sample_block(), not SAMPLE_OUT
 *
 * Sums saturate at UINT64_MAX. Return: 0 or -ENOMEM.
 */
int unit_pieces_add(struct unit_pieces *p, uint32_t row, uint64_t unit,
		    uint64_t value) __must_check;
/**
 * unit_pieces_estimate() - estimate sums of rows
 * @group_of: by row, the number of its sum, below @nr; UINT32_MAX: none; NULL: all are sum 0
 * @out: receives @nr estimates
 *
 * Return: 0 or -ENOMEM.
 */
int unit_pieces_estimate(const struct unit_pieces *p, const struct estimate_rule *rule,
			 const uint32_t *group_of, struct estimate *out,
			 size_t nr) __must_check;
void unit_pieces_free(struct unit_pieces *p);

/* Figures of account rows that also differ in the unit; @of: by row of @lives, not weighted. */
struct row_values {
	const struct lives *lives;
	const uint64_t *of;
};

/* unit_pieces_estimate() for the rows of an account, with the figures of @values. */
int estimate_rows(const struct row_values *values, const struct estimate_rule *rule,
		  const uint32_t *group_of, struct estimate *out, size_t nr) __must_check;

/* The cell of column "one_block", of a struct estimate; no value for memory that is always
 * recorded.
 */
struct cell estimate_block(const void *estimate, struct table *t);
/* Adds to a table's summary the interval of @e: "NAME_low", "TITLE, at least (95 %)", and its other
 * end. @live: it counts live memory.
 */
void estimate_ends(const struct estimate *e, const char *name, const char *title,
		   bool live, struct table *t);
/* Adds to a table's summary how much a row that is not in the sample may have, and to its notes
 * whether few addresses decide the ranks. @all: of all its rows; @live: figures are live bytes.
 */
void estimate_summary(const struct estimate *all, bool live, struct table *t);

#endif
