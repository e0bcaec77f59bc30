// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the account table as trace_analyze prints it.
 * In: a report with the table "account". Out: text.
 */
#include "stat_account.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/strbuf.h"
#include "report/text_cell.h"

#define ACCOUNT_LINE "---------------------------------------------"

/* The columns of @t as its analysis describes them; no column where none does. */
static const struct column_type *columns_of(const struct table *t)
{
	static const struct column_type none = COLUMNS_END;
	const struct analysis *analysis;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (analysis->use == ANALYSIS_ALONE &&
		    !strcmp(analysis->tables[0]->name, t->name))
			return analysis->tables[0]->columns;
	}
	return &none;
}

bool stat_account_shows(const struct column_type *col)
{
	return !col->column.hidden && !col->rows;
}

/* "    1024        0     512     4/2     ", or their titles, where @row is NULL: bytes,
 * then the two counts.
 */
static void add_numbers(struct strbuf *sb, const struct table *t, const struct cell *row)
{
	const struct column_type *col;
	bool counted = false;

	for (col = columns_of(t); col->column.name; col++) {
		int index = table_column(t, col->column.name);
		char text[24];

		if (index < 0 || !stat_account_shows(col))
			continue;
		if (row)
			snprintf(text, sizeof(text), "%" PRIu64, row[index].u);
		else
			snprintf(text, sizeof(text), "%s", t->columns[index].title);
		if (col->column.unit == UNIT_BYTES)
			strbuf_printf(sb, "%8s ", text);
		else if (counted)
			strbuf_printf(sb, "/%-5s ", text);
		else
			strbuf_printf(sb, "%5s", text);
		counted |= col->column.unit != UNIT_BYTES;
	}
}

/* Is @col among those that say what a row of @t stands for? A callchain begins with the
 * callsite, and says it alone.
 */
static bool names_row(const struct table *t, const struct column_type *col, bool chain)
{
	return col->rows && table_column(t, col->column.name) >= 0 &&
	       (col->column.below || !chain);
}

/* "kmem_alloc+0x4f", "1234 make", "callsite;its caller". */
static void add_subject(struct strbuf *sb, const struct table *t, const struct cell *row)
{
	const struct column_type *columns = columns_of(t), *col;
	bool chain = false;
	const char *space = "";

	for (col = columns; col->column.name; col++)
		chain |= col->column.below && names_row(t, col, false);
	for (col = columns; col->column.name; col++) {
		if (!names_row(t, col, chain))
			continue;
		strbuf_puts(sb, space);
		text_cell(sb, &row[table_column(t, col->column.name)], UNIT_NONE, false,
			  "");
		space = " ";
	}
	strbuf_puts(sb, "\n");
}

static void add_rows(struct strbuf *sb, const struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		const struct cell *row = t->cells + i * t->nr_columns;

		add_numbers(sb, t, row);
		add_subject(sb, t, row);
	}
}

/* trace_analyze's six lines; what it does not know stands in comments. */
static void add_header(struct strbuf *sb, const struct table *t)
{
	uint64_t net = 0, least = 0, most = 0;
	size_t i;

	for (i = 0; i < t->nr_summary; i++) {
		const struct summary_item *item = &t->summary[i];

		if (!strcmp(item->name, "net_min"))
			least = item->value.u;
		else if (!strcmp(item->name, "net_max"))
			most = item->value.u;
		else
			strbuf_printf(sb, "%-24s %10" PRIu64 "\n", item->title,
				      item->value.u);
		if (!strcmp(item->name, "current_allocated"))
			net = item->value.u;
	}
	if (least < most || most < net)
		strbuf_printf(
			sb,
			"# net is a range: at least %" PRIu64 ", at most %" PRIu64
			" bytes of what was seen allocated (--json says it by caller)\n",
			least, most);
	if (t->nr_rows_total)
		strbuf_printf(sb, "# %zu of %zu rows\n", t->nr_rows, t->nr_rows_total);
	strbuf_puts(sb, "\n");
	add_numbers(sb, t, NULL);
	strbuf_printf(sb, "%s\n%s\n",
		      !t->by || !strcmp(t->by, "callsite") ? "caller" : t->by,
		      ACCOUNT_LINE);
}

int stat_account_render(const struct report *r, const struct render_options *opts,
			const struct render_out *out)
{
	struct report head = *r;
	struct strbuf sb = { 0 };
	size_t i;
	int err;

	head.nr_tables = 0; /* the lines above all tables are as everywhere */
	err = render_text(&head, opts, out);
	for (i = 0; i < r->nr_tables && !err; i++) {
		if (r->tables[i]->hidden) /* for machines */
			continue;
		add_header(&sb, r->tables[i]);
		add_rows(&sb, r->tables[i]);
	}
	if (!err)
		err = sb.failed ? -ENOMEM : out->write(out->ctx, sb.data, sb.size);
	strbuf_free(&sb);
	return err;
}
