/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the recorded kernel's counts of slab objects are worth.
 * In: its release, its nodes. Out: what holds for it.
 */
#ifndef KMEMX_ANALYSIS_CENSUS_KERNEL_H
#define KMEMX_ANALYSIS_CENSUS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* Is the recorded kernel at least @major.@minor? One that does not say is not. */
bool census_since(const struct recording *rec, unsigned int major, unsigned int minor);
/* Can the counts of @rec be trusted, if it has them? Before Linux 5.9 each memory cgroup had caches
 * of its own: slabinfo added them up, sysfs does not.
 */
bool census_has_counts(const struct recording *rec);

/* CPUs' and nodes' sheaves of a cache of @rec, at most, each of its capacity (Linux 6.18). */
uint64_t census_sheaves(const struct recording *rec);

#endif
