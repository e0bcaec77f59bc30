// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of tables, each described once.
 * In: a table's type, and the data of its rows. Out: its columns and cells.
 */
#include "analysis/columns.h"

#include "base/compiler.h"

struct table *table_type_new(const struct table_type *type, const char *title,
			     enum subject_kind kind, bool live)
{
	struct table *t = table_new(type->name, title);
	const struct column_type *col;

	if (!t)
		return NULL;
	t->usual_sort = type->sort;
	t->tree = type->tree;
	t->cross = type->cross;
	for (col = type->columns; col->column.name; col++) {
		struct column column = col->column;

		if (!column_type_in(col, kind) || col->many)
			continue;
		if (live && col->live_title)
			column.title = col->live_title;
		table_add_column(t, &column);
	}
	return t;
}

void table_type_hide_interval(struct table *t, bool live)
{
	static const char *const names[] = { "bytes_low", "bytes_high" };
	size_t i;

	for (i = 0; live && i < ARRAY_SIZE(names); i++) {
		struct column *col = table_find_column(t, names[i]);

		if (col)
			col->hidden = true;
	}
}

bool table_type_add_row(const struct table_type *type, enum subject_kind kind,
			struct table *t, const void *row)
{
	struct cell *cells = table_add_row(t);
	const struct column_type *col;

	if (!cells)
		return false;
	for (col = type->columns; col->column.name; col++) {
		if (column_type_in(col, kind) && !col->many)
			*cells++ = col->fill(row, t);
	}
	return true;
}

struct cell column_fill_later(const void *row, struct table *t)
{
	return (struct cell){ .type = CELL_NONE };
}
