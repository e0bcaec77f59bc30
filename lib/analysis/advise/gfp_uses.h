/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the GFP flags that each callsite allocates with.
 * In: allocations. Out: counts by callsite, order and flags.
 */
#ifndef KMEMX_ANALYSIS_GFP_USES_H
#define KMEMX_ANALYSIS_GFP_USES_H

#include "analysis/row/sites.h"
#include "base/keyed.h"

/* Used as the order of slab objects. */
#define GFP_USE_SLAB UINT32_MAX

/* Key of similar allocations; without padding, as keys are compared as bytes. @site: the callsite's
 * group.
 */
struct gfp_use_key {
	uint64_t gfp_flags;
	uint32_t site, order;
};

/* @nr: allocations; @in_task: those in a task, with interrupts enabled; @failed: those that failed
 */
struct gfp_use {
	uint64_t nr, in_task, failed;
};

/**
 * struct gfp_uses - gfp_uses_init() it
 * @sites: borrowed
 * @by_stack: for page allocations: callchain -> group
 * @failed: memory ran out; the numbers are void
 */
struct gfp_uses {
	const struct analysis_env *env;
	struct sites *sites;
	struct u64_map by_stack;
	struct recent_keys recent; /* of what determines the keys */
	KEYED(struct gfp_use) counts;
	bool failed;
};

void gfp_uses_init(struct gfp_uses *u, const struct analysis_env *env,
		   struct sites *sites);
/* Takes events; ignores those that are not allocations or are hidden, and page allocations without
 * a callchain.
 */
void gfp_uses_take(struct gfp_uses *u, const struct kmem_event *ev, size_t nr);
void gfp_uses_free(struct gfp_uses *u);

/**
 * struct gfp_masks - the bits of flags in one recording; 0: its formats do not name them
 * @waits: any of these bits lets an allocation wait for reclaim
 */
struct gfp_masks {
	uint64_t kernel, atomic, waits, noretry, nofail;
};

struct gfp_masks gfp_masks_of(const struct gfp_names *names);

static inline bool gfp_has(uint64_t flags, uint64_t mask)
{
	return mask && (flags & mask) == mask;
}

/* GFP_ATOMIC, without any bit that lets it wait. */
static inline bool gfp_is_atomic(const struct gfp_masks *m, uint64_t flags)
{
	return gfp_has(flags, m->atomic) && !(flags & m->waits);
}

#endif
