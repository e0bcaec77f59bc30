/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): sums over time by callchain.
 * In: sums by rows of the accounts. Out: rows for a page, with names.
 */
#ifndef KMEMX_ANALYSIS_REPORT_ROWS_H
#define KMEMX_ANALYSIS_REPORT_ROWS_H

#include "analysis/time/frame_map.h"
#include "analysis/time/moments.h"
#include "analysis/time/over_time.h"
#include "analysis/time/peak.h"
#include "analysis/time/stays.h"
#include "report/web/web_report.h"

/* The own options of the analysis. @web: receives the data of its page; NULL: not wanted */
struct report_options {
	struct web_report *web;
};

/* What was observed, from the first event to the last. */
struct report_parts {
	const struct peak *peak;
	const struct over_time *time;
	const struct stays *stays;
	const struct frame_map *frames;
	const struct moments *moments;
};

/* What tells rows' tasks apart: the process, or the task's name if no processes are recorded. */
enum subject_kind report_rows_task(const struct recording *rec);
/* Fills in @web, which is empty, after the last event. 0 or -ENOMEM. */
int report_rows_fill(struct web_report *web, const struct analysis_env *env,
		     const struct report_parts *parts) __must_check;

#endif
