// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the branches before the names of a tree's rows in text.
 * In: a table whose rows are a tree. Out: "|  `- ".
 */
#include "report/text_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "report/tree.h"

/**
 * struct text_tree_row - a row that text shows
 * @above: its parent; TREE_ROOT: none
 * @branch: it has siblings
 * @last: it is the last sibling
 */
struct text_tree_row {
	size_t above;
	bool branch, last;
};

/* Finds which rows are branches, once their @above is known. @below: scratch space with a number
 * for each row, plus one for the roots.
 */
static void find_branches(struct text_tree *tree, size_t *below)
{
	const struct table *t = tree->t;
	size_t i, above;

	for (i = t->nr_rows; i; i--) {
		struct text_tree_row *row = &tree->rows[i - 1];

		if (!table_text_has(t, i - 1))
			continue;
		above = row->above == TREE_ROOT ? t->nr_rows : row->above;
		row->last = !below[above]++;
	}
	for (i = 0; i < t->nr_rows; i++) {
		above = tree->rows[i].above;
		tree->rows[i].branch = below[above == TREE_ROOT ? t->nr_rows : above] > 1;
	}
}

int text_tree_init(struct text_tree *tree, const struct table *t)
{
	size_t *parents, *below, i;
	int ret = -ENOMEM;

	*tree = (struct text_tree){ .t = t };
	if (!t->tree)
		return 0;
	parents = tree_parents(t);
	below = calloc(t->nr_rows + 1, sizeof(*below));
	tree->rows = calloc(t->nr_rows + 1, sizeof(*tree->rows));
	if (parents && below && tree->rows) {
		for (i = 0; i < t->nr_rows; i++)
			tree->rows[i].above = parents[i];
		find_branches(tree, below);
		ret = 0;
	}
	free(parents);
	free(below);
	return ret;
}

void text_tree_free(struct text_tree *tree)
{
	free(tree->rows);
	*tree = (struct text_tree){ .t = NULL };
}

/* Width of a row's branch before its name; roots have no line above them. */
static size_t branch_width(const struct text_tree_row *row)
{
	return row->above == TREE_ROOT ? 2 : 3;
}

void text_tree_lead(const struct text_tree *tree, const struct cell *cells,
		    struct strbuf *sb)
{
	const struct text_tree_row *row;
	size_t own, i, end;

	if (!tree->rows)
		return;
	own = (size_t)(cells - tree->t->cells) / tree->t->nr_columns;
	for (i = own, end = sb->size; i != TREE_ROOT; i = tree->rows[i].above) {
		row = &tree->rows[i];
		end += row->branch ? branch_width(row) : 0;
	}
	strbuf_printf(sb, "%*s", (int)(end - sb->size), "");
	if (sb->failed)
		return;
	for (i = own; i != TREE_ROOT; i = tree->rows[i].above) {
		row = &tree->rows[i];
		if (!row->branch)
			continue;
		end -= branch_width(row);
		if (row->above == TREE_ROOT)
			sb->data[end] = i == own ? '-' : ' ';
		else if (i == own)
			sb->data[end] = row->last ? '`' : '|';
		else
			sb->data[end] = row->last ? ' ' : '|';
		if (i == own && row->above != TREE_ROOT)
			sb->data[end + 1] = '-';
	}
}
