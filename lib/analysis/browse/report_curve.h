/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): the kernel's own curve of each cache on a page.
 * In: the kernel's counts while events were recorded, rows of the page. Out: counts by cache.
 */
#ifndef KMEMX_ANALYSIS_REPORT_CURVE_H
#define KMEMX_ANALYSIS_REPORT_CURVE_H

#include "analysis/analysis.h"
#include "report/web/web_report.h"

/* Adds the lines of all memory, and the kernel's counts of each cache that @web's rows have; nothing
 * if the recording has none. Caches that the events do not tell apart count together, for the name
 * that rows have. 0 or -ENOMEM.
 */
int report_curve_fill(struct web_report *web,
		      const struct analysis_env *env) __must_check;

#endif
