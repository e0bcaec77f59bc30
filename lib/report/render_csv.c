// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the CSV renderer.
 * In: a report. Out: its tables' rows, quoted as in RFC 4180, lines ending in LF; names that others
 * chose are safe for a terminal and for a spreadsheet.
 */

#include "base/safe_text.h"
#include "report/json.h"
#include "report/render.h"

/* Would a spreadsheet run the text as a formula? Signed numbers and lone signs are not formulas;
 * leading tabs and line breaks are already escaped.
 */
static bool is_formula(const char *text)
{
	if (*text == '=' || *text == '@')
		return true;
	return (*text == '+' || *text == '-') && text[1] &&
	       text[1 + strspn(text + 1, "0123456789.,%")];
}

void csv_quote(struct strbuf *sb, const char *text)
{
	const char *quote;

	if (!text[strcspn(text, ",\"")] && *text != ' ' && *text != '#' &&
	    !is_formula(text)) {
		strbuf_puts(sb, text);
		return;
	}
	strbuf_puts(sb, is_formula(text) ? "\"'" : "\"");
	for (; (quote = strchr(text, '"')); text = quote + 1) {
		strbuf_add(sb, text, (size_t)(quote - text) + 1);
		strbuf_puts(sb, "\"");
	}
	strbuf_puts(sb, text);
	strbuf_puts(sb, "\"");
}

/* Appends a name as the text renderer shows it, quoted where CSV or a spreadsheet needs it. */
static void csv_text(struct strbuf *sb, const char *name)
{
	struct strbuf __auto_free safe = { 0 };

	safe_text_puts(&safe, name);
	sb->failed |= safe.failed;
	csv_quote(sb, strbuf_text(&safe));
}

/* Begins a line: with the table's name if there are several tables. Returns the separator before
 * the first cell.
 */
static const char *csv_name(struct strbuf *sb, const char *name)
{
	if (name)
		csv_text(sb, name);
	return name ? "," : "";
}

static int csv_table(struct strbuf *sb, const struct table *t, bool named,
		     const struct render_out *out)
{
	const char *comma = csv_name(sb, named ? "table" : NULL);
	const struct cell *cell = t->cells;
	int err;

	for (size_t i = 0; i < t->nr_columns; i++) {
		strbuf_puts(sb, comma);
		csv_text(sb, t->columns[i].name);
		comma = ",";
	}
	strbuf_puts(sb, "\n");
	for (size_t row = 0; row < t->nr_rows; row++) {
		comma = csv_name(sb, named ? t->name : NULL);
		for (size_t i = 0; i < t->nr_columns; i++, cell++) {
			strbuf_puts(sb, comma);
			if (cell->type == CELL_TEXT)
				csv_text(sb, cell->s);
			else
				cell_exact(sb, cell);
			comma = ",";
		}
		strbuf_puts(sb, "\n");
		if (sb->size < RENDER_PIECE)
			continue;
		err = render_flush(sb, out, 0);
		if (err)
			return err;
	}
	return render_flush(sb, out, 0);
}

int render_csv(const struct report *r, const struct render_options *opts,
	       const struct render_out *out)
{
	struct strbuf __auto_free sb = { 0 };
	int err = 0;

	for (size_t i = 0; i < r->nr_tables && !err; i++) {
		if (i)
			strbuf_puts(&sb, "\n");
		err = csv_table(&sb, r->tables[i], r->nr_tables > 1, out);
	}
	return err;
}
