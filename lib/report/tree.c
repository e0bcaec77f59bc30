// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tree.h"

size_t *tree_parents(const struct table *t)
{
	size_t *parents = calloc(t->nr_rows + 1, sizeof(*parents));
	int column = table_column(t, t->tree->depth);
	size_t above = TREE_ROOT;

	for (size_t row = 0; parents && row < t->nr_rows; row++) {
		uint64_t depth = table_uint(t, row, column);

		while (above != TREE_ROOT && table_uint(t, above, column) >= depth)
			above = parents[above];
		parents[row] = above;
		above = row;
	}
	return parents;
}

bool tree_is_root(const struct table *t, size_t row)
{
	return !table_uint(t, row, table_column(t, t->tree->depth));
}

/* Child lists: the first child of each row, and the next sibling of each row. The roots are
 * children of row number nr_rows.
 */
struct lists {
	size_t *parents, *first, *next;
};

/* Prepends the rows of @order to their lists, from the last to the first: only the rows that stand
 * for the rest of others if @rest, else only those that do not.
 */
static void lists_add(struct lists *l, const struct table *t, const size_t *order,
		      bool rest)
{
	int column = table_column(t, t->tree->rest);
	size_t row, above;

	for (size_t i = t->nr_rows; i; i--) {
		row = order[i - 1];
		above = l->parents[row] == TREE_ROOT ? t->nr_rows : l->parents[row];
		if ((table_uint(t, row, column) != 0) != rest)
			continue;
		l->next[row] = l->first[above];
		l->first[above] = row;
	}
}

static int lists_init(struct lists *l, const struct table *t, const size_t *order)
{
	l->parents = tree_parents(t);
	l->first = malloc((t->nr_rows + 1) * sizeof(*l->first));
	l->next = malloc((t->nr_rows + 1) * sizeof(*l->next));
	if (!l->parents || !l->first || !l->next)
		return -ENOMEM;
	for (size_t i = 0; i <= t->nr_rows; i++)
		l->first[i] = l->next[i] = TREE_ROOT;
	lists_add(l, t, order, true);
	lists_add(l, t, order, false);
	return 0;
}

int tree_order(const struct table *t, size_t *order)
{
	struct lists l = { NULL };
	int ret = lists_init(&l, t, order);
	size_t row, nr = 0;

	row = ret ? TREE_ROOT : l.first[t->nr_rows];
	while (row != TREE_ROOT) {
		order[nr++] = row;
		if (l.first[row] != TREE_ROOT) {
			row = l.first[row];
			continue;
		}
		while (row != TREE_ROOT && l.next[row] == TREE_ROOT)
			row = l.parents[row];
		if (row != TREE_ROOT)
			row = l.next[row];
	}
	free(l.parents);
	free(l.first);
	free(l.next);
	return ret;
}

struct by_size {
	const struct table *t;
	int column;
};

/* The larger first; of equal ones the earlier one, which may be the parent. */
static int compare_sizes(const void *pa, const void *pb, void *ctx)
{
	const struct by_size *how = ctx;
	size_t row_a = *(const size_t *)pa, row_b = *(const size_t *)pb;
	uint64_t a = table_uint(how->t, row_a, how->column);
	uint64_t b = table_uint(how->t, row_b, how->column);

	if (a != b)
		return a < b ? 1 : -1;
	return (row_a > row_b) - (row_a < row_b);
}

int tree_smallest(const struct table *t, int column, uint64_t lines, bool *out)
{
	size_t *order __auto_mem = calloc(t->nr_rows + 1, sizeof(*order));
	struct by_size how = { t, column };

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_rows; i++)
		order[i] = i;
	qsort_r(order, t->nr_rows, sizeof(*order), compare_sizes, &how);
	for (size_t i = 0; i < t->nr_rows; i++)
		out[order[i]] = i >= lines;
	return 0;
}

size_t tree_cut(struct table *t, uint64_t levels)
{
	int column = table_column(t, t->tree->depth);
	size_t kept = 0, next = 0;

	for (size_t row = 0; row < t->nr_rows; row++) {
		uint64_t depth = table_uint(t, row, column);

		next += depth == levels;
		if (depth >= levels)
			continue;
		if (kept < row)
			memcpy(t->cells + kept * t->nr_columns,
			       t->cells + row * t->nr_columns,
			       t->nr_columns * sizeof(*t->cells));
		kept++;
	}
	t->nr_rows = kept;
	return next;
}
