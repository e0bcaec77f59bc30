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

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "recording/sample.h"

/* How often the truth is to be in the interval: percent. */
#define ESTIMATE_PERCENT 95

/**
 * struct estimate - of one sum
 * @seen: what the recording itself has: the sum is at least that
 * @value, @low, @high: of all memory, the first between the others
 * @units: units that have any of it, but for what is recorded in any case. 0: the value is
 *	exact for what is recorded in any case, and of the rest nothing is known
 */
struct estimate {
	uint64_t seen;
	uint64_t value, low, high;
	uint64_t units;
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
 * @one_in: of the sample
 * @group_of: of each row, the sum that it belongs to, below @nr; UINT32_MAX: none
 * @out: @nr of them
 *
 * Return: 0 or -ENOMEM.
 */
int unit_pieces_estimate(const struct unit_pieces *p, uint32_t one_in,
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
int estimate_rows(const struct row_values *values, uint32_t one_in,
		  const uint32_t *group_of, struct estimate *out, size_t nr) __must_check;

#endif
