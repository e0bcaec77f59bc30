/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a tree as rings, each around the rows that it stands below (a sunburst).
 * In: a table whose rows are a tree. Out: a picture (SVG), or a page to look around in (HTML).
 */
#ifndef KMEMX_REPORT_RINGS_H
#define KMEMX_REPORT_RINGS_H

#include "report/render.h"

/**
 * struct rings_options - what the picture is of
 * @size, @name: columns of the table, by their names: what arcs are sized by, in bytes, and what
 *	they are called
 * @title, @what: above it: of what it is, and what sizes mean
 */
struct rings_options {
	const char *size, *name;
	const char *title, *what;
};

/* So many rows a page has, the largest; fewer, where their names are so long that the page would
 * have more bytes.
 */
#define RINGS_ROWS_MAX	40000
#define RINGS_BYTES_MAX (3 << 19)

/**
 * rings_svg(), rings_html() - draw them
 * @t: its rows are a tree, and sorted by @o->size from the largest down; a row is not larger than
 *     the one that it stands below
 *
 * Each is one file that loads nothing; names are text in it, never markup. The page runs its own
 * script alone, as its content security policy says, with the script's hash.
 *
 * Return: 0; -EINVAL @t has no such columns, or is no tree; -ENOMEM; the write function's error.
 */
int rings_svg(const struct table *t, const struct rings_options *o,
	      const struct render_out *out) __must_check;
int rings_html(const struct table *t, const struct rings_options *o,
	       const struct render_out *out) __must_check;

#endif
