/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what all memory holds, estimated from a sample of it.
 * In: what each unit of the sample holds of each row. Out: estimates of sums of rows, with
 * intervals.
 *
 * A sample is of units, blocks of memory, not of objects, so the interval comes from how much
 * the units differ. Documentation/sampling.md has the formula and how often it is right.
 */
#ifndef KMEMX_ANALYSIS_ESTIMATE_H
#define KMEMX_ANALYSIS_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "recording/sample.h"
#include "report/table.h"

/* How often the truth is to be in the interval: percent. */
#define ESTIMATE_PERCENT 95

/**
 * struct estimate - of one sum
 * @seen: what the recording itself has: the sum is at least that
 * @value, @low, @high: of all memory, the first between the others; low < high
 * @units: units of the sample that have any of it, without what is recorded in any case
 * @even: as many units, equally full, would say as much about all memory
 * @largest: the share that one of the units has of what they have: 0 to 1
 * @missing: what a row may have that has nothing in the sample
 * @reused: ESTIMATE_REUSED was the rule
 */
struct estimate {
	uint64_t seen;
	uint64_t value, low, high;
	uint64_t units;
	double even, largest;
	uint64_t missing;
	bool reused;
};

/* How much heavier than the heaviest unit in the sample one outside of it may be. */
#define ESTIMATE_HEAVIER 2
/* The same of all allocations of slab objects: what is allocated and freed all the time gets the
 * same few addresses. Documentation/sampling.md has how often that is enough.
 */
#define ESTIMATE_REUSED	 256

/**
 * struct estimate_rule - what estimates go by
 * @sample: of the recording
 * @heavier: ESTIMATE_HEAVIER or ESTIMATE_REUSED
 */
struct estimate_rule {
	const struct sample *sample;
	uint32_t heavier;
};

/* What a unit holds of a row. */
struct unit_piece {
	uint64_t unit, value;
	uint32_t row;
};

/* Zero-initialise it. */
struct unit_pieces {
	struct unit_piece *items;
	size_t nr, capacity;
	struct intern index; /* of row and unit; item n has number n + 1 */
};

/**
 * unit_pieces_add() - @unit holds @value more of @row
 * @unit: sample_object() or sample_block(), not SAMPLE_OUT
 *
 * Sums are kept up to UINT64_MAX. Return: 0 or -ENOMEM.
 */
int unit_pieces_add(struct unit_pieces *p, uint32_t row, uint64_t unit,
		    uint64_t value) __must_check;
/**
 * unit_pieces_estimate() - estimate sums of rows
 * @group_of: of each row, the sum that it belongs to, below @nr; UINT32_MAX: none
 * @out: @nr of them
 *
 * Return: 0 or -ENOMEM.
 */
int unit_pieces_estimate(const struct unit_pieces *p, const struct estimate_rule *rule,
			 const uint32_t *group_of, struct estimate *out,
			 size_t nr) __must_check;
void unit_pieces_free(struct unit_pieces *p);

/**
 * struct row_values - figures of account rows that are by unit, too
 * @unit: of a row, as dimension_unit() says; @value: of a row
 */
struct row_values {
	const void *of;
	size_t nr_rows;
	uint32_t (*unit)(const void *of, size_t row);
	uint64_t (*value)(const void *of, size_t row);
};

/* The same of sums of rows of an account: unit_pieces_estimate() of what @values says. */
int estimate_rows(const struct row_values *values, const struct estimate_rule *rule,
		  const uint32_t *group_of, struct estimate *out, size_t nr) __must_check;

/* The cell of column "one_block"; none of what is recorded in any case. */
struct cell estimate_block(const struct estimate *e);
/* Adds to a table what a row that it lacks may have, and whether its ranks are from few addresses.
 * @all: of all its rows; @live: of what lives.
 */
void estimate_summary(const struct estimate *all, bool live, struct table *t);

#endif
