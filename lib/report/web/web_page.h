/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): a page that is one file.
 * In: a page of web/ with its style and script, and the values of its marks. Out: HTML.
 */
#ifndef KMEMX_REPORT_WEB_PAGE_H
#define KMEMX_REPORT_WEB_PAGE_H

#include "report/render.h"

/* A text of web/, which make turns into an array, and its hash for a content security policy. */
struct web_text {
	const char *text, *hash;
};

#define WEB_TEXT(array) ((struct web_text){ array, array##_HASH })

/**
 * struct web_page - what replaces the page's marks
 * @html: the page: each mark is a name between two "@"; there is no other "@"
 * @style, @script: STYLE and SCRIPT; STYLE-HASH and SCRIPT-HASH are for its policy
 * @connect: CONNECT: where the page's policy lets its script connect, if the page has that mark;
 *	markup
 * @title, @what: TITLE and WHAT: text, never markup; @report: its banner is WHAT if @what is NULL
 * @data: writes DATA; returns 0 or -errno; @columns: the same for COLUMNS, if the page has that
 *	mark
 * @is_packed: both are packed (report/compressed.h), which TYPE says; else DATA must not contain "<"
 */
struct web_page {
	const char *html;
	struct web_text style, script;
	const char *connect;
	const char *title, *what;
	const struct report *report;
	int (*data)(void *ctx, const struct render_out *out);
	int (*columns)(void *ctx, const struct render_out *out);
	void *ctx;
	bool is_packed;
};

/* Writes the page. 0; -ENOMEM; an error of a write function or of @data. */
int web_page_write(const struct web_page *page,
		   const struct render_out *out) __must_check;

#endif
