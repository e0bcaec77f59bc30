/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what lives, over time.
 * In: changes of live bytes, by row, in time order. Out: live bytes at the ends of equal bins.
 */
#ifndef KMEMX_ANALYSIS_TIMELINE_H
#define KMEMX_ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* What lives of a row; @nr bins have ended, and more may have, with the same. */
struct timeline_row {
	uint64_t live;
	uint32_t nr;
};

/**
 * struct timeline - zero-initialise it, then timeline_init()
 * @first: when the first bin begins; @width: of each; @bins: how many; 0: nothing is kept
 * @at: of each row @bins numbers
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

/* @bins of the time from @first to @last, both included. */
void timeline_init(struct timeline *t, uint64_t first, uint64_t last, unsigned int bins);
/* From @ts on @more bytes more, and @less fewer, live of @row. Keeps its failures. */
void timeline_change(struct timeline *t, uint32_t row, uint64_t ts, uint64_t more,
		     uint64_t less);
/* At the end @less bytes fewer live than was said. */
void timeline_settle(struct timeline *t, uint32_t row, uint64_t less);
/* What lived of @row at the end of @bin; of the last one at the end of all. */
uint64_t timeline_at(const struct timeline *t, uint32_t row, unsigned int bin);
/* Makes @to what @from is. 0; -ENOMEM: timeline_free() then, too. */
int timeline_copy(struct timeline *to, const struct timeline *from) __must_check;
void timeline_free(struct timeline *t);

#endif
