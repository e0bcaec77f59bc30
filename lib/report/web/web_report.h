/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a recording as an interactive page for a browser.
 * In: who allocated what in which part of the time, as plain data. Out: HTML.
 */
#ifndef KMEMX_REPORT_WEB_REPORT_H
#define KMEMX_REPORT_WEB_REPORT_H

#include "base/hash.h"
#include "report/json.h"
#include "report/render.h"

/* Maximum number of rows on a page. Smaller rows are added up by callsite. This limits only the
 * tables: the sums of a callsite and of a cache, and the total, stay exact.
 */
#define WEB_REPORT_ROWS	     20000U
/* Beyond this limit, processes are added up, too. */
#define WEB_REPORT_ROWS_MAX  40000U
/* The same limit for cells, at WEB_REPORT_BINS bins. Both keep a page under 3 MB. */
#define WEB_REPORT_CELLS     400000U
#define WEB_REPORT_BINS	     256U
/* Limit including the cells of callsites whose callchains were added up; beyond it, bins become
 * longer. So a page opens within a second.
 */
#define WEB_REPORT_CELLS_MAX 600000U

/**
 * struct web_cell - sums of a row in one time bin
 * @hit, @bytes_req, @bytes: what was allocated; @ended: bytes whose life ended in the bin
 */
struct web_cell {
	uint32_t bin;
	uint64_t hit, bytes_req, bytes, ended;
};

/* Maximum number of stays. Beyond it, their bins become longer than those of the cells. */
#define WEB_REPORT_STAYS 200000U

/* What a row counts. */
enum web_kind { WEB_SLAB, WEB_PAGE, WEB_VMALLOC, WEB_PERCPU, WEB_KINDS };

/**
 * struct web_row - one allocating callchain; without padding
 * @kind: enum web_kind
 * @node: index in @nodes of the callchain's outermost function
 * @callsite: number of its name; @cache: for slab objects; @migratetype, @gfp: for pages
 * @process, @cgroup: who allocated, 0: not recorded; @comm: the task's name, if the process is
 *	not recorded; @entry: how the kernel was entered; @line: of the source, 0: not known
 * @peak: bytes not seen freed at the peak
 * @least, @most: bounds of the bytes live at the end; @likely: the best estimate
 * @first, @nr: its cells, in order of time
 */
struct web_row {
	uint32_t kind;
	uint32_t node;
	uint32_t callsite, cache;
	uint32_t order, migratetype, gfp;
	uint32_t process, comm, cgroup, entry, line;
	uint64_t peak;
	uint64_t least, most, likely;
	size_t first, nr;
};

/* Bytes of row @row that were allocated in bin @begin and ended in bin @end. */
struct web_stay {
	uint32_t row;
	uint16_t begin, end;
	uint64_t bytes;
};

/* What is live at the end in all rows of the callsite @name, or of the @cache of that name. If the
 * kernel counted caches, the rows' @least do not add up to it.
 */
struct web_end {
	uint8_t kind;
	bool cache;
	uint32_t name;
	uint64_t least, most, likely;
};

/* A function at one place in the callchains. It called the function of node @up, which has a lower
 * number; UINT32_MAX: it is the callsite.
 */
struct web_node {
	uint32_t up, name;
};

/* Marks of a bin. @gaps: losses of an unknown number of events. */
struct web_mark {
	uint64_t lost, gaps, failed;
};

/* Maximum number of parts of the page frames on a page. */
#define WEB_FRAME_PARTS 256U

/* Consecutive bins in which a part of the page frames does not change. @pages of it are live at the
 * end of each bin; most of them, @most, belong to @callsite, a name's number; 0: unknown.
 */
struct web_run {
	uint32_t bins, callsite;
	uint64_t most, pages;
};

/**
 * struct web_frames - who held which page frames
 * @pages: page frames of a part; a whole number of pageblocks
 * @first: first frame of each of the @nr parts; frames between parts were never allocated
 * @nr_bins, @width: time bins, from the report's @first on
 * @runs: runs of each part in turn, which cover @nr_bins bins
 * @left_out: allocated pages outside all parts
 */
struct web_frames {
	uint64_t pages;
	uint64_t *first;
	size_t nr;
	uint32_t nr_bins;
	uint64_t width;
	struct web_run *runs;
	size_t nr_runs;
	uint64_t left_out;
};

/* The kernel's own counts of the cache @name, whose objects have @bytes bytes. */
struct web_curve {
	uint32_t name;
	uint64_t bytes;
};

/* A line of the chart of all memory: its @name, and its bytes at each of the moments. */
struct web_line {
	uint32_t name;
	int64_t *bytes;
};

/* An event that explains the curve. @kind: 0: the task @name ended; 1: the OOM killer killed it; 2:
 * someone wrote the mark @name.
 */
struct web_event {
	uint64_t ts;
	uint8_t kind;
	uint32_t name;
};

#define WEB_EVENT_KINDS 3U

