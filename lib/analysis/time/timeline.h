/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: live memory over time.
 * In: changes of live bytes, by row, in time order. Out: live bytes at the ends of equal bins.
 */
#ifndef KMEMX_ANALYSIS_TIMELINE_H
#define KMEMX_ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Live bytes of a row; @nr bins have been written. Further ones up to now have @live. */
struct timeline_row {
	uint64_t live;
	uint32_t nr;
};

/**
 * struct timeline - zero-initialise it, then timeline_init()
 * @first: start of the first bin; @width: of each bin; @bins: their number; 0: nothing is kept
 * @at: @bins numbers for each row
 * @failed: memory ran out; the numbers are void
 */
struct timeline {
	uint64_t first, width;
	unsigned int bins;
	struct timeline_row *rows;
	uint64_t *at;
	size_t nr, capacity, at_capacity;
	bool failed;
};

/* Divides the time from @first to @last, both included, into @bins bins. */
void timeline_init(struct timeline *t, uint64_t first, uint64_t last, unsigned int bins);
/* At @ts, @row gains @more live bytes and loses @less. Keeps failures. */
void timeline_change(struct timeline *t, uint32_t row, uint64_t ts, uint64_t more,
		     uint64_t less);
/* Subtracts @less from @row's live bytes at the end. */
void timeline_settle(struct timeline *t, uint32_t row, uint64_t less);
/* @row's live bytes at the end of @bin; for the last bin, at the very end. */
uint64_t timeline_at(const struct timeline *t, uint32_t row, unsigned int bin);
void timeline_free(struct timeline *t);

#endif
