/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: all analyses.
 * In: nothing. Out: an array, each of whose entries lives in a file of its own.
 */
#ifndef KMEMX_ANALYSIS_REGISTRY_H
#define KMEMX_ANALYSIS_REGISTRY_H

#include <stddef.h>

#include "analysis/analyze.h"

/* The analysis number @i, in the order in which reports and -h show them; NULL behind the last,
 * of which there are fewer than ANALYSES_MAX.
 */
const struct analysis *analysis_at(size_t i);
/* The one of that name, or NULL. */
const struct analysis *analysis_find(const char *name);

#endif
