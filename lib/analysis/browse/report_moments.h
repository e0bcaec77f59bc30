/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): ends of tasks, OOM kills and marks of the user, for a page.
 * In: moments. Out: events of the page, with names.
 */
#ifndef KMEMX_ANALYSIS_REPORT_MOMENTS_H
#define KMEMX_ANALYSIS_REPORT_MOMENTS_H

#include "analysis/time/moments.h"
#include "report/web/web_report.h"

/* 0 or -ENOMEM. */
int report_moments_fill(struct web_report *web, const struct moments *m,
			const char *cmdlines) __must_check;

#endif
