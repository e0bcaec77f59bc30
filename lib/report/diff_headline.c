// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a comparison in a line or two.
 * In: a table of diff_tables(). Out: text like that of the kernel's bloat-o-meter.
 */
#include <string.h>

#include "report/diff.h"
#include "report/diff_rows.h"
#include "report/text_cell.h"

static const struct summary_item *find(const struct table *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nr_summary; i++) {
		if (!strcmp(t->summary[i].name, name))
			return &t->summary[i];
	}
	return NULL;
}

static void value(const struct table *t, const char *name, struct strbuf *out)
{
	const struct summary_item *item = find(t, name);

	if (item)
		text_cell(out, &item->value, UNIT_COUNT, false, "");
}

static double number(const struct table *t, const char *name)
{
	const struct summary_item *item = find(t, name);

	return item ? cell_as_real(&item->value) : 0;
}

static void net_change(const struct table *t, struct strbuf *out)
{
	double change = number(t, "up") + number(t, "down");
	struct cell net = diff_cell(change, true);

	value(t, "up", out);
	strbuf_puts(out, "/");
	value(t, "down", out);
	strbuf_puts(out, change >= 0 ? " (+" : " (");
	text_cell(out, &net, UNIT_COUNT, false, "");
	strbuf_puts(out, ")");
}

void diff_headline(const struct table *t, struct strbuf *out)
{
	strbuf_puts(out, "add/remove: ");
	value(t, "rows_added", out);
	strbuf_puts(out, "/");
	value(t, "rows_removed", out);
	strbuf_puts(out, " grow/shrink: ");
	value(t, "rows_grown", out);
	strbuf_puts(out, "/");
	value(t, "rows_shrunk", out);
	strbuf_puts(out, " same: ");
	value(t, "rows_same", out);
	strbuf_puts(out, " up/down: ");
	net_change(t, out);
}
