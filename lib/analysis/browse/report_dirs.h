/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the directories of a page's functions.
 * In: a page's names, and the directories. Out: a directory for each name.
 */
#ifndef KMEMX_ANALYSIS_REPORT_DIRS_H
#define KMEMX_ANALYSIS_REPORT_DIRS_H

#include "analysis/analysis.h"
#include "report/web/web_report.h"

/* Fills @web->dirs and @web->dir_of, if @env knows directories. A name with functions in several
 * directories gets none. 0 or -ENOMEM.
 */
int report_dirs_fill(struct web_report *web, const struct analysis_env *env) __must_check;

#endif
