/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a recording allocated, under names that another recording has too.
 * In: events. Out: tables "slab", "slab_cache", "page", "page_matrix" and some more to be
 * compared.
 *
 * The rows hold no address and no offset, and functions have lost what a build adds to
 * their names: symbol/fold.h. The first column names the row, then follow
 *	bytes	bytes allocated
 *	hit	allocations
 *	net	bytes of them not freed at the end; at least @net_min of those are
 *	waste	bytes allocated that nobody asked for; none for pages
 *	peak	the most bytes that were live at a time
 *	largest	bytes of the largest allocation
 * and the summary has the same of the whole table under these names.
 */
#ifndef KMEMX_ANALYSIS_PROFILE_H
#define KMEMX_ANALYSIS_PROFILE_H

#include "analysis/analysis.h"

/* By callsite, or as env->by says (SUBJECT_STACK, SUBJECT_MODULE, SUBJECT_DIR). */
extern const struct analysis_ops profile_slab;
extern const struct analysis_ops profile_page;
/* By directory, whatever env->by says: tables "slab_dir" and "page_dir". */
extern const struct analysis_ops profile_slab_dir;
extern const struct analysis_ops profile_page_dir;
/* By slab cache. kmalloc events name none: theirs follows from the size. */
extern const struct analysis_ops profile_cache;

#endif
