// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the rows of rings.
 * In: a table whose rows are a tree. Out: the rows that can be drawn, each with its descendants.
 */
#include "report/web/rings.h"

#include "base/safe_text.h"
#include "report/tree.h"

/* Approximate bytes of a row in a page, without its name. */
#define ROW_BYTES 14

/* Approximate bytes in a page of the rows that are not @out. */
static size_t page_bytes(const struct table *t, int name, const bool *out)
{
	size_t bytes = 0;

	for (size_t row = 0; row < t->nr_rows; row++) {
		if (!out[row])
			bytes += ROW_BYTES + strlen(table_text(t, row, name));
	}
	return bytes;
}

/* Marks in @out the rows that are too small for a page. */
static int choose_rows(const struct table *t, int size, int name, bool *out)
{
	size_t lines = RINGS_ROWS_MAX;
	int ret = tree_smallest(t, size, lines, out);

	while (!ret && lines && page_bytes(t, name, out) > RINGS_BYTES_MAX) {
		lines = lines / 4 * 3;
		ret = tree_smallest(t, size, lines, out);
	}
	return ret;
}

/* Finds where each row's descendants end. */
static void close_rows(struct rings_rows *r)
{
	uint32_t k;

	for (uint32_t i = r->nr; i-- > 0;) {
		for (k = i + 1; k < r->nr && r->rows[k].depth > r->rows[i].depth;)
			k = r->rows[k].behind;
		r->rows[i].behind = k;
	}
}

static void take_rows(struct rings_rows *r, const struct table *t, const int columns[3],
		      const bool *out)
{
	for (size_t row = 0; row < t->nr_rows; row++) {
		struct rings_row *to = &r->rows[r->nr];

		if (out[row])
			continue;
		to->name = table_text(t, row, columns[1]);
		to->size = table_uint(t, row, columns[0]);
		to->depth = (uint32_t)table_uint(t, row, columns[2]);
		r->total += to->depth ? 0 : to->size;
		r->nr++;
	}
	close_rows(r);
}

int rings_rows_init(struct rings_rows *r, const struct table *t,
		    const struct rings_options *o)
{
	int columns[3] = { table_column(t, o->size), table_column(t, o->name), -1 };
	bool *out __auto_mem = NULL;
	int ret;

	*r = (struct rings_rows){ NULL };
	columns[2] = t->tree ? table_column(t, t->tree->depth) : -1;
	if (columns[0] < 0 || columns[1] < 0 || columns[2] < 0)
		return -EINVAL;
	out = calloc(t->nr_rows + 1, sizeof(*out));
	r->rows = calloc(RINGS_ROWS_MAX + 1, sizeof(*r->rows));
	ret = out && r->rows ? choose_rows(t, columns[0], columns[1], out) : -ENOMEM;
	if (!ret)
		take_rows(r, t, columns, out);
	return ret;
}

void rings_rows_free(struct rings_rows *r)
{
	free(r->rows);
}

void rings_text(struct strbuf *sb, const char *text)
{
	struct strbuf __auto_free safe = { 0 };
	const char *p;

	safe_text_puts(&safe, text);
	for (p = strbuf_text(&safe); *p; p++) {
		switch (*p) {
		case '&':
			strbuf_puts(sb, "&amp;");
			break;
		case '<':
			strbuf_puts(sb, "&lt;");
			break;
		case '>':
			strbuf_puts(sb, "&gt;");
			break;
		case '"':
			strbuf_puts(sb, "&quot;");
			break;
		default:
			strbuf_add(sb, p, 1);
		}
	}
	sb->failed |= safe.failed;
}
