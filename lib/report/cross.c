// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a list of pairs as a matrix.
 * In: a table whose rows stand for pairs of numbers. Out: a table with a row and a column for each
 * number.
 */
#include "report/text_layout.h"

#include <inttypes.h>
#include <stdio.h>

/* The numbers in both columns, each once, ascending. */
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

static struct numbers numbers_of(const struct table *t)
{
	struct numbers n = { .nr = 0 };

	add_all(&n, t, t->cross->row);
	add_all(&n, t, t->cross->column);
	return n;
}

bool table_can_cross(const struct table *t)
{
	return t->cross && t->nr_rows && !t->nr_rows_total && !numbers_of(t).too_many;
}

/* Adds a row of zeros and a column for each of @n. Returns false without memory. */
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

struct table *table_cross(const struct table *t)
{
	const struct numbers n = numbers_of(t);
	const int row = table_column(t, t->cross->row),
		  column = table_column(t, t->cross->column),
		  value = table_column(t, t->cross->value);
	struct table *to = table_new(t->name, t->cross->title);

	if (!to || !lay_out(t, &n, to)) {
		table_free(to);
		return NULL;
	}
	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct cell *from = t->cells + i * t->nr_columns;
		size_t at = place_of(&n, from[row].u) * to->nr_columns + 1 +
			    place_of(&n, from[column].u);

		to->cells[at].u += from[value].u;
	}
	return to;
}
