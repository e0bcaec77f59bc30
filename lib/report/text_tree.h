/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the branches before the names of a tree's rows in text.
 * In: a table whose rows are a tree. Out: "|  `- ".
 */
#ifndef KMEMX_REPORT_TEXT_TREE_H
#define KMEMX_REPORT_TEXT_TREE_H

#include "base/strbuf.h"
#include "report/table.h"

struct text_tree_row;

/* Zero-initialised it is a list, whose rows have nothing before their names. */
struct text_tree {
	const struct table *t;
	struct text_tree_row *rows;
};

/* Reads the rows that text shows, if @t is a tree. 0 or -ENOMEM; free it in any case. */
int text_tree_init(struct text_tree *tree, const struct table *t) __must_check;
void text_tree_free(struct text_tree *tree);
/* Appends the branches before the name in a row; @row is its first cell. An only child has its name
 * directly below its parent's; several children are branches.
 */
void text_tree_lead(const struct text_tree *tree, const struct cell *row,
		    struct strbuf *sb);

#endif
