/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the columns of a table that fit into a line of text, and their widths.
 * In: a table and the terminal's width. Out: the columns in order; those left out.
 */
#ifndef KMEMX_REPORT_TEXT_LAYOUT_H
#define KMEMX_REPORT_TEXT_LAYOUT_H

#include "base/strbuf.h"
#include "report/render.h"
#include "report/spark.h"
#include "report/table.h"

#define TEXT_LEAD 2 /* characters before the first column: "# " or two spaces */
#define TEXT_GAP  2 /* between two columns */

/**
 * struct text_column - a column of a text table
 * @index: in the table
 * @per: index of the divisor column; -1: none
 * @mark: index of the column whose marks follow its numbers; -1: none
 * @text: it has texts, which are left-aligned; @branches: a tree's branches precede them
 * @head, @tail: the widest part before the '/' of a ratio or before a mark, and the widest rest
 * @widest: @head without a limit to long names
 * @spark: the axis of a histogram's marks
 * @out: it does not fit; @turn: when it was left out: 1, 2, ...
 * @tells: no other column tells some rows apart
 */
struct text_column {
	const struct column *column;
	size_t index;
	int per, mark;
	bool text, branches;
	size_t head, tail, widest;
	struct spark spark;
	bool out, tells;
	unsigned int turn;
};

/**
 * struct text_layout - a table's columns in the order of a line
 * @opts: decide which numbers are rounded
 * @per: ratios are shown in full; else only the part before '/'
 * @has_per: there is a ratio
 * @last: index in @columns of the line's last column
 * @room: characters left for the last column; SIZE_MAX: unlimited
 * @rows: of a tree, else NULL; @cell: scratch: both internal
 */
struct text_layout {
	const struct table *t;
	const struct render_options *opts;
	struct text_column *columns;
	size_t nr, last, room;
	bool per, has_per;
	struct text_tree_row *rows;
	struct strbuf cell;
};

/**
 * text_layout_init() - find the columns that fit into the line
 * @opts: the line's width and whether all columns are wanted
 *
 * The column that names the rows and the one that orders them get their width first; but a name
 * longer than half the line gets a line of its own. Other columns are left out until the line fits:
 * the quotients of column.per first, then columns in the order of column.drop, those with the
 * same number together. Before those without a number leave, names longer than what is left get
 * lines of their own. Then columns that fit after all are added again. A column that alone tells
 * two rows apart stays if leaving out figures makes room. Text that can be wrapped needs only a
 * part of the line.
 *
 * Return: 0 or -ENOMEM; free it with text_layout_free() in any case.
 */
int text_layout_init(struct text_layout *l, const struct table *t,
		     const struct render_options *opts) __must_check;
void text_layout_free(struct text_layout *l);
/* Characters of a line with all columns that are not left out. */
size_t text_layout_line(struct text_layout *l);
/* Characters that @c takes without the following gap, including its title. */
size_t text_layout_width(const struct text_layout *l, const struct text_column *c);
/* Bytes of @c's title that are shown. */
size_t text_layout_title(const struct text_layout *l, const struct text_column *c);
/* How many of its characters follow the numbers: a ratio's '/' and quotient, or a mark. */
size_t text_layout_tail(const struct text_layout *l, const struct text_column *c);
/* Puts the cell of @row in column @c into @sb, which is emptied first. Returns the bytes before the
 * '/' of a ratio or before a mark, or all. For a histogram these are spark_levels().
 */
size_t text_layout_cell(const struct text_layout *l, const struct text_column *c,
			const struct cell *row, struct strbuf *sb);
/* Appends the branches before the name in a row of a tree; @row is its first cell. An only child's
 * name is directly below its parent's; several children get branches.
 */
void text_layout_branches(const struct text_layout *l, const struct cell *row,
			  struct strbuf *sb);
/* Appends the titles of the columns that were left out, separated by commas. Returns
 * their number.
 */
size_t text_layout_hidden(const struct text_layout *l, struct strbuf *sb);

/* Maximum number of rows, and of columns, of a matrix. */
#define CROSS_MAX 32

/* The matrix of @t, without notes and summary, which the caller frees. A pair without a row is 0.
 * NULL: @t is not a list of pairs, rows were cut, or there are too many numbers. 0 or -ENOMEM.
 */
int table_cross(const struct table *t, struct table **out) __must_check;

/* Maximum number of lines in a short summary. */
#define SUMMARY_LINES 8

/**
 * summary_lines_choose() - choose the lines of a summary
 * @t: its summary has at least one line
 * @view: not SUMMARY_NONE
 * @shown: receives whether each of @t->nr_summary lines is shown
 *
 * A short summary has the SUMMARY_LINES nonzero lines of the highest rank, with the lines that an
 * indented one is part of. A summary that fits keeps all lines, including zeros.
 *
 * Return: the number of lines left out.
 */
size_t summary_lines_choose(const struct table *t, enum summary_view view, bool *shown);

#endif
