// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a comparison in a line or two.
 * In: a table of diff_tables(). Out: text in the manner of the kernel's bloat-o-meter.
 */
#include <stdio.h>
#include <string.h>

#include "report/diff.h"
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
		text_cell(out, &item->value, UNIT_NONE, false, "");
}

static double signed_number(const struct table *t, const char *name)
{
	const struct summary_item *item = find(t, name);

	if (!item)
		return 0;
	return item->value.type == CELL_INT    ? (double)item->value.i
	       : item->value.type == CELL_REAL ? item->value.f
					       : 0;
}

static void net_change(const struct table *t, struct strbuf *out)
{
	double up = signed_number(t, "up"), down = signed_number(t, "down");

	value(t, "up", out);
	strbuf_puts(out, down ? "/" : "/-");
	value(t, "down", out);
	if (up + down == (double)(int64_t)(up + down))
		strbuf_printf(out, " (%+.0f)", up + down);
	else
		strbuf_printf(out, " (%+.3f)", up + down);
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
