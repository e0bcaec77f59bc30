/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: pages freed one by one, many in a row.
 * In: frees of pages. Out: counts by who freed them.
 */
#ifndef KMEMX_ANALYSIS_SINGLE_FREES_H
#define KMEMX_ANALYSIS_SINGLE_FREES_H

#include "analysis/row/sites.h"
#include "base/keyed.h"

/* Fewer frees in a row are no run. The batches of the kernel's lists of folios are no larger. */
#define SINGLE_FREES_RUN       16
/* A free after a longer gap than this starts another run, if the clock counts nanoseconds. */
#define SINGLE_FREES_GAP_NS    100000
/* The site of a free without a callchain. */
#define SINGLE_FREES_NOWHERE   UINT32_MAX
/* The pid for frees in interrupts; a softirq runs in whatever task is current. */
#define SINGLE_FREES_INTERRUPT (-1)

/* Who freed; without padding, as keys are compared as bytes. @site: the group of the callsite; if
 * it is SINGLE_FREES_NOWHERE, @pid is the task, else @pid is 0.
 */
struct single_frees_key {
	uint32_t site;
	int32_t pid;
};

/* @pages: pages in @runs; @longest: pages of the longest run. */
struct single_frees_count {
	uint64_t pages, runs, longest;
};

/* Counts by who freed: by struct single_frees_key; zero-initialise it. */
struct single_frees_tally {
	KEYED(struct single_frees_count) counts;
};

/**
 * struct single_frees - single_frees_init() it
 * @sites: borrowed
 * @rule: finds the callsite that freed in a callchain
 * @by_stack: callchain -> group
 * @by_cpu: CPU -> index in @cpus
 * @tasks: those seen to allocate; in a recording of a part of the system, others' frees are ignored
 * @places: page frame -> its index in the run that last freed it
 * @ended: counts of runs that have ended
 * @failed: memory ran out; the numbers are void
 */
struct single_frees {
	const struct analysis_env *env;
	struct sites *sites;
	struct callsite_rule *rule;
	struct u64_map by_stack, by_cpu, tasks, places;
	struct single_frees_cpu *cpus;
	size_t nr_cpus, cpus_capacity;
	struct single_frees_tally ended;
	bool clocks_are_ns, part, failed;
};

void single_frees_init(struct single_frees *s, const struct analysis_env *env,
		       struct sites *sites);
/* Takes events in time order; ignores those that are not about pages. */
void single_frees_take(struct single_frees *s, const struct kmem_event *ev, size_t nr);
/* No event follows: ends all runs. */
void single_frees_end(struct single_frees *s);
void single_frees_free(struct single_frees *s);

#endif
