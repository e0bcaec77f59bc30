// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the account table as trace_analyze prints it.
 * In: a report with the table "account". Out: text.
 */
#include "stat_account.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/text_cell.h"

#define ACCOUNT_LINE "---------------------------------------------"

/* What the row stands for: "kmem_alloc+0x4f", "1234 make", "callsite;its caller". */
static void add_subject(struct strbuf *sb, const struct table *t, const struct cell *row)
{
	int first = table_column(t, "net_reason") + 1;
	int stack = table_column(t, "stack");
	size_t nr = t->nr_columns - 1; /* net_max follows */
	size_t i = stack < 0 ? (size_t)first : (size_t)stack;

	for (; i < nr; i++) {
		text_cell(sb, &row[i], UNIT_NONE, false, "");
		if (i + 1 < nr)
			strbuf_puts(sb, " ");
	}
	strbuf_puts(sb, "\n");
}

static uint64_t number(const struct table *t, const struct cell *row, const char *name)
{
	int column = table_column(t, name);

	return column < 0 ? 0 : row[column].u;
}

static void add_rows(struct strbuf *sb, const struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		const struct cell *row = t->cells + i * t->nr_columns;

		strbuf_printf(sb,
			      "%8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %5" PRIu64
			      "/%-5" PRIu64 " ",
			      number(t, row, "total_dynamic"), number(t, row, "waste"),
			      number(t, row, "current_dynamic"),
			      number(t, row, "alloc_count"),
			      number(t, row, "free_count"));
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
	strbuf_printf(sb, "\n%8s %8s %8s %5s/%-5s %s\n%s\n", "total", "waste", "net",
		      "alloc", "free",
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
