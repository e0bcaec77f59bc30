/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what per-CPU memory is used for, by the kernel's statistics.
 * In: percpu_stats, before and after the recording. Out: table "percpu_use".
 */
#ifndef KMEMX_ANALYSIS_PERCPU_USE_H
#define KMEMX_ANALYSIS_PERCPU_USE_H

#include "analysis/analysis.h"

/* Adds the table, if the recording of @env has both statistics. 0 or -ENOMEM. */
int percpu_use_report(const struct analysis_env *env, struct report *report) __must_check;

extern const struct table_type percpu_use_type;

#endif
