/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: with which flags each callsite allocates.
 * In: allocations. Out: counts by callsite, order and flags.
 */
#ifndef KMEMX_ANALYSIS_GFP_USES_H
#define KMEMX_ANALYSIS_GFP_USES_H

#include "analysis/sites.h"

/* The order of a slab object. */
#define GFP_USE_SLAB UINT32_MAX

/* Allocations that are alike; without padding, as keys are compared as bytes. @site: its group. */
struct gfp_use_key {
	uint64_t gfp_flags;
	uint32_t site, order;
};

/* @nr: allocations; of these @in_task: in no interrupt, with interrupts on; @failed: refused */
struct gfp_use {
	uint64_t nr, in_task, failed;
};

/**
 * struct gfp_uses - gfp_uses_init() it
 * @sites: borrowed
 * @by_stack: of page allocations: callchain -> group
 * @keys: number n has the counts n - 1
 * @failed: memory ran out; the numbers are void
 */
struct gfp_uses {
	const struct analysis_env *env;
	struct sites *sites;
	struct u64_map by_stack;
	struct intern keys;
	struct gfp_use *counts;
	size_t nr, capacity;
	bool failed;
};

void gfp_uses_init(struct gfp_uses *u, const struct analysis_env *env,
		   struct sites *sites);
/* Takes events; those that are no allocation, hidden, or of pages without a callchain change
 * nothing.
 */
void gfp_uses_take(struct gfp_uses *u, const struct kmem_event *ev, size_t nr);
static inline const struct gfp_use_key *gfp_uses_key(const struct gfp_uses *u, size_t i)
{
	return intern_get(&u->keys, (uint32_t)i + 1, NULL);
}

void gfp_uses_free(struct gfp_uses *u);

/**
 * struct gfp_masks - the bits of flags in one recording; 0: its formats do not name them
 * @waits: one of these bits lets an allocation wait for reclaim
 */
struct gfp_masks {
	uint64_t kernel, atomic, waits, noretry, nofail;
};

struct gfp_masks gfp_masks_of(const struct gfp_names *names);

static inline bool gfp_has(uint64_t flags, uint64_t mask)
{
	return mask && (flags & mask) == mask;
}

/* GFP_ATOMIC, and nothing that lets it wait. */
static inline bool gfp_is_atomic(const struct gfp_masks *m, uint64_t flags)
{
	return gfp_has(flags, m->atomic) && !(flags & m->waits);
}

#endif
