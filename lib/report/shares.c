// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: each row's share of the whole, and the share that a cut table still shows; a list of
 * pairs as a matrix.
 * In: a sorted table. Out: its columns of shares filled; its first rows; the matrix.
 */
#include <math.h>

#include "report/table.h"
#include "report/text_layout.h"
#include "report/tree.h"

/* Do the column's numbers add up? */
static bool adds_up(const struct column *col)
{
	return !col->level && col->part == COLUMN_WHOLE &&
	       (col->unit == UNIT_BYTES || col->unit == UNIT_COUNT ||
		col->unit == UNIT_PAGES);
}

/* The column that orders the rows, if it adds up; else the table's main column. */
static int column_of_shares(const struct table *t)
{
	if (t->no_shares)
		return -1;
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (table_ordered_by(t, t->columns[i].name) && adds_up(&t->columns[i]))
			return (int)i;
	}
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].share)
			return (int)i;
	}
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].unit == UNIT_BYTES && adds_up(&t->columns[i]))
			return (int)i;
	}
	return -1;
}

/* The sum of the first @rows rows; in a tree, roots include the rows below them. */
static uint64_t sum(const struct table *t, int column, size_t rows)
{
	uint64_t all = 0;

	for (size_t row = 0; row < rows; row++) {
		if (!t->tree || tree_is_root(t, row))
			all += table_uint(t, row, column);
	}
	return all;
}

/* Percent with four decimals, enough for machine formats. */
static struct cell percent(uint64_t part, uint64_t all)
{
	return cell_real(round(1e6 * (double)part / (double)all) / 1e4);
}

void table_fill_shares(struct table *t)
{
	int column = column_of_shares(t);
	uint64_t all = column < 0 ? 0 : sum(t, column, t->nr_rows), above = 0;

	t->share = column;
	for (size_t row = 0; all && row < t->nr_rows; row++) {
		struct cell *cells = &t->cells[row * t->nr_columns];
		uint64_t own = table_uint(t, row, column);

		above += own;
		for (size_t i = 0; i < t->nr_columns; i++) {
			if (t->columns[i].part == COLUMN_SHARE)
				cells[i] = percent(own, all);
			else if (t->columns[i].part == COLUMN_CUMULATIVE)
				cells[i] = percent(above, all);
		}
	}
}

/* Records the share of the whole that the first @rows rows have. */
static void keep(struct table *t, size_t rows)
{
	if (t->share < 0)
		t->share = column_of_shares(t);
	if (t->share < 0)
		return;
	t->total = sum(t, t->share, t->nr_rows);
	t->kept = sum(t, t->share, rows);
}

/* Which rows of a tree are left out: all but the @lines largest. NULL: no memory. */
static bool *leave_out(struct table *t, uint64_t lines)
{
	bool *out = calloc(t->nr_rows, sizeof(*out));
	int err = -ENOMEM;

	keep(t, 0);
	if (out)
		err = tree_smallest(t, t->share, lines, out);
	for (size_t row = 0; !err && t->share >= 0 && row < t->nr_rows; row++) {
		if (!out[row] && tree_is_root(t, row))
			t->kept += table_uint(t, row, t->share);
	}
	t->failed |= err != 0;
	if (!err)
		return out;
	free(out);
	return NULL;
}

static void limit_tree(struct table *t, uint64_t lines)
{
	bool *out __auto_mem = leave_out(t, lines);
	size_t nr = 0;

	for (size_t row = 0; out && row < t->nr_rows; row++) {
		if (!out[row])
			memmove(&t->cells[nr++ * t->nr_columns],
				&t->cells[row * t->nr_columns],
				t->nr_columns * sizeof(*t->cells));
	}
}

void table_limit(struct table *t, uint64_t lines)
{
	if (!lines || lines >= t->nr_rows || !t->by)
		return;
	if (t->tree)
		limit_tree(t, lines);
	else
		keep(t, (size_t)lines);
	if (!t->nr_rows_total)
		t->nr_rows_total = t->nr_rows;
	t->nr_rows = (size_t)lines;
}

void table_limit_text(struct table *t, uint64_t lines)
{
	if (!lines || lines >= t->nr_rows || !t->by || t->text_rows)
		return;
	if (t->tree)
		t->text_out = leave_out(t, lines);
	else
		keep(t, (size_t)lines);
	t->text_rows = (size_t)lines;
}

/* --- a list of pairs as a matrix ---------------------------------------------------- */

/* The distinct numbers in both columns, ascending. */
struct numbers {
	uint64_t of[CROSS_MAX];
	size_t nr;
	bool too_many;
};

static size_t place_of(const struct numbers *n, uint64_t number)
{
	size_t i = 0;

	while (i < n->nr && n->of[i] < number)
		i++;
	return i;
}

static void add(struct numbers *n, const struct cell *cell)
{
	size_t place = place_of(n, cell->u), i;

	if (place < n->nr && n->of[place] == cell->u)
		return;
	if (cell->type != CELL_UINT || n->nr == CROSS_MAX) {
		n->too_many = true;
		return;
	}
	for (i = n->nr++; i > place; i--)
		n->of[i] = n->of[i - 1];
	n->of[place] = cell->u;
}

static void add_all(struct numbers *n, const struct table *t, const char *column)
{
	int index = table_column(t, column);

	n->too_many |= index < 0;
	for (size_t i = 0; i < t->nr_rows && !n->too_many; i++)
		add(n, &t->cells[i * t->nr_columns + (size_t)index]);
}

/* Adds a row of zeros and a column for each of @n. False: no memory. */
static bool lay_out(const struct table *t, const struct numbers *n, struct table *to)
{
	struct column first = t->columns[table_column(t, t->cross->row)];
	struct column value = t->columns[table_column(t, t->cross->value)];
	char name[24];

	first.title = t->cross->corner;
	table_add_column(to, &first);
	for (size_t i = 0; i < n->nr; i++) {
		snprintf(name, sizeof(name), "%" PRIu64, n->of[i]);
		value.name = value.title = name;
		table_add_column(to, &value);
	}
	for (size_t i = 0; i < n->nr; i++) {
		struct cell *cells = table_add_row(to);

		for (size_t k = 0; cells && k <= n->nr; k++)
			cells[k] = cell_uint(k ? 0 : n->of[i]);
	}
	return table_ok(to);
}

int table_cross(const struct table *t, struct table **out)
{
	struct numbers n = { .nr = 0 };
	struct table *to;
	int row, column, value;

	*out = NULL;
	if (!t->cross || !t->nr_rows || t->nr_rows_total)
		return 0;
	add_all(&n, t, t->cross->row);
	add_all(&n, t, t->cross->column);
	if (n.too_many)
		return 0;
	to = table_new(t->name, t->cross->title);
	if (!to || !lay_out(t, &n, to)) {
		table_free(to);
		return -ENOMEM;
	}
	row = table_column(t, t->cross->row);
	column = table_column(t, t->cross->column);
	value = table_column(t, t->cross->value);
	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct cell *from = t->cells + i * t->nr_columns;
		size_t at = place_of(&n, from[row].u) * to->nr_columns + 1 +
			    place_of(&n, from[column].u);

		to->cells[at].u += from[value].u;
	}
	*out = to;
	return 0;
}
