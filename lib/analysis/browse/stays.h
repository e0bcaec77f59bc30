/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: in which bin memory was allocated and in which it ended, of the same memory.
 * In: lives of a kind of memory. Out: sums by row of the account, begin and end.
 *
 * Sums over time say how much was allocated in a range and how much ended in it, but not whether
 * that was the same memory.
 */
#ifndef KMEMX_ANALYSIS_STAYS_H
#define KMEMX_ANALYSIS_STAYS_H

#include "analysis/time/over_time.h"
#include "base/keyed.h"

/* Limit of sums; beyond it, bins are merged in pairs. Where clocks run backwards, several sums can
 * have the same row, begin and end.
 */
#define STAYS_MAX (1U << 19)

/**
 * struct stays - stays_init() it
 * @first, @width, @nr_bins: as those of struct over_time; @width can become twice as long, again
 *	and again
 * @stays: sums by row of the account, in the order in which they came; only those that end in bin
 *	@end are indexed, by row and begin, as earlier ones get no more memory
 * @latest: by row: the number of its latest stay + 1; 0: none
 * @failed: memory ran out; the numbers are void
 */
struct stays {
	uint64_t first, width;
	uint32_t nr_bins;
	size_t limit;
	INDEXED(struct web_stay) stays;
	uint32_t *latest;
	size_t nr_rows, capacity;
	uint16_t end;
	bool failed;
};

/* Starts with the bins that @t has now. */
void stays_init(struct stays *s, const struct over_time *t, size_t limit);
/* Observes @of, which keeps times from now on; @s must not be moved. 0 or -ENOMEM. */
int stays_observe(struct stays *s, struct lives *of) __must_check;
/* Adds memory that lived from @begin to @end. */
void stays_add(struct stays *s, uint32_t row, const uint64_t times[2], uint64_t bytes);
/* Merges bins in pairs. */
void stays_halve(struct stays *s);
void stays_free(struct stays *s);
/* Adds @stays; @row_of: by row of the account, the row of the page. 0 or -ENOMEM. */
int report_stays_add(struct web_report *w, const struct stays *stays,
		     const uint32_t *row_of) __must_check;
/* Sorts the page's stays, once it has its final bins. @width: of the stays' bins. 0 or -ENOMEM. */
int report_stays_end(struct web_report *w, uint64_t width) __must_check;

#endif
