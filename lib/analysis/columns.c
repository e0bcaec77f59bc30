// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/columns.h"

struct table *table_type_new(const struct table_type *type, const char *title,
			     enum subject_kind kind, bool live)
{
	struct table *t = table_new(type->name, title);

	if (!t)
		return NULL;
	t->type = type;
	t->kind = (unsigned int)kind;
	t->usual_sort = type->sort;
	t->tree = type->tree;
	t->cross = type->cross;
	table_set_by(t, type->by);
	for (const struct column_type *col = type->columns; col->column.name; col++) {
		struct column column = col->column;

		if (!column_type_in(col, kind) || col->many)
			continue;
		if (live && col->live_title)
			column.title = col->live_title;
		table_add_column(t, &column);
	}
	return t;
}

struct table *table_begin(struct report *report, const struct table_type *type,
			  const char *title, enum subject_kind kind, bool live)
{
	struct table *t = table_type_new(type, title, kind, live);

	return report_add_table(report, t) ? t : &report->spare;
}

struct table *table_plain(struct report *report, const struct table_type *type)
{
	return table_begin(report, type, type->title, SUBJECT_NONE, false);
}

void table_hide_column(struct table *t, const char *name)
{
	struct column *col = table_find_column(t, name);

	if (col)
		col->hidden = true;
}

bool table_put_row(struct table *t, const void *row)
{
	struct cell *cells = table_add_row(t);

	if (!cells)
		return false;
	for (const struct column_type *col = t->type->columns; col->column.name; col++) {
		if (column_type_in(col, (enum subject_kind)t->kind) && !col->many)
			*cells++ = column_type_cell(col, row, t);
	}
	return true;
}

struct cell cell_none(const void *row, struct table *t)
{
	return (struct cell){ .type = CELL_NONE };
}

SHARED_CELL(cell_of_u64, uint64_t, ((struct cell){ .type = CELL_UINT, .u = *r }))
SHARED_CELL(cell_of_u32, uint32_t, ((struct cell){ .type = CELL_UINT, .u = *r }))
SHARED_CELL(cell_of_i64, int64_t, cell_int(*r))
SHARED_CELL(cell_of_i32, int32_t, cell_int(*r))
SHARED_CELL(cell_of_text, char *const, cell_text(t, *r))

struct cell cell_of_strbuf(const void *member, struct table *t)
{
	const struct strbuf *text = member;

	t->failed |= text->failed;
	return text->size ? cell_text(t, strbuf_text(text)) : (struct cell){ 0 };
}
