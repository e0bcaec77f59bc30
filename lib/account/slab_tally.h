/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: lives of slab objects, added up under one heading.
 * In: lives. Out: counts.
 */
#ifndef KMEMX_ACCOUNT_SLAB_TALLY_H
#define KMEMX_ACCOUNT_SLAB_TALLY_H

#include <stdint.h>

#include "account/slab_lives.h"

/* What was allocated under one heading. */
struct slab_counts {
	uint64_t hit, bytes_req, bytes_alloc; /* all allocations */
	uint64_t live, live_req, live_alloc;  /* of those still live */
	uint64_t implicit, implicit_alloc;    /* ended without an event */
	uint64_t pingpong;		      /* freed on another CPU than allocated on */
	uint64_t sure, sure_alloc; /* of the live: allocated after the last gap */
};

struct slab_tally_part {
	uint64_t nr, bytes_req, bytes_alloc, other_cpu;
};

/* What began and ended under one heading, by enum slab_life_what. */
struct slab_tally {
	struct slab_tally_part of[SLAB_LIFE_NR];
};

/* What a tally says, but for .sure. */
struct slab_counts slab_tally_counts(const struct slab_tally *tally);
static inline void slab_tally_add(struct slab_tally *tally, const struct slab_life *life)
{
	uint64_t req = life->bytes_req, alloc = life->bytes_alloc;
	uint64_t other_cpu = life->flags & SLAB_OTHER_CPU;
	struct slab_tally_part *part = &tally->of[life->what];

	part->nr++;
	part->bytes_req += req;
	part->bytes_alloc += alloc;
	part->other_cpu += other_cpu;
}

/* Adds @from's numbers to @to's. */
void slab_counts_add(struct slab_counts *to, const struct slab_counts *from);

#endif
