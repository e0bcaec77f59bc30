/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: two sides of recordings as one page for a browser.
 * In: tables of diff_tables(), and the live bytes over time in each recording. Out: HTML.
 */
#ifndef KMEMX_REPORT_WEB_DIFF_H
#define KMEMX_REPORT_WEB_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "report/diff.h"
#include "report/render.h"

/* The most rows of a table that a page has. Further callchains are added up by callsite and not
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
 * @options: defines their metrics
 * @tested: there are enough runs to tell change from chance
 * @report: supplies the banner
 * @command: the command that prints the same
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

/* Writes the page, as web_report_html() does. 0; -ENOMEM; the write function's error. */
int web_diff_html(const struct web_diff *w, const struct render_out *out) __must_check;

#endif
