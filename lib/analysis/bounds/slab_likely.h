/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): how many of the seemingly live slab objects probably live.
 * In: pieces of rows, the kernel's own count. Out: an estimate for each piece, in .likely.
 *
 * The kernel's count says how many objects of a class are missing: they seem to be live, but were
 * freed without an event. They are taken from the callsites of which such frees were noticed
 * because the addresses were allocated again. The formula is in
 * Documentation/internals/accounting.md.
 */
#ifndef KMEMX_ANALYSIS_SLAB_LIKELY_H
#define KMEMX_ANALYSIS_SLAB_LIKELY_H

#include "analysis/bounds/slab_bounds.h"

/* Estimates all pieces of @b. @older: frees of older objects that name no cache are known not to be
 * the recorder's. 0 or -ENOMEM.
 */
int slab_likely_make(struct slab_bounds *b, bool older) __must_check;
/* Does one object of @piece probably live? 1 or 0. */
static inline unsigned int slab_likely_one(const struct slab_piece *piece)
{
	return piece->likely * 2 >= piece->nr * SLAB_LIKELY_ONE;
}

#endif
