/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): sums over time by callchain.
 * In: sums by rows of the accounts. Out: rows for a page, with names.
 */
#ifndef KMEMX_ANALYSIS_REPORT_ROWS_H
#define KMEMX_ANALYSIS_REPORT_ROWS_H

#include "analysis/analysis.h"
#include "analysis/browse/report_log.h"
#include "analysis/time/frame_map.h"
#include "analysis/time/moments.h"
#include "analysis/time/over_time.h"
#include "analysis/time/peak.h"
#include "analysis/time/stays.h"
#include "report/web/web_report.h"

/* The own options of the analysis. @web: receives the data of its page; @log: all changes, for
 * parts of it; NULL: not wanted
 */
struct report_options {
	struct web_report *web;
	struct report_log *log;
};

/* What was observed, from the first event to the last. */
struct report_parts {
	const struct peak *peak;
	const struct over_time *time;
	const struct stays *stays;
	const struct frame_map *frames;
	const struct moments *moments;
	struct report_log *log;
};

/* The kind of memory that a page's kind is. */
static inline enum memory report_memory(enum web_kind kind)
{
	static const enum memory of[WEB_KINDS] = { MEMORY_SLAB, MEMORY_PAGE,
						   MEMORY_VMALLOC, MEMORY_PERCPU };

	return of[kind];
}

/* What tells rows' tasks apart: the process, or the task's name if no processes are recorded. */
enum subject_kind report_rows_task(const struct recording *rec);
/* Fills in @web, which is empty, after the last event. 0 or -ENOMEM. */
int report_rows_fill(struct web_report *web, const struct analysis_env *env,
		     const struct report_parts *parts) __must_check;
/* Merges bins in pairs; rows keep their order of time. */
void report_rows_halve(struct web_report *w);

/* Sets the bins of @w, with marks. 0 or -ENOMEM. */
int report_time_fill(struct web_report *w, const struct over_time *t) __must_check;
/* Completes the time of @w, which has all rows; merges bins if there are too many cells. */
void report_time_end(struct web_report *w, const struct analysis_env *env,
		     const struct report_parts *parts);

/* Adds the lines of all memory, and the kernel's counts of each cache that @web's rows have;
 * nothing if the recording has none. Caches that the events do not tell apart count together.
 * 0 or -ENOMEM.
 */
int report_curve_fill(struct web_report *web,
		      const struct analysis_env *env) __must_check;

/* Fills @web->dirs and @web->dir_of, if @env knows directories. A name with functions in several
 * directories gets none. 0 or -ENOMEM.
 */
int report_dirs_fill(struct web_report *web, const struct analysis_env *env) __must_check;

/* Fills in @f, which is empty. @names: group of callsites of @m -> number of its name. 0 or
 * -ENOMEM.
 */
int report_frames_fill(struct web_frames *f, const struct frame_map *m,
		       const uint32_t *names) __must_check;

/* Adds ends of tasks, OOM kills and marks of the user. 0 or -ENOMEM. */
int report_moments_fill(struct web_report *web, const struct moments *m,
			const char *cmdlines) __must_check;

/* Adds those of @memory; @row_of: by row of the account, the row of the page. 0 or -ENOMEM. */
int report_stays_add(struct web_report *w, const struct stays *stays, enum memory memory,
		     const uint32_t *row_of) __must_check;
/* Puts them in order, after the page has its final bins. @width: of the bins of @stays. */
void report_stays_end(struct web_report *w, uint64_t width);

#endif
