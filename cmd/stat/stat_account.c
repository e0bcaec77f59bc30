// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the account table as trace_analyze prints it.
 * In: a report with the table "account". Out: text.
 */
#include "cmd/stat/stat_run.h"

#include "analysis/pass/analyze.h"
#include "report/text_cell.h"

#define ACCOUNT_LINE "---------------------------------------------"
#define OWN_LINE     6 /* spaces before a caller that is on its own line */

/**
 * struct account_page - the text being made
 * @width: of its lines; 0: no limit
 * @summary: which summary lines to print above the rows
 * @left: bit mask of the table's columns that were left out for lack of room
 */
struct account_page {
	struct strbuf sb;
	size_t width;
	enum summary_view summary;
	uint64_t left;
};

/* The columns of @t as its analysis describes them; an empty list if there is no such analysis. */
static const struct column_type *columns_of(const struct table *t)
{
	static const struct column_type none = COLUMNS_END;
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
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

/* Appends "    1024        0     512     4/2     ": bytes, then the two counts. @row NULL: their
 * titles.
 */
static void add_numbers(const struct account_page *page, struct strbuf *sb,
			const struct table *t, const struct cell *row)
{
	const struct column_type *col;
	bool counted = false;

	for (col = columns_of(t); col->column.name; col++) {
		int index = table_column(t, col->column.name);
		char text[24];

		if (index < 0 || !stat_account_shows(col) || page->left >> index & 1)
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

/* Does @col name the rows of @t? If rows have a callchain (@chain), only the callchain does, as it
 * begins with the callsite.
 */
static bool names_row(const struct table *t, const struct column_type *col, bool chain)
{
	return col->rows && table_column(t, col->column.name) >= 0 &&
	       (col->column.below || !chain);
}

/* Appends what a row stands for: "kmem_alloc+0x4f", "1234 make", "callsite;its caller". */
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
}

/* The next column to leave out, or -1. Never the one that rows are sorted by. */
static int next_to_leave(const struct account_page *page, const struct table *t)
{
	int next = -1;

	for (size_t i = 0; i < t->nr_columns && i < 64; i++) {
		const struct column *col = &t->columns[i];

		if (col->hidden || page->left >> i & 1 || table_ordered_by(t, col->name))
			continue;
		if (col->drop > (next < 0 ? 0 : t->columns[next].drop))
			next = (int)i;
	}
	return next;
}

/* Leaves out columns until all callers fit. Callchains are on lines of their own. */
static void choose_columns(struct account_page *page, const struct table *t)
{
	size_t nr = table_text_rows(t), widest = 0, i;
	struct strbuf __auto_free line = { 0 };
	int next;

	page->left = 0;
	for (i = 0; i < nr; i++) {
		strbuf_reset(&line);
		add_subject(&line, t, t->cells + i * t->nr_columns);
		widest = LARGER(widest, line.size);
	}
	while (page->width && table_column(t, "stack") < 0) {
		strbuf_reset(&line);
		add_numbers(page, &line, t, NULL);
		next = next_to_leave(page, t);
		if (line.size + widest <= page->width || next < 0)
			break;
		page->left |= UINT64_C(1) << next;
	}
	page->sb.failed |= line.failed;
}

/* Adds a caller, on its own line if it does not fit; callchains are wrapped after a frame. */
static void add_caller(struct account_page *page, const char *text, size_t used)
{
	size_t room = less(page->width, used), size;
	const char *end;

	if (!page->width || strlen(text) <= room) {
		strbuf_printf(&page->sb, "%s\n", text);
		return;
	}
	while (page->sb.size && page->sb.data[page->sb.size - 1] == ' ')
		page->sb.size--;
	strbuf_puts(&page->sb, "\n");
	room = page->width > 2 * OWN_LINE ? page->width - OWN_LINE : OWN_LINE;
	for (; *text; text += size) {
		size = strlen(text);
		end = size > room ? memrchr(text, ';', room) : NULL;
		if (end)
			size = (size_t)(end - text) + 1;
		else if (size > room && strchr(text, ';'))
			size = strcspn(text, ";") + 1;
		strbuf_printf(&page->sb, "%*s", OWN_LINE, "");
		text_shorten(&page->sb, text, size, room);
		strbuf_puts(&page->sb, "\n");
	}
}

static void add_rows(struct account_page *page, const struct table *t)
{
	size_t nr = table_text_rows(t), i, begin;
	struct strbuf __auto_free caller = { 0 };

	for (i = 0; i < nr; i++) {
		const struct cell *row = t->cells + i * t->nr_columns;

		begin = page->sb.size;
		add_numbers(page, &page->sb, t, row);
		strbuf_reset(&caller);
		add_subject(&caller, t, row);
		add_caller(page, strbuf_text(&caller), page->sb.size - begin);
	}
	page->sb.failed |= caller.failed;
}

static void add_comment(struct account_page *page, const char *text)
{
	struct text_margins margins = { .first = "# ", .next = "#   ", .end = "" };

	if (page->width > 2 * OWN_LINE)
		margins.width = page->width - strlen(margins.next);
	text_wrap(&page->sb, text, &margins);
}

static void add_hidden(struct account_page *page, const struct table *t)
{
	struct strbuf __auto_free titles = { 0 }, line = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_columns && i < 64; i++) {
		if (page->left >> i & 1)
			strbuf_printf(&titles, "%s%s", nr++ ? ", " : "",
				      t->columns[i].title);
	}
	if (nr) {
		strbuf_printf(&line, "%zu column%s hidden at %zu columns: %s (--wide)",
			      nr, plural(nr), page->width, strbuf_text(&titles));
		add_comment(page, strbuf_text(&line));
	}
	page->sb.failed |= titles.failed || line.failed;
}

/* Is it a bound of the net bytes? trace_analyze has no line for those. */
static bool is_end(const struct summary_item *item)
{
	return !strcmp(item->name, "net_min") || !strcmp(item->name, "net_max");
}

static uint64_t summary_value(const struct table *t, const char *name)
{
	const struct cell *value = table_sum(t, name);

	return value ? value->u : 0;
}

/* Adds trace_analyze's six lines in its width, or all lines, or none. */
static void add_summary(struct account_page *page, const struct table *t)
{
	size_t width = 24;

	for (size_t i = 0; i < t->nr_summary && page->summary == SUMMARY_ALL; i++) {
		size_t size = strlen(t->summary[i].title);

		width = LARGER(size, width);
	}
	for (size_t i = 0; i < t->nr_summary && page->summary != SUMMARY_NONE; i++) {
		const struct summary_item *item = &t->summary[i];

		if (page->summary == SUMMARY_ALL || !is_end(item))
			strbuf_printf(&page->sb, "%-*s %10" PRIu64 "\n", (int)width,
				      item->title, item->value.u);
	}
}

/* Adds what is above the rows. What trace_analyze does not print is in comments. */
static void add_header(struct account_page *page, const struct table *t)
{
	size_t shown = table_text_rows(t);
	size_t all = t->nr_rows_total ? t->nr_rows_total : t->nr_rows;
	uint64_t net = summary_value(t, "current_allocated");
	uint64_t least = summary_value(t, "net_min"), most = summary_value(t, "net_max");
	char comment[160];

	add_summary(page, t);
	if (page->summary != SUMMARY_ALL && (least < most || most < net)) {
		snprintf(comment, sizeof(comment),
			 "net is a range: at least %" PRIu64 ", at most %" PRIu64
			 " bytes (per caller: --json)",
			 least, most);
		add_comment(page, comment);
	}
	if (shown < all)
		strbuf_printf(&page->sb, "# %zu of %zu row%s\n", shown, all, plural(all));
	add_hidden(page, t);
	strbuf_puts(&page->sb, "\n");
	add_numbers(page, &page->sb, t, NULL);
	strbuf_printf(&page->sb, "%s\n%s\n",
		      !t->by || !strcmp(t->by, "callsite") ? "caller" : t->by,
		      ACCOUNT_LINE);
}

int stat_account_render(const struct report *r, const struct render_options *opts,
			const struct render_out *out)
{
	struct account_page page = { .width = opts->wide ? 0 : opts->width,
				     .summary = opts->summary };
	struct report head = *r;
	int err;

	head.nr_tables = 0; /* print only the usual lines above the tables */
	err = render_text(&head, opts, out);
	for (size_t i = 0; i < r->nr_tables && !err; i++) {
		if (r->tables[i]->hidden) /* for programs */
			continue;
		choose_columns(&page, r->tables[i]);
		add_header(&page, r->tables[i]);
		add_rows(&page, r->tables[i]);
	}
	err = render_flush(&page.sb, out, err);
	strbuf_free(&page.sb);
	return err;
}
