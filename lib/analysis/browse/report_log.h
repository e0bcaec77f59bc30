/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): every change of live memory, to show parts of the time in shorter bins.
 * In: lives of all kinds of memory, losses and failures. Out: cells of any part of the time.
 *
 * A page has sums in bins. A page that is served can ask for a part of the time in shorter ones.
 */
#ifndef KMEMX_ANALYSIS_REPORT_LOG_H
#define KMEMX_ANALYSIS_REPORT_LOG_H

#include <pthread.h>

#include "account/accounts.h"
#include "report/web/web_report.h"

/* Limit of changes, of 24 bytes each; with more, there are no parts. */
#define REPORT_LOG_MAX	   (1U << 26)
/* Limits of a part: bins, cells, pieces. */
#define REPORT_PART_BINS   8192U
#define REPORT_PART_CELLS  (2U << 20)
#define REPORT_PART_PIECES 24U

/* @bytes that were allocated at @ts, @waste of them beyond what was requested; or ~@bytes that
 * ended. @row: of the page; before report_log_end(), of an account, with its enum memory.
 */
struct report_change {
	uint64_t ts;
	int64_t bytes;
	uint32_t row, waste;
};

/**
 * struct report_log - zero-initialise it
 * @limit: of @nr, for tests; 0: REPORT_LOG_MAX
 * @first, @last: earlier and later times count as these
 * @of: by row of the account, the row of the page
 * @full: there were too many changes, or memory ran out: it has none of them
 * @lock: for @changes, as two threads take lives of different kinds of memory
 */
struct report_log {
	pthread_mutex_t lock;
	size_t limit;
	uint64_t first, last;
	struct report_change *changes;
	size_t nr;
	uint32_t *of[MEMORY_KINDS];
	size_t nr_of[MEMORY_KINDS];
	uint32_t nr_rows;
	bool full;
};

/* A piece of the time from @start on: @nr parts of @length each, divided into @bins bins of @width,
 * of which the last may be shorter; in units of the clock, since the first bin of the page.
 */
struct report_piece {
	uint64_t start, length, width;
	uint32_t nr, bins;
};

/* Observes all accounts; @log must not be moved. 0 or -ENOMEM. */
int report_log_observe(struct report_log *log, struct lives *const of[MEMORY_KINDS],
		       uint64_t first, uint64_t last) __must_check;
/* Takes losses and failed requests; ignores hidden ones. */
void report_log_events(struct report_log *log, const struct kmem_event *evs, size_t nr);
/* Takes over @of, which has the page's row of each of the @nr rows of @memory. */
void report_log_rows(struct report_log *log, enum memory memory, uint32_t *of, size_t nr);
/* After the last event and row: the page has @nr_rows. */
void report_log_end(struct report_log *log, size_t nr_rows);

/**
 * report_pieces_parse() - read "START,LENGTH,WIDTH,NR;...", which is untrusted
 * @pieces: receives up to REPORT_PART_PIECES, which do not overlap, in order of time
 *
 * Return: how many; -EINVAL.
 */
int report_pieces_parse(const char *text, struct report_piece *pieces) __must_check;

/**
 * report_log_part() - what was allocated and ended in @nr pieces
 * @part: empty; receives rows with cells only, as many as the page has; marks; bins of all pieces,
 *	one after the other
 *
 * Return: 0; -ENOMEM; -E2BIG: it would have too many cells; -ENODATA: the log has nothing.
 */
int report_log_part(const struct report_log *log, const struct report_piece *pieces,
		    size_t nr, struct web_report *part) __must_check;
void report_log_free(struct report_log *log);

#endif
