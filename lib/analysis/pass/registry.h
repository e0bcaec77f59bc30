/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: all analyses.
 * In: nothing. Out: an array of analyses, each from its own file.
 */
#ifndef KMEMX_ANALYSIS_REGISTRY_H
#define KMEMX_ANALYSIS_REGISTRY_H

#include "analysis/pass/analyze.h"

/* Analysis number @i, in the order of reports and -h; NULL after the last. There are fewer than
 * ANALYSES_MAX.
 */
const struct analysis *analysis_at(size_t i);
/* The analysis with that name, or NULL. */
const struct analysis *analysis_find(const char *name);

#endif
