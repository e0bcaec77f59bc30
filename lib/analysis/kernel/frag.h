/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): page blocks that were taken from the free lists of another migratetype:
 * shared by frag.c and frag_blocks.c, which collect, and frag_view.c, frag_blocks_view.c and
 * frag_memory.c, which show.
 * In: mm_page_alloc_extfrag, page allocations and frees. Out: who took which blocks, and what lived
 * in blocks of another migratetype.
 */
#ifndef KMEMX_ANALYSIS_FRAG_H
#define KMEMX_ANALYSIS_FRAG_H

#include "analysis/analysis.h"
#include "analysis/row/subject.h"
#include "base/hash.h"

/* No architecture has larger pageblocks: 512 MB of 64 KB pages (arm64). */
#define FRAG_BLOCK_ORDER_MAX 13
/* The kernel itself sets min_free_kbytes to at most 1/20 of the memory (mm/khugepaged.c,
 * set_recommended_min_free_kbytes()).
 */
#define FRAG_MIN_FREE_PART   20U
/* Limit of tracked pageblocks. */
#define FRAG_BLOCKS_MAX	     65536U
/* Limit of fallbacks per CPU that wait for their allocation; a list refill causes several. */
#define FRAG_WAITING_MAX     256U

/**
 * struct frag_event - one fallback
 * @stack: stack of the allocation that it served, else its own; 0: none
 * @waiting: the previous event of its CPU that waits for its allocation: its index plus one
 * @flags: the context: hard interrupt, softirq
 * @found: the allocation was found; @hidden: the user's filter hides it
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
 * struct frag_block - a pageblock from which pages were taken for another migratetype
 * @types: those migratetypes, as bits
 * @pages: pages allocated for these types since; @live: of these, now
 * @since: when the first of those live now was allocated; @time: how long any were live before that
 * @bits: one per page frame: set if such a page is live; NULL: none has been yet
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
 * @order: order of a pageblock; 0: unknown, and nothing is tracked
 * @by_number: pfn >> @order -> index in @blocks
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

/* @ev, an extfrag, splits a pageblock: track it from now on. */
void frag_blocks_add(struct frag_blocks *b, const struct kmem_event *ev);
/* An allocation or a free of pages. */
void frag_blocks_page(struct frag_blocks *b, const struct kmem_event *ev);
/* The pageblock of @pfn; NULL: not tracked. */
const struct frag_block *frag_blocks_find(const struct frag_blocks *b, uint64_t pfn);
void frag_blocks_free(struct frag_blocks *b);

/**
 * struct frag - the analysis
 * @waiting: by buffer and CPU: index plus one of the latest event that waits, 0: none; @nr_waiting:
 *	of all CPUs
 * @order_known: the order is known; blocks.order is 0 if pageblocks are too large to be tracked
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

/* Does the fallback mix pages of several types in a pageblock? Only valid if the order is known. */
static inline bool frag_fragments(const struct frag *f, const struct frag_event *e)
{
	return e->fallback_order < (int32_t)f->block_order;
}

/* Reads the pageblock order from the recording; false: not known. */
bool frag_block_order(const struct recording *rec, unsigned int *order);

extern const struct table_type frag_type, frag_block_type, frag_free_type,
	frag_vmstat_type;

/* Adds the tables. 0 or -ENOMEM. */
int frag_show(const struct frag *f, struct report *report) __must_check;
/* Adds buddyinfo's figures, if the recording has them. */
void frag_show_free(const struct frag *f, struct report *report);
/* Adds vmstat's counters, if the recording has them. */
void frag_show_vmstat(const struct frag *f, struct report *report);
/* Adds to the summary the value of min_free_kbytes and the next larger one to try. */
void frag_advise(const struct frag *f, struct table *t);

/* Shared code of the tables of fallbacks and of pageblocks. */

/**
 * struct frag_view - tables under construction
 * @known: stack -> index of its callsite in @callsites
 * @has_ownership: the events say whether pageblocks were claimed
 */
struct frag_view {
	const struct frag *f;
	struct sites sites;
	struct dimensions dims;
	struct subjects subjects;
	struct u64_map known;
	uint64_t *callsites;
	size_t nr_callsites, callsites_capacity;
	bool has_ownership;
};

/* Is the fallback shown? With a filter, only if its allocation was found and passes. */
static inline bool frag_is_shown(const struct frag *f, const struct frag_event *e)
{
	return !f->env->filter || (e->found && !e->hidden);
}

/* Rows by @kind. 0 or -ENOMEM; call frag_view_end() in any case. @v must not be moved. */
int frag_view_begin(struct frag_view *v, const struct frag *f,
		    enum subject_kind kind) __must_check;
void frag_view_end(struct frag_view *v);
/* The fallback's row; UINT32_MAX: no memory. */
uint32_t frag_view_subject(struct frag_view *v, const struct frag_event *e);
/* Hides the columns that were not asked for, and sets the unit of times to that of the clock. */
void frag_view_columns(const struct frag_view *v, struct table *t);

/* Adds the table of pageblocks, if there are any. 0 or -ENOMEM. */
int frag_show_blocks(const struct frag *f, struct report *report) __must_check;

#endif
