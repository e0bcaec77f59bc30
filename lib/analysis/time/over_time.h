/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: memory that each row of the accounts allocated and freed, over time.
 * In: lives of slab objects and of pages. Out: sums in equal bins of the time, exact and bounded.
 */
#ifndef KMEMX_ANALYSIS_OVER_TIME_H
#define KMEMX_ANALYSIS_OVER_TIME_H

#include "account/accounts.h"

/* Limit of bins: more than a screen shows, so that a range can be zoomed. */
#define OVER_TIME_BINS	2048U
/* Limit of sums, of all rows together; after that, bins are merged in pairs. */
#define OVER_TIME_CELLS (2U << 20)

/**
 * struct over_time_cell - sums of one row in one bin
 * @next: the row's next cell, its number + 1; 0: none
 * @hit, @bytes_req, @bytes: allocated; pages have the same for both
 * @ended: bytes that ended, by a free or without an event
 */
struct over_time_cell {
	uint32_t bin, next;
	uint64_t hit, bytes_req, bytes, ended;
};

/* The cells of a row, in order of time: numbers + 1; 0: none. */
struct over_time_row {
	uint32_t first, last;
};

/* Events in a bin, from any row. @gaps: losses of an unknown number of events. */
struct over_time_marks {
	uint64_t lost, gaps, failed;
};

/**
 * struct over_time - over_time_init() it
 * @first: start of the first bin, in units of the clock; @width: of each bin; @nr_bins: their
 *	number. The last one also has all later times.
 * @bin, @bin_first: a recent one and its start
 * @limit: of @nr_cells
 * @rows: by row of each account, or whatever over_time_add() numbers
 * @failed: memory ran out; the numbers are void
 */
struct over_time {
	uint64_t first, width;
	uint32_t nr_bins;
	uint32_t bin;
	uint64_t bin_first;
	size_t limit;
	struct over_time_cell *cells;
	size_t nr_cells, capacity;
	struct over_time_rows {
		struct over_time_row *rows;
		size_t nr, capacity;
	} rows[MEMORY_KINDS];
	struct over_time_marks marks[OVER_TIME_BINS];
	bool failed;
};

/* Divides the time from @first to @last, both included, into at most @bins bins; no bin starts
 * after @last. Both limits are at most OVER_TIME_BINS and OVER_TIME_CELLS.
 */
void over_time_init(struct over_time *t, uint64_t first, uint64_t last, uint32_t bins,
		    size_t limit);
/* Observes all accounts that are not NULL from now on; @t must not be moved. 0 or -ENOMEM. */
int over_time_observe(struct over_time *t,
		      struct lives *const of[MEMORY_KINDS]) __must_check;
/* Adds @what to row @number at the time of @ev; NULL: at the end. */
void over_time_add(struct over_time *t, enum memory memory, uint32_t number,
		   const struct kmem_event *ev, const struct over_time_cell *what);
/* Adds a life that life_changes() to row @number: what it allocated, or what ended. */
void over_time_add_life(struct over_time *t, enum memory memory, uint32_t number,
			const struct life *life);
/* Takes losses and failed requests, which lives do not include; ignores hidden ones. */
void over_time_events(struct over_time *t, const struct kmem_event *evs, size_t nr);
/* The first cell of a row, and the one after @cell; NULL: none. */
const struct over_time_cell *over_time_first(const struct over_time *t,
					     enum memory memory, size_t row);
const struct over_time_cell *over_time_next(const struct over_time *t,
					    const struct over_time_cell *cell);
void over_time_free(struct over_time *t);

#endif
