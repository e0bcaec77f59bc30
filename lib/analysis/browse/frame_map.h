/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: who held which page frames, over time.
 * In: lives of pages. Out: pages by pageblock and callsite in equal bins of the time, exact and
 * bounded.
 */
#ifndef KMEMX_ANALYSIS_FRAME_MAP_H
#define KMEMX_ANALYSIS_FRAME_MAP_H

#include "analysis/row/sites.h"
#include "analysis/time/over_time.h"
#include "base/keyed.h"
#include "report/web/web_report.h"

/* Limit of bins: a map has less room than a timeline. */
#define FRAME_MAP_BINS	 128U
/* Limit of pageblocks; pages of further ones are only counted. */
#define FRAME_MAP_BLOCKS 65536U
/* Limit of pairs of pageblock and callsite; after that, a pageblock's further callsites share one.
 */
#define FRAME_MAP_PAIRS	 (1U << 19)
/* Limit of sums over time; after that, bins are merged in pairs. */
#define FRAME_MAP_CELLS	 (1U << 20)
/* Order of a pageblock if the recording does not say: that of x86-64. */
#define FRAME_MAP_ORDER	 9U

/* One callsite's pages in one pageblock. @site: FRAME_MAP_OTHERS: several callsites. */
struct frame_pair {
	uint32_t block, site;
};

#define FRAME_MAP_OTHERS UINT32_MAX

/**
 * struct frame_map - frame_map_init() it
 * @order: order of a pageblock
 * @blocks: pfn >> @order, by that; @pairs: by block << 32 | site
 * @site_of: by row of the account, its group in @sites, plus 1; 0: not resolved yet
 * @row_of: by group: one of its rows
 * @time: by pair; the cells count pages instead of bytes
 * @left_out: pages allocated in pageblocks beyond the limit
 *
 * An allocation counts in the pageblock of its first frame.
 */
struct frame_map {
	const struct lives *of;
	struct sites sites;
	unsigned int order;
	INDEXED(uint64_t) blocks;
	INDEXED(struct frame_pair) pairs;
	uint32_t *site_of, *row_of;
	size_t nr_rows, rows_capacity, nr_sites;
	struct over_time time;
	uint64_t left_out;
	bool failed;
};

/* @env must outlive @m; its first_ts and last_ts are the time span. */
void frame_map_init(struct frame_map *m, const struct analysis_env *env);
/* Observes the lives @of pages from now on; @m must not be moved. 0 or -ENOMEM. */
int frame_map_observe(struct frame_map *m, struct lives *of) __must_check;
/* After the last life. */
void frame_map_end(struct frame_map *m);
/* True if memory ran out; the numbers are void then. */
bool frame_map_failed(const struct frame_map *m);
void frame_map_free(struct frame_map *m);
/* Fills in @f, which is empty. @names: group of callsites of @m -> number of its name. 0 or
 * -ENOMEM.
 */
int report_frames_fill(struct web_frames *f, const struct frame_map *m,
		       const uint32_t *names) __must_check;

#endif
