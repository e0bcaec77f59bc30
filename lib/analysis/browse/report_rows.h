/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): sums over time by callchain.
 * In: sums by rows of the accounts. Out: rows for a page, with names.
 *
 * Account rows that look the same to the reader are merged. A page has room for a limited number of
 * callchains: those that allocated and held least are added up by callsite.
 */
#ifndef KMEMX_ANALYSIS_REPORT_ROWS_H
#define KMEMX_ANALYSIS_REPORT_ROWS_H

#include "analysis/analysis.h"
#include "analysis/browse/frame_map.h"
#include "analysis/browse/moments.h"
#include "analysis/browse/report_log.h"
#include "analysis/browse/stays.h"
#include "analysis/time/over_time.h"
#include "analysis/time/peak.h"
#include "report/web/web_report.h"

/* The own options of the analysis. @web: receives the data of its page; @log: all changes, for
 * parts of it; NULL: not wanted
 */
struct report_options {
	struct web_report *web;
	struct report_log *log;
};

/**
 * struct report_data - the analysis: what was observed, from the first event to the last
 * @opts, @summary_opts: options of @peak and @summary
 * @peak: also requests the accounts, by callchain
 */
struct report_data {
	const struct analysis_env *env;
	const struct analysis_options *asked;
	struct analysis_options opts, summary_opts;
	struct peak *peak;
	void *summary;
	struct over_time time[MEMORY_KINDS];
	struct stays stays[MEMORY_KINDS];
	struct frame_map frames;
	struct moments moments;
};

/* What tells rows' tasks apart: the process, or the task's name if no processes are recorded. */
enum subject_kind report_rows_task(const struct recording *rec);
/* Fills in @web, which is empty, after the last event; gives @log the page's rows, unless it is
 * NULL. 0 or -ENOMEM.
 */
int report_rows_fill(struct web_report *web, const struct report_data *data,
		     struct report_log *log) __must_check;
/* Merges bins in pairs; rows keep their order of time. */
void report_rows_halve(struct web_report *w);

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

#endif
