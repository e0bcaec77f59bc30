// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tree.h"

#include "base/array.h"

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

int tree_order(const struct table *t, size_t *order)
{
	const size_t nr = t->nr_rows;
	const int rest = table_column(t, t->tree->rest);
	size_t *parents __auto_mem = tree_parents(t), row;
	size_t *sizes __auto_mem = calloc(nr + 1, sizeof(*sizes)); /* of the subtrees */
	size_t *used __auto_mem =
		calloc(nr + 1, sizeof(*used)); /* rows placed below each, and roots */
	size_t *at __auto_mem = calloc(nr + 1, sizeof(*at));

	if (!parents || !sizes || !used || !at)
		return -ENOMEM;
	for (row = nr; row--;) {
		sizes[row]++;
		if (parents[row] != TREE_ROOT)
			sizes[parents[row]] += sizes[row];
	}
	/* Each row's offset among its siblings and their descendants; the rest comes last. */
	for (size_t i = 0; i < 2 * nr; i++) {
		size_t above;

		row = order[i % nr];
		above = parents[row] == TREE_ROOT ? nr : parents[row];
		if ((table_uint(t, row, rest) != 0) != (i >= nr))
			continue;
		at[row] = used[above];
		used[above] += sizes[row];
	}
	for (row = 0; row < nr; row++) {
		if (parents[row] != TREE_ROOT)
			at[row] += at[parents[row]] + 1;
		order[at[row]] = row;
	}
	return 0;
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

	return COMPARE(b, a) ?: COMPARE(row_a, row_b);
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
