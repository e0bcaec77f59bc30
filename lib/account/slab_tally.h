/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: lives of slab objects, added up under one heading.
 * In: lives. Out: counts.
 */
#ifndef KMEMX_ACCOUNT_SLAB_TALLY_H
#define KMEMX_ACCOUNT_SLAB_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum slab_life_what {
	SLAB_BORN,
	SLAB_FREED, /* by a matched free */
	SLAB_GONE,  /* without an event */
	SLAB_FOUND, /* counted as gone before, and now its free comes */
	SLAB_LIFE_NR,
};

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

/* The counts of a tally, without .sure. */
struct slab_counts slab_tally_counts(const struct slab_tally *tally);
/* One more; @other_cpu: freed on another CPU than allocated on. */
static inline void slab_tally_add(struct slab_tally *tally, enum slab_life_what what,
				  uint32_t bytes_req, uint32_t bytes_alloc,
				  bool other_cpu)
{
	struct slab_tally_part *part = &tally->of[what];

	part->nr++;
	part->bytes_req += bytes_req;
	part->bytes_alloc += bytes_alloc;
	part->other_cpu += other_cpu;
}

/* Adds @times times the numbers of @from to those of @to. */
void slab_counts_add(struct slab_counts *to, const struct slab_counts *from,
		     uint64_t times);

#endif
