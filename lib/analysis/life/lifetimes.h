/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: lifetimes of allocations.
 * In: lives that ended, by row of an account. Out: a histogram for each group of rows, and its
 * quantiles.
 *
 * Times are kept in steps: exact below 32, then sixteen steps for each power of two. A quantile is
 * the middle of its step, so it is at most 1/32 off; memory depends on the distinct steps of each
 * row, not on the number of lives.
 */
#ifndef KMEMX_ANALYSIS_LIFETIMES_H
#define KMEMX_ANALYSIS_LIFETIMES_H

#include "account/lives.h"
#include "base/keyed.h"

#define LIFETIME_STEP_BITS 10
#define LIFETIME_OCTAVES   64

/* The longest life of a row, and its short lives: @nr_short of them, with @bytes_short. */
struct lifetime_row {
	uint64_t longest;
	uint64_t nr_short, bytes_short;
};

/**
 * struct lifetimes - zero-initialise it, set @short_time
 * @short_time: a life up to this, freed on the CPU that allocated it, is short
 * @counts: number of lives, by row << LIFETIME_STEP_BITS | step
 * @rows: by row of the account, up to the highest row with an ended life
 * @failed: memory ran out; the numbers are void
 */
struct lifetimes {
	uint64_t short_time;
	INDEXED(uint64_t) counts;
	struct lifetime_row *rows;
	size_t nr_rows, rows_capacity;
	bool failed;
};

/* Lives that ended: @nr objects or pages of @bytes in all lived for @time. @here: they were freed
 * on the CPU that allocated them.
 */
struct lifetime {
	uint64_t time, nr, bytes;
	uint32_t row;
	bool here;
};

/* Sets @out to what ends with @life; false if nothing ends, or at an unknown time. The account must
 * keep times. Frees of pages that were only announced have no known time.
 */
static inline bool lifetime_of(const struct life *life, struct lifetime *out)
{
	bool freed = life->event && (life->event->type == KMEM_PAGE_FREE ||
				     kmem_ends_objects(life->event->type));
	bool reordered = life->flags & LIFE_REORDERED && life->what != LIFE_FOUND;

	if (!life_freed(life) || !(freed || reordered))
		return false;
	*out = (struct lifetime){ .nr = life->nr,
				  .bytes = life->bytes,
				  .row = life->row,
				  .here = !(life->flags & LIFE_OTHER_CPU) };
	/* If clocks show the free before the allocation, or step back, the life counts as 0. */
	if (!reordered && life->event->ts > life->begin)
		out->time = life->event->ts - life->begin;
	return true;
}

static inline uint32_t lifetime_step(uint64_t time)
{
	uint32_t power;

	if (time < 32)
		return (uint32_t)time;
	power = 63 - (uint32_t)__builtin_clzll(time);
	return (power - 3) * 16 + (uint32_t)(time >> (power - 4) & 15);
}

/* The middle of a step. */
uint64_t lifetime_step_time(uint32_t step);

/* Counts @life, which stands for @times of its kind. Without memory, @l->failed is set. */
void lifetimes_add(struct lifetimes *l, const struct lifetime *life, uint64_t times);
void lifetimes_free(struct lifetimes *l);

/* @nr lives of a group are in a step. */
struct lifetime_count {
	uint32_t group, step;
	uint64_t nr;
};

/**
 * struct lifetime_group - several rows together
 * @nr: lives that ended at a known time
 * @median, @p99: the times within which half of them, or 99 % of them, ended
 * @counts, @nr_counts: the group's first entry in the counts of struct lifetime_groups, and their
 *	number
 */
struct lifetime_group {
	uint64_t nr;
	struct lifetime_row row;
	uint64_t median, p99;
	size_t counts, nr_counts;
};

/* Zero-initialise it. @counts: by group and step. */
struct lifetime_groups {
	struct lifetime_count *counts;
	size_t nr_counts;
	struct lifetime_group *groups;
	size_t nr;
};

/* Adds rows up to @nr groups: @group_of[row] is less than @nr, or UINT32_MAX to leave the row out.
 * 0 or -ENOMEM; call lifetime_groups_free() in any case.
 */
int lifetime_groups_make(struct lifetime_groups *g, const struct lifetimes *l,
			 const uint32_t *group_of, size_t nr) __must_check;
/* Counts the group's lives by power of two: octaves[n] from 2^n on, octaves[0] from 0 on. Returns
 * how many octaves there are up to the last that is not 0.
 */
unsigned int lifetime_octaves(const struct lifetime_groups *g, size_t group,
			      uint64_t octaves[LIFETIME_OCTAVES]);
void lifetime_groups_free(struct lifetime_groups *g);

#endif
