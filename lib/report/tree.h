/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: tables whose rows are a tree.
 * In: rows, each after its parent. Out: the parents; an order of the rows; the largest rows.
 */
#ifndef KMEMX_REPORT_TREE_H
#define KMEMX_REPORT_TREE_H

#include "report/table.h"

#define TREE_ROOT SIZE_MAX /* no parent */

/* The parent of each row of @t, a tree. The caller frees it. NULL: no memory. */
size_t *tree_parents(const struct table *t);
/* Is row @row of @t a root? */
bool tree_is_root(const struct table *t, size_t row);
/* @order: the rows of @t, a tree, sorted as if they were a list. Reorders them so that each row
 * comes after its parent, with siblings in that order and the rest last. 0 or -ENOMEM.
 */
int tree_order(const struct table *t, size_t *order) __must_check;
/* Marks in @out all but the @lines largest rows of @t, a tree, by column @column, in which no row
 * is larger than its parent. 0 or -ENOMEM.
 */
int tree_smallest(const struct table *t, int column, uint64_t lines,
		  bool *out) __must_check;
/* Keeps the rows of the first @levels levels of @t, a tree. Returns how many rows of the next level
 * were removed.
 */
size_t tree_cut(struct table *t, uint64_t levels);

#endif
