/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a tree as rings, each around its parents (a sunburst).
 * In: a table whose rows are a tree. Out: a picture (SVG), or an interactive page (HTML).
 */
#ifndef KMEMX_REPORT_RINGS_H
#define KMEMX_REPORT_RINGS_H

#include "report/render.h"

/**
 * struct rings_options - what the picture shows
 * @size, @name: names of two columns of the table: the size of the arcs, in bytes, and their names
 * @title, @what: the heading: the subject, and what sizes mean
 */
struct rings_options {
	const char *size, *name;
	const char *title, *what;
};

/* A page has at most this many rows, the largest ones; fewer if long names would make it exceed
 * RINGS_BYTES_MAX.
 */
#define RINGS_ROWS_MAX	40000
#define RINGS_BYTES_MAX (3 << 19)

/**
 * rings_svg(), rings_html() - draw a tree
 * @t: its rows are a tree, sorted by @o->size in descending order; a row is not larger than its
 *     parent
 *
 * Each is one file that loads nothing; names are text in it, never markup. The page's content
 * security policy allows only its own script, by its hash.
 *
 * Return: 0; -EINVAL if @t lacks the columns or is no tree; -ENOMEM; the write function's error.
 */
int rings_svg(const struct table *t, const struct rings_options *o,
	      const struct render_out *out) __must_check;
int rings_html(const struct table *t, const struct rings_options *o,
	       const struct render_out *out) __must_check;

/**
 * struct rings_row - an arc
 * @name: owned by the table
 * @depth: 0 for roots
 * @behind: number of the first following row that is not below it
 */
struct rings_row {
	const char *name;
	uint64_t size;
	uint32_t depth, behind;
};

/* The rows, parents first. @total: sum of all roots. */
struct rings_rows {
	struct rings_row *rows;
	uint32_t nr;
	uint64_t total;
};

/* 0; -EINVAL; -ENOMEM. Call rings_rows_free() in any case. */
int rings_rows_init(struct rings_rows *r, const struct table *t,
		    const struct rings_options *o) __must_check;
void rings_rows_free(struct rings_rows *r);
/* Appends text, escaped for markup; makes unprintable characters visible. */
void rings_text(struct strbuf *sb, const char *text);

#endif
