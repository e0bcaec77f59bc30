/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: who holds memory, by the kernel's own lists.
 * In: slabinfo and the sums of vmallocinfo, before and after the recording. Out: table "holders".
 *
 * Events only tell what was allocated in the recording; these lists also name what was there
 * before.
 */
#ifndef KMEMX_ANALYSIS_HOLDERS_H
#define KMEMX_ANALYSIS_HOLDERS_H

#include "analysis/balance/page_use.h"

/* Adds the table to @report, unless the recording of @env has no lists. 0 or -ENOMEM. */
int holders_report(const struct analysis_env *env, struct report *report);

/* Calls @add with what each holder has after the recording, until it returns other than 0; returns
 * that, or -ENOMEM. @name is only valid in the call.
 */
int holders_after(const struct analysis_env *env,
		  int (*add)(void *to, const char *line, const char *name, int64_t bytes),
		  void *to);

/* Adds the table "percpu_use", of what per-CPU memory is used for, if the recording of @env has both
 * percpu_stats.
 */
void percpu_use_report(const struct analysis_env *env, struct report *report);

extern const struct table_type holders_type, percpu_use_type;

#endif
