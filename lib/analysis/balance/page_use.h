/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the kernel uses pages for.
 * In: who allocated them, and with which GFP flags. Out: the counter of meminfo that they are in.
 *
 * Functions of 5.10 to 7.x. The counters are those that mm/ and fs/proc/meminfo.c maintain.
 */
#ifndef KMEMX_ANALYSIS_PAGE_USE_H
#define KMEMX_ANALYSIS_PAGE_USE_H

#include "account/page_lives.h"
#include "analysis/bounds/reclaimable.h"

/* In the order of the balance's lines. */
enum page_use {
	USE_ANONYMOUS,
	USE_PAGE_CACHE,
	USE_SHMEM,
	USE_SLAB_RECLAIMABLE,
	USE_SLAB_UNRECLAIMABLE,
	USE_STACK,
	USE_PAGE_TABLE,
	USE_VMALLOC,
	USE_PERCPU,
	USE_HUGETLB,
	USE_UNCOUNTED, /* in no counter */
	USE_NR,
};

/* Zero-initialise it, then page_uses_init(). @movable, @user: GFP flags of memory of processes. */
struct page_uses {
	const struct analysis_env *env;
	struct reclaimable reclaimable;
	uint64_t movable, user;
};

/* 0 or -ENOMEM; call page_uses_free() in any case. @env is borrowed. */
int page_uses_init(struct page_uses *u, const struct analysis_env *env) __must_check;
/* The use of pages of rows with @key, which @callsite allocated (0: unknown): that of the first
 * function of the callchain, from its inner end, that has one; else by GFP flags.
 */
enum page_use page_use(const struct page_uses *u, const struct page_key *key,
		       uint64_t callsite);
/* The use of pages that were requested with @gfp_flags by functions with @names, "NAME NAME ...",
 * the innermost first.
 */
enum page_use page_use_named(const struct page_uses *u, uint64_t gfp_flags,
			     const char *names, size_t len);
/* The use of an area of vmalloc with the callchain @stack; USE_NR: its memory is a device's, as
 * with ioremap, or somebody else's, as with vmap.
 */
enum page_use page_use_area(const struct page_uses *u, uint32_t stack);
/* Does function @name make processes? vmallocinfo names it as the caller of their stacks. */
bool page_use_forks(const char *name);
/* "page cache": the title of the balance's line @name. */
const char *page_use_title(const char *name);
void page_uses_free(struct page_uses *u);

/* The columns of a row, a @type, with its @what before and after the recording, in the members
 * @from and @to. @stays: .drop of the latter column.
 */
#define CHANGE_COLUMNS(type, from, to, what, stays)                                  \
	{ COLUMN("before", "Before", UNIT_BYTES, what " before the recording.",      \
		 .level = true, .drop = 50),                                         \
	  MEMBER(type, from) },                                                      \
		{ COLUMN("after", "After", UNIT_BYTES, what " after the recording.", \
			 .level = true, .drop = stays),                              \
		  MEMBER(type, to) },                                                \
	{                                                                            \
		COLUMN("change", "Change", UNIT_BYTES, "After less before.",         \
		       .level = true, .change = true),                               \
			MEMBER(type, change)                                         \
	}

#endif
