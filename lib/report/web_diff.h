/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: two sides of recordings as one page for a browser.
 * In: tables of diff_tables(), and how much was live over time in each recording. Out: HTML.
 */
#ifndef KMEMX_REPORT_WEB_DIFF_H
#define KMEMX_REPORT_WEB_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "report/diff.h"
#include "report/render.h"

/* Rows of a table that a page has at most. Callchains beyond are added up by callsite, and are not
 * tested; others are left out, which the page says.
 */
#define WEB_DIFF_ROWS 10000U

/**
 * struct web_diff_run - a recording
 * @live: columns end, slab, page, slab_hit, page_hit: a row for each part of the time; ends are
 *	since the first event; NULL: the page has none
 * @ns: ends are ns
 */
struct web_diff_run {
	const char *file;
	const struct table *live;
	bool is_new, ns;
};

/**
 * struct web_diff - what the page shows; all borrowed
 * @tables: of diff_tables(), with all rows
 * @options: which metrics they have
 * @tested: there are enough runs to tell chance from change
 * @report: its banner
 * @command: that prints the same
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
