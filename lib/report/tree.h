/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: tables whose rows are a tree.
 * In: rows, each behind the one that it stands below. Out: which row that is; an order of the
 * rows; the largest of them.
 */
#ifndef KMEMX_REPORT_TREE_H
#define KMEMX_REPORT_TREE_H

#include "report/table.h"

#define TREE_ROOT SIZE_MAX /* no row stands above */

/* For each row of @t, a tree, the row that it stands below; the caller's to free. NULL: no
 * memory.
 */
size_t *tree_parents(const struct table *t);
/* Is row @row of @t a root? */
bool tree_is_root(const struct table *t, size_t row);
/* @order: the rows of @t, a tree, sorted as if they were a list. Puts those that stand below the
 * same row in that order, each behind the row that it stands below, the rest last. 0 or -ENOMEM.
 */
int tree_order(const struct table *t, size_t *order) __must_check;
/* Of the rows of @t, a tree, says in @out which are not among the @lines largest by column
 * @column, in which no row is larger than the one that it stands below. 0 or -ENOMEM.
 */
int tree_smallest(const struct table *t, int column, uint64_t lines,
		  bool *out) __must_check;
/* Keeps the rows of the first @levels levels of @t, a tree. Returns how many of the next level
 * are gone.
 */
size_t tree_cut(struct table *t, uint64_t levels);

#endif