/* A GFP flag: numbers of its names, as GFP_KERNEL and K, and its bits. */
struct web_flag {
	uint32_t name, brief;
	uint64_t mask;
};

/**
 * struct web_report - the data; zero-initialise it
 * @names: number n is the text n of @names
 * @dirs: directories of the kernel's source; @dir_of: for each name, its number in @dirs, 0:
 *	unknown; NULL: all unknown
 * @places: maps a node and a name to the node below
 * @first: when the first bin begins, @width: of each bin, in units of the clock; @ns: the unit is
 *	ns. @last: end of the recording: the last bin also has everything later
 * @marks: one per bin
 * @peak: when the most was live, by kind; @live_at_peak: the bytes then
 * @ends: of callsites and caches
 * @stays: in order of rows and time; each of their bins is @stay_bins of the others long
 * @events: in order of time; @left_out: of each kind, the number of later events
 * @flags: in the order in which a row's text names them
 * @merged: callchains that were added up by callsite
 * @frames: page frames; none if there are no pages
 * @moments: when the kernel's own counts were read; @counts: objects of curve n at moment m at n *
 *	@nr_moments + m
 * @lines: all memory, by the kernel's counters; free memory first
 * @parts: shorter bins are available for parts of the time
 * @failed: memory ran out; the data are invalid
 */
struct web_report {
	struct intern names;
	struct intern dirs;
	uint32_t *dir_of;
	struct u64_map places;
	struct web_node *nodes;
	size_t nr_nodes;
	struct web_row *rows;
	size_t nr_rows, rows_capacity;
	struct web_cell *cells;
	size_t nr_cells, cells_capacity;
	uint64_t first, width, last;
	uint32_t nr_bins;
	bool ns;
	struct web_mark *marks;
	uint64_t peak[WEB_KINDS], live_at_peak[WEB_KINDS];
	struct web_event *events;
	size_t nr_events;
	uint64_t left_out[WEB_EVENT_KINDS];
	struct web_flag *flags;
	size_t nr_flags;
	struct web_end *ends;
	size_t nr_ends, ends_capacity;
	struct web_stay *stays;
	size_t nr_stays, stays_capacity;
	uint32_t stay_bins;
	uint64_t merged;
	struct web_frames frames;
	uint64_t *moments;
	size_t nr_moments;
	struct web_curve *curves;
	size_t nr_curves;
	uint64_t *counts;
	size_t counts_capacity;
	struct web_line *lines;
	size_t nr_lines;
	bool parts;
	bool failed;
};

/**
 * struct web_report_options - further text on the page
 * @file: the recording's name
 * @summary: a few lines of text
 * @input: options for other commands to read the same recording: "-i FILE", for a shell
 * @window: the reported part of the time, as the user wrote it; NULL: all
 * @served: a server answers requests for other parts of the time: "?time=START,STOP"
 */
struct web_report_options {
	const char *file, *summary, *input, *window;
	bool served;
};

/* The number of @text among the names; 0 if memory ran out, which sets @w->failed. */
uint32_t web_report_name(struct web_report *w, const char *text);
/* The node at the end of the callchain @folded, "callsite;its caller;..."; UINT32_MAX if memory ran
 * out, as above.
 */
uint32_t web_report_chain(struct web_report *w, const char *folded);
/* Writes a foreign text safely: browsers obey control characters for text direction, too. NULL:
 * null.
 */
void web_text(struct json *j, const char *text);
void web_key_text(struct json *j, const char *key, const char *text);
/* Write members of the open object: "names" and "dirs"; "nodes", the callchains. */
void web_names(struct json *j, const struct web_report *w);
void web_nodes(struct json *j, const struct web_report *w);

/**
 * web_report_html() - write the page
 * @report: its facts and banner
 *
 * It is one file that loads nothing. Names are text, never markup. Its policy allows only its own
 * script.
 *
 * Return: 0; -ENOMEM; the write function's error.
 */
int web_report_html(const struct web_report *w, const struct report *report,
		    const struct web_report_options *o,
		    const struct render_out *out) __must_check;
void web_report_free(struct web_report *w);

/* Writes the columns' names in order, as a member of the open object: "columns": [["rows", "kind", 0],
 * ...].
 */
void web_columns_names(struct json *j);

/**
 * web_columns_write() - write all columns
 * @part: @w is a part of the time, with only the columns whose third item in web_columns_names() is
 *	1
 *
 * Each column has two 32-bit numbers, the number of figures and an enum web_figure, then the
 * figures, and zeros up to a multiple of 8 bytes. Everything is little-endian. A column that has
 * only zeros may have no figures.
 *
 * Return: 0; -ENOMEM; the write function's error.
 */
int web_columns_write(const struct web_report *w, bool part,
		      const struct render_out *out) __must_check;

/* Type of a column's figures: the smallest that fits them all. */
enum web_figure {
	WEB_U8,
	WEB_U16,
	WEB_U32,
	WEB_S8,
	WEB_S16,
	WEB_S32,
	WEB_F64,
};

#endif
