/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): page blocks that were taken from the free lists of another migratetype:
 * what frag.c and frag_blocks.c find out and frag_view.c, frag_blocks_view.c and frag_memory.c
 * show.
 * In: mm_page_alloc_extfrag, allocations and frees of pages. Out: who took what, and what lived
 * where it does not belong.
 */
#ifndef KMEMX_ANALYSIS_FRAG_H
#define KMEMX_ANALYSIS_FRAG_H

#include "analysis/analysis.h"
#include "base/hash.h"

/* No architecture has larger pageblocks: 512 MB of 64 KB pages (arm64). */
#define FRAG_BLOCK_ORDER_MAX 13
/* Of the memory, the most that the kernel gives min_free_kbytes by itself (mm/khugepaged.c,
 * set_recommended_min_free_kbytes()).
 */
#define FRAG_MIN_FREE_PART   20U
/* Pageblocks whose pages are followed. */
#define FRAG_BLOCKS_MAX	     65536U
/* Fallbacks of one CPU that wait for their allocation; a refill of a list makes several. */
#define FRAG_WAITING_MAX     256U

/**
 * struct frag_event - one fallback
 * @stack: of the allocation that it was for; else its own; 0: none
 * @waiting: the one before it on its CPU that waits for its allocation too: its place plus one
 * @flags: of the context
 * @found: the allocation came; @hidden: the user's filter hides that
 */
struct frag_event {
	uint64_t ts, pfn;
	uint32_t stack;
	int32_t pid;
	uint32_t cpu;
	uint32_t waiting;
	int32_t alloc_order, fallback_order;
	int32_t to, from; /* migratetypes: of the allocation, of the free list */
	uint8_t flags;
	bool claimed, found, hidden;
};

/**
 * struct frag_block - a pageblock out of which pages of another type were taken
 * @types: those migratetypes, as bits
 * @pages: pages allocated for these types since; @live: of these, now
 * @since: when the first of those that are live now came; @time: how long some were live, before
 * @bits: one for each page frame: such a page is there; NULL: none was
 */
struct frag_block {
	uint64_t pfn;
	uint32_t types;
	uint64_t pages, live;
	uint64_t since, time;
	uint64_t *bits;
};

/**
 * struct frag_blocks - zero-initialise it
 * @order: of a pageblock; 0: unknown, and nothing is followed
 * @by_number: pfn >> @order -> place among @blocks
 * @untracked: fallbacks in further pageblocks
 */
struct frag_blocks {
	unsigned int order;
	struct frag_block *blocks;
	size_t nr, capacity;
	struct u64_map by_number;
	uint64_t untracked;
	bool failed;
};

/* @ev, an extfrag, splits up a pageblock: it is followed from now on. */
void frag_blocks_add(struct frag_blocks *b, const struct kmem_event *ev);
/* An allocation or a free of pages. */
void frag_blocks_page(struct frag_blocks *b, const struct kmem_event *ev);
/* The pageblock of @pfn; NULL: it is not followed. */
const struct frag_block *frag_blocks_find(const struct frag_blocks *b, uint64_t pfn);
void frag_blocks_free(struct frag_blocks *b);

/**
 * struct frag - the analysis
 * @waiting: by buffer and CPU: the latest event that waits, its place plus one, and 0; @nr_waiting
 *	     of all CPUs
 * @order_known: blocks.order may be 0 as pageblocks may be too large to be followed
 */
struct frag {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct frag_event *events;
	size_t nr, capacity;
	struct u64_map waiting;
	uint64_t nr_waiting;
	uint64_t losses;
	unsigned int block_order;
	bool order_known;
	struct frag_blocks blocks;
	bool failed;
};

/* Does it leave pages of several types in a pageblock? Only where the order is known. */
static inline bool frag_fragments(const struct frag *f, const struct frag_event *e)
{
	return e->fallback_order < (int32_t)f->block_order;
}

/* What the recording says a pageblock's order is; false: nothing. */
bool frag_block_order(const struct recording *rec, unsigned int *order);

extern const struct table_type frag_type, frag_block_type, frag_free_type,
	frag_vmstat_type;

/* Adds the tables. 0 or -ENOMEM. */
int frag_show(const struct frag *f, struct report *report) __must_check;
/* Adds what buddyinfo said, if the recording has it. 0 or -ENOMEM. */
int frag_show_free(const struct frag *f, struct report *report) __must_check;
/* Adds what vmstat counted, if the recording has it. 0 or -ENOMEM. */
int frag_show_vmstat(const struct frag *f, struct report *report) __must_check;
/* Adds to the summary what min_free_kbytes is and what would be next. */
void frag_advise(const struct frag *f, struct table *t);

#endif
