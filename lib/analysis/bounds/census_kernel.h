/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how far the recorded kernel's counts of slab objects can be trusted.
 * In: its release, its nodes. Out: what holds for it.
 */
#ifndef KMEMX_ANALYSIS_CENSUS_KERNEL_H
#define KMEMX_ANALYSIS_CENSUS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* Is the recorded kernel at least @major.@minor? False if the recording does not say. */
bool census_since(const struct recording *rec, unsigned int major, unsigned int minor);
/* Can the counts of @rec be trusted, if it has them? Before Linux 5.9 each memory cgroup had its
 * own caches: slabinfo added them up, sysfs does not.
 */
bool census_has_counts(const struct recording *rec);

/* The most sheaves that the CPUs and nodes of @rec hold of a cache (Linux 6.18). */
uint64_t census_sheaves(const struct recording *rec);

#endif
