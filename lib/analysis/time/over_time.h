/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: memory that each row of an account allocated and freed, over time.
 * In: lives of a kind of memory. Out: sums in equal bins of the time, exact and bounded.
 */
#ifndef KMEMX_ANALYSIS_OVER_TIME_H
#define KMEMX_ANALYSIS_OVER_TIME_H

#include "account/accounts.h"
#include "report/web/web_report.h"

/* Limit of bins: more than a screen shows, so that a range can be zoomed. */
#define OVER_TIME_BINS	2048U
/* Limit of sums, of all rows together; after that, bins are merged in pairs. */
#define OVER_TIME_CELLS (2U << 20)

/**
 * struct over_time_cell - sums of one row in one bin
 * @hit, @bytes_req, @bytes: allocated; pages have the same for both
 * @ended: bytes that ended, by a free or without an event
 */
struct over_time_cell {
	uint32_t bin;
	uint64_t hit, bytes_req, bytes, ended;
};

/* The @nr cells of a row. @latest: the last of them, which is not in @cells until the next one
 * comes. @backwards: clocks ran backwards, so they are not in order of time, and several may have
 * one bin.
 */
struct over_time_row {
	struct over_time_cell latest, *cells;
	uint32_t nr, capacity;
	bool backwards;
};

/**
 * struct over_time - over_time_init() it
 * @first: start of the first bin, in units of the clock; @width: of each bin; @nr_bins: their
 *	number. The last one also has all later times.
 * @bin: a recent one
 * @rows: by row of the account, or whatever over_time_add() numbers
 * @nr_cells: of all rows; @limit: of that
 * @marks: events in a bin, from any row
 * @failed: memory ran out; the numbers are void
 */
struct over_time {
	uint64_t first, width;
	uint32_t nr_bins;
	uint32_t bin;
	struct over_time_row *rows;
	size_t nr_rows, capacity;
	size_t nr_cells, limit;
	struct web_mark marks[OVER_TIME_BINS];
	bool failed;
};

/* The bin of @ts, of @nr_bins bins of @width from @first on. Times outside, from a damaged
 * recording, go to the first or last one. @recent: a guess, which avoids a division: neighbouring
 * events are mostly in the same bin.
 */
static inline uint32_t over_time_bin(uint64_t ts, uint64_t first, uint64_t width,
				     uint32_t nr_bins, uint32_t recent)
{
	uint64_t since = less(ts, first), bin = recent;

	if (unlikely(since - bin * width >= width))
		bin = since / width;
	return bin < nr_bins ? (uint32_t)bin : nr_bins - 1;
}

/* Divides the time from @first to @last, both included, into at most @bins bins; no bin starts
 * after @last. Both limits are at most OVER_TIME_BINS and OVER_TIME_CELLS.
 */
void over_time_init(struct over_time *t, uint64_t first, uint64_t last, uint32_t bins,
		    size_t limit);
/* The same with @parts bins of equal length, 0 to OVER_TIME_BINS, even if the last ones start after
 * @last; sums are not limited. 0: nothing is kept.
 */
void over_time_init_parts(struct over_time *t, uint64_t first, uint64_t last,
			  uint32_t parts);
/* Observes @of from now on; @t must not be moved. 0 or -ENOMEM. */
int over_time_observe(struct over_time *t, struct lives *of) __must_check;
/* The time of @life; those without an end event end at the very end, as their time is unknown. */
static inline uint64_t over_time_of(const struct life *life)
{
	return life->event ? life->event->ts : UINT64_MAX;
}
/* Adds @what to row @number at @ts; UINT64_MAX: at the end. */
void over_time_add(struct over_time *t, uint32_t number, uint64_t ts,
		   const struct over_time_cell *what);
/* Adds a life that life_changes() to row @number: what it allocated, or what ended. */
void over_time_add_life(struct over_time *t, uint32_t number, const struct life *life);
/* Takes losses and failed requests, which lives do not include; ignores hidden ones. */
void over_time_events(struct over_time *t, const struct kmem_event *evs, size_t nr);
/* After the last addition: sorts the cells by time. */
void over_time_end(struct over_time *t);
/* The cells of a row after over_time_end(), in order of time; @nr receives their number. */
const struct over_time_cell *over_time_cells(const struct over_time *t, size_t row,
					     uint32_t *nr);
/* Adds the live bytes of a row at the end of each bin to @bins, of which there are nr_bins. */
void over_time_live(const struct over_time *t, size_t row, uint64_t *bins);
/* Merges bins in pairs; before over_time_end(). */
void over_time_halve(struct over_time *t);
void over_time_free(struct over_time *t);

#endif
