/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): in which part of the time memory was allocated and ended, for a page.
 * In: sums by rows of the accounts. Out: sums by rows of the page, as many as it has room for.
 */
#ifndef KMEMX_ANALYSIS_REPORT_STAYS_H
#define KMEMX_ANALYSIS_REPORT_STAYS_H

#include "analysis/time/stays.h"
#include "report/web/web_report.h"

/* Adds those of @memory; @row_of: by row of the account, the row of the page. 0 or -ENOMEM. */
int report_stays_add(struct web_report *w, const struct stays *stays, enum memory memory,
		     const uint32_t *row_of) __must_check;
/* Puts them in order, after the page has its final bins. @width: of the bins of @stays. */
void report_stays_end(struct web_report *w, uint64_t width);

#endif
