/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: which columns of a table a line of text has room for, and how wide they are.
 * In: a table and the terminal's width. Out: the columns in their order; what is left out.
 */
#ifndef KMEMX_REPORT_TEXT_LAYOUT_H
#define KMEMX_REPORT_TEXT_LAYOUT_H

#include "base/strbuf.h"
#include "report/render.h"
#include "report/spark.h"
#include "report/text_tree.h"

#define TEXT_LEAD 2 /* characters before the first column: "# " or two spaces */
#define TEXT_GAP  2 /* between two columns */

/**
 * struct text_column - a column of a table of text
 * @index: in the table
 * @per: index of the column that divides; -1: none
 * @mark: index of the column with the marks behind its numbers; -1: none
 * @text: it holds texts, which stand to the left
 * @head, @tail: the widest part before the '/' of a ratio or before a mark, and from it on
 * @tree: what stands before its texts; NULL: nothing
 * @spark: of a histogram: what its marks stand for
 * @out: there is no room for it; @turn: when it was found so: 1, 2, ...
 */
struct text_column {
	const struct column *column;
	size_t index;
	int per, mark;
	bool text;
	size_t head, tail;
	const struct text_tree *tree;
	struct spark spark;
	bool out;
	unsigned int turn;
};

/**
 * struct text_layout - a table's columns in the order of a line
 * @per: ratios are shown whole; else only what is before their '/'
 * @has_per: there is one
 * @last: index in @columns of the line's last column
 * @tree: what stands before the names of that one
 * @room: characters that are left for that one; SIZE_MAX: as many as it takes
 */
struct text_layout {
	struct text_column *columns;
	size_t nr, last, room;
	struct text_tree tree;
	bool per, has_per;
};

/**
 * text_layout_init() - find the columns that the line has room for
 * @opts: its width and whether all columns are wanted
 *
 * What the rows stand for has its width first, and so has the column that orders them; but a
 * name of more than half the line gets a line of its own rather than all the room. The other
 * columns are left out until the line fits, in the order that column.leaves says, those of one
 * number together, and the quotients of column.per before all; then those come back for which
 * there is room after all. Text of words is content with a part of the line, as it can be
 * wrapped.
 *
 * Return: 0 or -ENOMEM; free it with text_layout_free() in any case.
 */
int text_layout_init(struct text_layout *l, const struct table *t,
		     const struct render_options *opts) __must_check;
void text_layout_free(struct text_layout *l);
/* Characters of a line with all that is not left out. */
size_t text_layout_line(struct text_layout *l);
/* Characters that @c takes without the gap behind it, its title included. */
size_t text_layout_width(const struct text_layout *l, const struct text_column *c);
/* Bytes of its title that are shown. */
size_t text_layout_title(const struct text_layout *l, const struct text_column *c);
/* Characters of that for what follows the numbers: a ratio's '/' and quotient, or a mark. */
size_t text_layout_tail(const struct text_layout *l, const struct text_column *c);
/* Puts the cell of @row in column @c into @sb, which is emptied. Returns the bytes before the
 * '/' of a ratio or before a mark, or all. Of a histogram these are spark_levels().
 */
size_t text_layout_cell(const struct text_column *c, const struct cell *row, bool human,
			struct strbuf *sb);
/* Appends the titles of what was left out, with commas between; returns how many they are. */
size_t text_layout_hidden(const struct text_layout *l, struct strbuf *sb);

#endif
