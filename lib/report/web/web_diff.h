/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: two sides of recordings as one page for a browser.
 * In: tables of diff_tables(), and the live bytes over time in each recording. Out: HTML.
 */
#ifndef KMEMX_REPORT_WEB_DIFF_H
#define KMEMX_REPORT_WEB_DIFF_H

#include "report/diff.h"
#include "report/render.h"
#include "report/web/web_report.h"

/* Maximum number of a table's rows on a page. Further callchains are added up by callsite and not
 * tested; other rows are left out, and the page says so.
 */
#define WEB_DIFF_ROWS 10000U

/**
 * struct web_diff_run - a recording
 * @live: columns end, slab, page, slab_hit, page_hit: a row for each part of the time; ends are
 *	relative to the first event; NULL: not on the page
 * @ns: ends are in ns
 */
struct web_diff_run {
	const char *file;
	const struct table *live;
	bool is_new, ns;
};

/**
 * struct web_diff - what the page shows; all borrowed
 * @tables: tables of diff_tables(), with all rows
 * @options: define their metrics
 * @tested: there are enough runs to tell change from chance
 * @report: supplies the banner
 * @command: the command that prints the same comparison
 */
struct web_diff {
	const struct table *const *tables;
	size_t nr_tables;
	const struct web_diff_run *runs;
	size_t nr_runs;
	const struct diff_options *options;
	bool tested;
	const struct report *report;
	const char *command;
};

/* Writes the page, like web_report_html(). 0; -ENOMEM; the write function's error. */
int web_diff_html(const struct web_diff *w, const struct render_out *out) __must_check;

/* What a test says about a difference: it is significant or was not tested; it may be chance; there
 * are too few runs; it is the sum of several rows, which was not tested.
 */
enum web_diff_mark {
	WEB_DIFF_PLAIN,
	WEB_DIFF_CHANCE,
	WEB_DIFF_TOO_FEW,
	WEB_DIFF_ADDED_UP
};

#define WEB_DIFF_FIGURES 5

/* A metric of a row, by name or as an array @of figures. NAN: none; @uncertainty: INFINITY:
 * unbounded; @mark: enum web_diff_mark.
 */
struct web_diff_value {
	union {
		struct {
			double old, new, uncertainty, q, mark;
		};
		double of[WEB_DIFF_FIGURES];
	};
};

/* The figures' names, in the same order. */
extern const char *const web_diff_figures[WEB_DIFF_FIGURES];

/**
 * struct web_diff_rows - initialised by web_diff_rows_init()
 * @of: for each row, the number of its name, or of its node if @stacks
 * @values: of all metrics of row 0, of row 1, ...
 * @left_out: rows that do not fit into the page
 */
struct web_diff_rows {
	uint32_t *of;
	struct web_diff_value *values;
	size_t nr, nr_metrics, values_capacity;
	size_t left_out;
	bool stacks;
};

/* Takes the rows of @t, which has the metrics of @o; adds their names to @names. 0 or -ENOMEM. Call
 * web_diff_rows_free() in any case.
 */
int web_diff_rows_init(struct web_diff_rows *r, const struct table *t,
		       const struct diff_options *o,
		       struct web_report *names) __must_check;
void web_diff_rows_free(struct web_diff_rows *r);

#endif
