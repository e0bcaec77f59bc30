/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): page blocks that were taken from the free lists of another migratetype:
 * shared by frag.c, which collects, and frag_view.c and frag_memory.c, which show.
 * In: mm_page_alloc_extfrag, page allocations and frees. Out: who took which blocks, and what lived
 * in blocks of another migratetype.
 */
#ifndef KMEMX_ANALYSIS_FRAG_H
#define KMEMX_ANALYSIS_FRAG_H

#include "analysis/analysis.h"
#include "analysis/row/subject.h"
#include "base/keyed.h"

/* No architecture has larger pageblocks: 512 MB of 64 KB pages (arm64). */
#define FRAG_BLOCK_ORDER_MAX 13
/* Limit of tracked pageblocks. */
#define FRAG_BLOCKS_MAX	     65536U
/* Limit of fallbacks per CPU that wait for their allocation; a list refill causes several. */
#define FRAG_WAITING_MAX     256U

/**
 * struct frag_event - one fallback
 * @ev: its event, without raw data; its stack is that of the allocation that it served, if known
 * @waiting: the previous event of its CPU that waits for its allocation: its index plus one
 * @found: the allocation was found; @hidden: the user's filter hides it
 */
struct frag_event {
	struct kmem_event ev;
	uint32_t waiting;
	bool found, hidden;
};

/**
 * struct frag_block - a pageblock from which pages were taken for another migratetype
 * @types: those migratetypes, as bits
 * @pages: pages allocated for these types since; @live: how many of them live now
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
 * @blocks: by pfn >> @order
 * @untracked: fallbacks in pageblocks beyond FRAG_BLOCKS_MAX
 */
struct frag_blocks {
	unsigned int order;
	INDEXED(struct frag_block) blocks;
	uint64_t untracked;
	bool failed;
};

/* The pageblock of @pfn; NULL: not tracked. */
static inline struct frag_block *frag_blocks_find(const struct frag_blocks *b,
						  uint64_t pfn)
{
	const uint32_t *place =
		b->order ? u64_map_find(&b->blocks.index, pfn >> b->order) : NULL;

	return place ? &b->blocks.of[*place] : NULL;
}

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
	size_t nr;
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
	return e->ev.extfrag.fallback_order < (int32_t)f->block_order;
}

/* Is the fallback shown? With a filter, only if its allocation was found and passes. */
static inline bool frag_is_shown(const struct frag *f, const struct frag_event *e)
{
	return !f->env->filter || (e->found && !e->hidden);
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

#endif
