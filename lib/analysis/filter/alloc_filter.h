/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which allocations a report covers.
 * In: the user's words, allocations. Out: each allocation is marked as hidden or not.
 */
#ifndef KMEMX_ANALYSIS_ALLOC_FILTER_H
#define KMEMX_ANALYSIS_ALLOC_FILTER_H

#include "analysis/filter/event_filter.h"
#include "analysis/row/sites.h"
#include "event/formats.h"
#include "event/tasks.h"

/* Flags that an allocation must have: @bits, and @names, which stand for several flags. */
struct filter_gfp {
	uint64_t bits;
	uint64_t
		names; /* by index into the formats' names, as gfp_format_short() has it */
	bool none;     /* it has no flag at all */
};

/**
 * struct alloc_filter - zero-initialised, every allocation passes
 * @who: its CPUs, pids, tasks' names and callsites
 * @nodes: node + 1, as -1 means that no node was requested; @orders: of pages
 * @cache_known, @kmalloc_known, @gfp_known: number of a cache, size, flags -> 0 or 1
 * @nr: allocations that passed, by enum memory
 * @failed: memory ran out
 *
 * Words added by the same function are combined by OR, those of different functions by AND.
 */
struct alloc_filter {
	struct event_filter who;
	struct filter_ranges nodes, orders;
	struct dir_words caches;
	struct filter_gfp *gfps;
	size_t nr_gfps, gfps_capacity;
	const struct analysis_env *env;
	struct tasks tasks;
	struct sites sites;
	struct u64_map cache_known, kmalloc_known, gfp_known;
	uint64_t nr[MEMORY_KINDS];
	bool failed;
};

/* All return 0, -EINVAL for an invalid word, or -ENOMEM. */

/* "0", "0-3", or "-1" for allocations that requested no node. */
int alloc_filter_add_node(struct alloc_filter *f, const char *word) __must_check;
/* "3" or "0-3". */
int alloc_filter_add_order(struct alloc_filter *f, const char *word) __must_check;
/* A cache's name; * and ? are wildcards. "[kmalloc]" means every kmalloc. kmalloc events name no
 * cache: "kmalloc-64" follows from the size.
 */
int alloc_filter_add_cache(struct alloc_filter *f, const char *word) __must_check;
/* A directory of the kernel's source that contains the callsite: "fs" includes "fs/ext4"; * and ?
 * are wildcards. alloc_filter_begin()'s env must have dirs.
 */
int alloc_filter_add_dir(struct alloc_filter *f, const char *word) __must_check;
/* Does the filter name this directory? */
bool alloc_filter_has_dir(const struct alloc_filter *f, const char *name);
/* "GFP_KERNEL", "__GFP_ZERO", their short forms "K", "Z", "0x...", "none". Joined by |, the
 * allocation must have all of them. A name with __ is one bit; a name without it stands for
 * several, and matches where the flags are displayed with that name. -ENOENT: the recording has no
 * such name.
 */
int alloc_filter_add_gfp(struct alloc_filter *f, const char *word,
			 const struct gfp_names *names) __must_check;

/* Before the first event; @env is borrowed. 0 or -ENOMEM. */
int alloc_filter_begin(struct alloc_filter *f,
		       const struct analysis_env *env) __must_check;
/* Marks the allocations among @nr events as hidden or not. */
void alloc_filter_mark(struct alloc_filter *f, struct kmem_event *evs, size_t nr);
/* Does @ev pass on its own, as a line of text? If the filter says what was allocated (a cache, a
 * node, flags or an order), only events that have it pass: also frees that name a cache or an
 * order.
 */
bool alloc_filter_pass(struct alloc_filter *f, const struct kmem_event *ev);
/* Are allocations of task @pid at time @ts shown, as far as that depends on these? */
bool alloc_filter_task(struct alloc_filter *f, int32_t pid, uint64_t ts);
/* Does the filter name caches other than kmalloc's, while events that passed all else name none? */
bool alloc_filter_unnamed(const struct alloc_filter *f);
void alloc_filter_free(struct alloc_filter *f);

#endif
