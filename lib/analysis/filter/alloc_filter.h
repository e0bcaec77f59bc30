/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which allocations a report covers.
 * In: the user's words, allocations. Out: each allocation is marked as hidden or not.
 */
#ifndef KMEMX_ANALYSIS_ALLOC_FILTER_H
#define KMEMX_ANALYSIS_ALLOC_FILTER_H

#include "analysis/row/sites.h"
#include "event/formats.h"
#include "event/processes.h"
#include "event/tasks.h"

/* Zero-initialise it. */
struct dir_words {
	char **items;
	size_t nr;
};

void dir_words_free(struct dir_words *words);
bool dir_words_has(const struct dir_words *words, const char *dir);

struct filter_range {
	uint64_t first, last;
};

struct filter_ranges {
	struct filter_range *items;
	size_t nr;
};

/* Adds "3" or "0-3". 0; -EINVAL; -ENOMEM. */
int filter_ranges_add(struct filter_ranges *r, const char *word) __must_check;
/* Is @value in one of the ranges, or are there none? */
bool filter_ranges_has(const struct filter_ranges *r, uint64_t value);

/* A code address, a function, or one offset in a function. */
struct filter_site {
	char *name; /* NULL: @value is an address */
	bool exact; /* only at offset @value of the function */
	uint64_t value;
};

/* Flags that an allocation must have: @bits, and @names, which stand for several flags. */
struct filter_gfp {
	uint64_t bits;
	uint64_t
		names; /* by index into the formats' names, as gfp_format_short() has it */
	bool none;     /* it has no flag at all */
};

/* A filter caches its answers by these: control group, task, callsite, callsite for its directory,
 * number of a cache, size, flags.
 */
enum filter_known {
	KNOWN_GROUP,
	KNOWN_COMM,
	KNOWN_SITE,
	KNOWN_DIR,
	KNOWN_CACHE,
	KNOWN_KMALLOC,
	KNOWN_GFP,
	KNOWN_NR,
};

/**
 * struct alloc_filter - zero-initialised, every allocation and every other event passes
 * @ids: by event ID; NULL: all
 * @nodes: node + 1, as -1 means that no node was requested; @orders: of pages
 * @callsites, @tasks: set by alloc_filter_begin(); @processes, for @groups: too, if its env has
 *	accounts, else by the caller
 * @known: key -> 0 or 1
 * @nr: allocations that passed, by enum memory
 * @failed: memory ran out
 *
 * Words added by the same function are combined by OR, those of different functions by AND.
 */
struct alloc_filter {
	struct filter_ranges cpus, pids, ptrs, nodes, orders;
	struct dir_words comms, dirs, groups, caches;
	bool *ids;
	struct filter_site *sites;
	size_t nr_sites;
	struct filter_gfp *gfps;
	size_t nr_gfps;
	const struct analysis_env *env;
	struct sites callsites;
	struct tasks tasks;
	const struct processes *processes;
	struct u64_map known[KNOWN_NR];
	uint64_t nr[MEMORY_KINDS];
	bool failed;
};

/* All return 0, -EINVAL for an invalid word, or -ENOMEM. Words for @cpus, @pids and @orders:
 * filter_ranges_add().
 */

/* A hexadecimal address, with or without 0x. */
int alloc_filter_add_ptr(struct alloc_filter *f, const char *word) __must_check;
/* The name of a task; * and ? are wildcards. */
int alloc_filter_add_comm(struct alloc_filter *f, const char *word) __must_check;
/* A control group as reports name it, or a pattern; it includes those below it, "/" does not. */
int alloc_filter_add_group(struct alloc_filter *f, const char *word) __must_check;
/* "kmalloc", "kmem:kmalloc" or "mm_page_*"; -ENOENT: the recording has no such event. */
int alloc_filter_add_event(struct alloc_filter *f, const char *word,
			   const struct event_formats *fmts) __must_check;
/* "function", "function+0x1f", "0xffff..."; a function's name may have * and ?, and needs no
 * compiler suffix. Inlined code matches its own function and the one that holds the code.
 */
int alloc_filter_add_site(struct alloc_filter *f, const char *word) __must_check;
/* A directory of the kernel's source that contains the callsite: "fs" includes "fs/ext4"; * and ?
 * are wildcards. alloc_filter_begin()'s env must have dirs then.
 */
int alloc_filter_add_dir(struct alloc_filter *f, const char *word) __must_check;
/* "0", "0-3", or "-1" for allocations that requested no node. */
int alloc_filter_add_node(struct alloc_filter *f, const char *word) __must_check;
/* A cache's name; * and ? are wildcards. "[kmalloc]" means every kmalloc. kmalloc events name no
 * cache: "kmalloc-64" follows from the size.
 */
int alloc_filter_add_cache(struct alloc_filter *f, const char *word) __must_check;
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
 * node, flags or an order), only events that say so pass, including frees that name a cache or an
 * order.
 */
bool alloc_filter_pass(struct alloc_filter *f, const struct kmem_event *ev);
/* Are allocations of task @pid at time @ts shown, as far as that depends on these? */
bool alloc_filter_task(struct alloc_filter *f, int32_t pid, uint64_t ts);
/* Does the filter name caches other than kmalloc's, while events that passed all else name none? */
bool alloc_filter_unnamed(const struct alloc_filter *f);
void alloc_filter_free(struct alloc_filter *f);

#endif
