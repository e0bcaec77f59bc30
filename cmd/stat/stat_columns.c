// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: --columns of kmemx stat, and of commands that show tables of one recording.
 * In: the registry. Out: every column of every table, and its meaning.
 */
#include "cmd/stat/stat_columns.h"

#include "analysis/pass/registry.h"
#include "analysis/row/subject.h"
#include "base/strbuf.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_analyses.h"

/* A cell such as "callsite,stack": the column is in tables with such rows. Empty: in all tables. */
static struct cell rows_cell(struct table *t, uint32_t rows)
{
	struct cell cell = { .type = CELL_NONE };
	struct strbuf sb = { 0 };
	unsigned int kind;

	for (kind = 0; kind < SUBJECT_NR; kind++) {
		if (rows >> kind & 1)
			strbuf_printf(&sb, "%s%s", sb.size ? "," : "",
				      kind ? subjects_word(kind) : "address");
	}
	if (sb.size)
		cell = cell_text(t, strbuf_text(&sb));
	t->failed |= sb.failed;
	strbuf_free(&sb);
	return cell;
}

static void add_columns(struct table *t, const struct table_type *type)
{
	const struct column_type *col;

	for (col = type->columns; col->column.name; col++) {
		const struct column *c = &col->column;
		struct cell *row = table_add_row(t);

		if (!row)
			return;
		row[0] = cell_text(t, type->name);
		row[1] = cell_text(t, c->name);
		row[2] = cell_text(t, column_unit_name(c->unit));
		row[3] = rows_cell(t, col->rows);
		row[4] = cell_text(t, c->title ? c->title : c->name);
		row[5] = cell_text(t, c->help);
	}
}

static void add_table_help(struct table *t, const char *command)
{
	const struct table_type *const *type;
	const struct analysis *analysis;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		for (type = analysis->tables;
		     *type && stat_analyses_of(command, analysis); type++) {
			struct cell *row = table_add_row(t);

			if (!row)
				return;
			row[0] = cell_text(t, (*type)->name);
			row[1] = cell_text(t, (*type)->sort);
			row[2] = cell_text(t, (*type)->help);
		}
	}
}

static struct table *tables_table(const char *command)
{
	static const struct column columns[] = {
		{ .name = "table", .title = "Table" },
		{ .name = "sort", .title = "Sorted by", .leaves = 90 },
		{ .name = "help", .title = "Rows", .last = true, .words = true },
	};
	struct strbuf title = { 0 };
	struct table *t;

	strbuf_printf(&title, "Tables of kmemx %s", command);
	t = table_new("tables", strbuf_text(&title));
	strbuf_free(&title);
	if (t) {
		table_add_columns(t, columns, ARRAY_SIZE(columns));
		add_table_help(t, command);
	}
	return t;
}

static struct table *columns_table(const char *command)
{
	static const struct column columns[] = {
		{ .name = "table", .title = "Table" },
		{ .name = "column", .title = "Column" },
		{ .name = "unit", .title = "Unit", .leaves = 80 },
		{ .name = "by", .title = "Only by", .leaves = 90 },
		{ .name = "title", .title = "Title", .leaves = 70 },
		{ .name = "help", .title = "Meaning", .last = true, .words = true },
	};
	struct table *t = table_new(
		"columns", "Columns of these tables, which are also the sort keys");
	const struct table_type *const *type;
	const struct analysis *analysis;
	size_t i;

	if (!t)
		return NULL;
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	for (i = 0; (analysis = analysis_at(i)); i++) {
		for (type = analysis->tables;
		     *type && stat_analyses_of(command, analysis); type++)
			add_columns(t, *type);
	}
	return t;
}

int stat_columns(const struct output_options *output, const char *command)
{
	struct report *r = report_new();
	int ret = EXIT_FAILED;

	if (r) {
		r->subject = "kmemx";
		report_add_text_fact(r, "version", KMEMX_VERSION);
		report_add_table(r, tables_table(command));
		report_add_table(r, columns_table(command));
	}
	if (report_ok(r))
		ret = output_report(output, command, r, render_text);
	else
		message_error(command, "out of memory");
	report_free(r);
	return ret;
}
