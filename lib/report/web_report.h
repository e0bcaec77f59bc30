/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a recording as one page for a browser, with the data to look around in.
 * In: who allocated what in which part of the time, as plain data. Out: HTML.
 */
#ifndef KMEMX_REPORT_WEB_REPORT_H
#define KMEMX_REPORT_WEB_REPORT_H

#include "base/hash.h"
#include "report/render.h"

/* Rows that a page has at most: what has less is added up by callsite. It is the tables' limit, not
 * the numbers': those of a callsite, a cache and of all stay exact.
 */
#define WEB_REPORT_ROWS	     20000U
/* The same of their cells. With both a page has under 3 MB. */
#define WEB_REPORT_CELLS     400000U
/* With those of callsites whose callchains were added up: beyond that, bins become longer. So a
 * page opens in a second.
 */
#define WEB_REPORT_CELLS_MAX 600000U

/**
 * struct web_cell - sums of a row in one bin of the time
 * @hit, @bytes_req, @bytes: allocated; @ended: bytes of what ended in it
 */
struct web_cell {
	uint32_t bin;
	uint64_t hit, bytes_req, bytes, ended;
};

/* What a row is of. */
enum web_kind { WEB_SLAB, WEB_PAGE, WEB_KINDS };

/**
 * struct web_row - one who allocated
 * @node: the outermost function of the callchain, of @nodes
 * @callsite: name's number; @cache: of slab objects; @migratetype, @gfp: of pages
 * @peak: bytes that were live at the peak
 * @least, @most: bytes that are live at the end
 * @first, @nr: its cells, in order of time
 */
struct web_row {
	uint8_t kind;
	uint32_t node;
	uint32_t callsite, cache;
	uint32_t order, migratetype, gfp;
	uint64_t peak;
	uint64_t least, most;
	size_t first, nr;
};

/* What is live at the end of all rows with the callsite @name, or in the cache. The rows' least do
 * not add up to it where the kernel has counted caches.
 */
struct web_end {
	uint8_t kind;
	bool cache;
	uint32_t name;
	uint64_t least, most;
};

/* A function in a place of the callchains: called the one of node @up, which comes before it, or
 * for UINT32_MAX allocated itself.
 */
struct web_node {
	uint32_t up, name;
};

/* What happened in a bin. @gaps: losses of an unknown number of events. */
struct web_mark {
	uint64_t lost, gaps, failed;
};

/* Parts of the page frames that a page shows at most. */
#define WEB_FRAME_PARTS 256U

/* Bins in which a part of the page frames is alike: @pages of it are live at the end of each, most
 * of them, @most, of @callsite, a name's number; 0: of nobody.
 */
struct web_run {
	uint32_t bins, callsite;
	uint64_t most, pages;
};

/**
 * struct web_frames - who held which page frames
 * @pages: page frames of a part; a whole number of pageblocks
 * @first: first frame of each of the @nr parts; those between them nobody allocated
 * @nr_bins, @width: of the time, from the report's @first on
 * @runs: of each part, one after the other, @nr_bins bins
 * @left_out: pages allocated that are in none
 */
struct web_frames {
	uint64_t pages;
	uint64_t *first;
	size_t nr;
	uint32_t nr_bins;
	uint64_t width;
	struct web_run *runs;
	size_t nr_runs, capacity;
	uint64_t left_out;
};

/**
 * struct web_report - the data; zero-initialise it
 * @names: number n is the text n of @names
 * @dirs: directories of the kernel's source; @dir_of: of name n the number in @dirs, 0: not known;
 *	NULL: none are known
 * @places: of a node and a name -> the node below it
 * @first: when the first bin begins, @width: of each, in units of the clock; @ns: that is ns.
 *	@last: when all ends: the last bin has all that is later, too
 * @marks: of each bin
 * @peak: when most was live; @live_at_peak: bytes, by kind
 * @ends: of callsites and caches
 * @merged: callchains that were added up by callsite
 * @frames: page frames; none where there are no pages
 * @failed: memory ran out; the data are void
 */
struct web_report {
	struct intern names;
	struct intern dirs;
	uint32_t *dir_of;
	struct u64_map places;
	struct web_node *nodes;
	size_t nr_nodes, nodes_capacity;
	struct web_row *rows;
	size_t nr_rows, rows_capacity;
	struct web_cell *cells;
	size_t nr_cells, cells_capacity;
	uint64_t first, width, last;
	uint32_t nr_bins;
	bool ns;
	struct web_mark *marks;
	uint64_t peak, live_at_peak[WEB_KINDS];
	struct web_end *ends;
	size_t nr_ends, ends_capacity;
	uint64_t merged;
	struct web_frames frames;
	bool failed;
};

/**
 * struct web_report_options - what else stands on the page
 * @file: the recording's name
 * @summary: text of some lines
 * @input: options with which other commands read the same: "-i FILE", for a shell
 * @window: the part of the time that it is of, as the user wrote it; NULL: all
 */
struct web_report_options {
	const char *file, *summary, *input, *window;
};

/* The number of @text among the names; 0 if memory ran out, which @w keeps. */
uint32_t web_report_name(struct web_report *w, const char *text);
/* The node at the end of the callchain @folded, "callsite;its caller;..."; UINT32_MAX as above. */
uint32_t web_report_chain(struct web_report *w, const char *folded);

/**
 * web_report_html() - write the page
 * @report: its facts and banner
 *
 * It is one file that loads nothing. Names are text in it, never markup. Its policy lets it run its
 * own script alone.
 *
 * Return: 0; -ENOMEM; the write function's error.
 */
int web_report_html(const struct web_report *w, const struct report *report,
		    const struct web_report_options *o,
		    const struct render_out *out) __must_check;
void web_report_free(struct web_report *w);

#endif
