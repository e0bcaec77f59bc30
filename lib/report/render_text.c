// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the text renderer.
 * In: a report and the terminal's properties. Out: aligned tables for people; lines that are not
 * data start with '#'.
 */

#include "base/safe_text.h"
#include "report/render.h"
#include "report/text_cell.h"
#include "report/text_layout.h"

#define WORDS_MIN      16  /* minimum width of a column of wrapped words */
#define COMMENT_MIN    24  /* minimum width of comments */
#define OWN_LINE       6   /* spaces before a name on a line of its own */
#define SUMMARY_MIN    32  /* minimum width of titles in a summary, plus five */
#define CROSS_WIDTH    100 /* width of a matrix if the line is unlimited */
#define NAME_MIN       12 /* width of property names: aligns the values of most reports */
#define NAME_MAX_SHOWN 64 /* including the colour of the value */
#define RED	       "\033[31m"
#define GREEN	       "\033[32m"
#define DIM	       "\033[2m"
#define PLAIN	       "\033[0m"

struct painter {
	const struct render_options *opts;
	const struct render_out *out;
	struct strbuf sb;
	struct strbuf cell; /* scratch */
	int err;
};

static void paint_flush(struct painter *p)
{
	p->sb.failed |= p->cell.failed;
	p->err = render_flush(&p->sb, p->out, p->err);
}

static void paint_pad(struct painter *p, size_t width)
{
	strbuf_fill(&p->sb, ' ', width);
}

/* Paints a comment, wrapped at the terminal's width. */
static void paint_comment(struct painter *p, const char *text, const char *color)
{
	const char *on = p->opts->color && color ? color : "";
	struct text_margins margins = { .end = *on ? PLAIN : "" };
	size_t width = p->opts->width;
	struct strbuf __auto_free safe = { 0 };
	char first[16], next[16];

	snprintf(first, sizeof(first), "%s# ", on);
	snprintf(next, sizeof(next), "%s#   ", on);
	margins.first = first;
	margins.next = next;
	margins.width = width > COMMENT_MIN ? width - strlen("#   ") : 0;
	margins.more = strlen("#   ") - strlen("# ");
	safe_text_puts(&safe, text);
	if (safe.failed)
		p->err = -ENOMEM;
	text_wrap(&p->sb, strbuf_text(&safe), &margins);
}

static void paint_note(struct painter *p, const struct strbuf *note)
{
	if (note->failed)
		p->err = -ENOMEM;
	paint_comment(p, strbuf_text(note), DIM);
}

static void paint_blank_comment(struct painter *p)
{
	strbuf_puts(&p->sb, "#\n");
}

/* "order, -hit", or "absolute change" if the key's name is not clear enough. */
static void add_sort_titles(struct strbuf *sb, const struct table *t)
{
	static const char *const signs[] = { "", "+", "-" };
	struct sort_keys keys;

	sb->failed |= sort_keys_parse(&keys, t->sorted_by) != 0;
	for (size_t i = 0; i < keys.nr; i++) {
		const struct sort_key *key = &keys.keys[i];
		int column = table_column(t, key->name);
		const char *title = column < 0 ? NULL : t->columns[column].sort_title;

		strbuf_printf(sb, "%s%s%s", i ? ", " : "", signs[key->direction],
			      title ? title : key->name);
	}
	sort_keys_free(&keys);
}

/* "Page allocations by callsite, sorted by order, hit (4 of 214 rows, 71.3 % of bytes)" */
static void paint_title(struct painter *p, const struct table *t)
{
	size_t shown = table_text_rows(t),
	       all = t->nr_rows_total ? t->nr_rows_total : t->nr_rows;
	struct strbuf __auto_free sb = { 0 };

	strbuf_puts(&sb, t->title ? t->title : t->name);
	if (t->sorted_by) {
		strbuf_puts(&sb, ", sorted by ");
		add_sort_titles(&sb, t);
	}
	if (shown < all) {
		strbuf_printf(&sb, " (%zu of %zu rows", shown, all);
		if (t->share >= 0 && t->total) {
			const struct column *col = &t->columns[t->share];

			strbuf_printf(&sb, ", %.1f %% of %s",
				      100.0 * (double)t->kept / (double)t->total,
				      col->share	? col->title
				      : col->sort_title ? col->sort_title
							: col->name);
		}
		strbuf_puts(&sb, ")");
	}
	if (sb.failed)
		p->err = -ENOMEM;
	paint_comment(p, strbuf_text(&sb), NULL);
}

/* Removes trailing blanks. */
static void trim_line(struct painter *p)
{
	while (p->sb.size && p->sb.data[p->sb.size - 1] == ' ')
		p->sb.size--;
}

static void paint_header(struct painter *p, const struct text_layout *l)
{
	size_t width, size;

	strbuf_puts(&p->sb, "# ");
	for (size_t i = 0; i <= l->last; i++) {
		const struct text_column *c = &l->columns[i];

		if (c->out)
			continue;
		size = text_layout_title(l, c);
		width = text_layout_width(l, c);
		if (!c->text)
			paint_pad(p, width - size);
		text_shorten(&p->sb, c->column->title, size,
			     i == l->last ? l->room : size);
		if (i < l->last)
			paint_pad(p, TEXT_GAP + (c->text ? width - size : 0));
	}
	trim_line(p);
	strbuf_puts(&p->sb, "\n");
}

static const char *cell_color(const struct painter *p, const struct text_column *c,
			      const struct cell *row)
{
	int sign = c->column->change ? text_cell_sign(row + c->index) : 0;

	return !p->opts->color || !sign ? "" : sign > 0 ? RED : GREEN;
}

/* Paints @text on lines of its own, of @width characters, wrapped at blanks; shortens a word that
 * is too long.
 */
static void paint_own_lines(struct painter *p, const char *text, size_t width)
{
	const size_t room = less(width, OWN_LINE);

	do {
		size_t size = room ? text_fitting(text, room) : strlen(text);

		if (text[size] && text[size] != ' ')
			size = strcspn(text, " ");
		strbuf_puts(&p->sb, "\n");
		paint_pad(p, OWN_LINE);
		text_shorten(&p->sb, text, size, room);
		text += size;
		text += strspn(text, " ");
	} while (*text);
}

/* Paints a name that does not fit after @used characters on a line of its own. In a tree, its
 * branch stays in the row if it fits.
 */
static void paint_name(struct painter *p, const struct text_layout *l, size_t used,
		       const struct cell *row)
{
	size_t lead = 0;
	struct strbuf __auto_free branch = { 0 };

	text_layout_branches(l, row, &branch);
	if (branch.size && branch.size <= l->room) {
		lead = branch.size;
		strbuf_add(&p->sb, strbuf_text(&branch), lead);
	}
	if (lead || used > TEXT_LEAD)
		trim_line(p);
	paint_own_lines(p, strbuf_text(&p->cell) + lead, used + l->room);
	p->sb.failed |= branch.failed;
}

/* Paints the text at the end of a row, after @used characters. Words are wrapped within their
 * column; a name that does not fit gets a line of its own.
 */
static void paint_last(struct painter *p, const struct text_layout *l, size_t used,
		       const struct cell *row)
{
	const char *text = strbuf_text(&p->cell);
	size_t size = p->cell.size;

	if (size <= l->room) {
		strbuf_add(&p->sb, text, size);
		return;
	}
	if (!l->columns[l->last].column->words || l->room < WORDS_MIN) {
		paint_name(p, l, used, row);
		return;
	}
	for (;;) {
		size = text_fitting(text, l->room);
		strbuf_add(&p->sb, text, size);
		text += size;
		text += strspn(text, " ");
		if (!*text)
			return;
		strbuf_puts(&p->sb, "\n");
		paint_pad(p, used);
	}
}

/* Paints the first @size bytes of the cell. */
static void paint_cell(struct painter *p, const struct text_column *c, size_t size)
{
	if (c->column->histogram || c->column->series)
		spark_paint(strbuf_text(&p->cell), p->opts->utf8, &p->sb);
	else
		strbuf_add(&p->sb, strbuf_text(&p->cell), size);
}

static void paint_row(struct painter *p, const struct text_layout *l,
		      const struct cell *row)
{
	size_t used = TEXT_LEAD, head, size, width;

	strbuf_puts(&p->sb, "  ");
	for (size_t i = 0; i <= l->last; i++) {
		const struct text_column *c = &l->columns[i];
		const char *color = cell_color(p, c, row);

		if (c->out)
			continue;
		head = text_layout_cell(l, c, row, &p->cell);
		size = c->per < 0 || l->per ? p->cell.size : head;
		width = text_layout_width(l, c);
		if (c->text && i == l->last) {
			paint_last(p, l, used, row);
		} else if (c->text) {
			strbuf_add(&p->sb, strbuf_text(&p->cell), size);
			paint_pad(p, TEXT_GAP + width - size);
		} else {
			/* Align '/' below '/', even if the widest head and tail are in different
			 * rows.
			 */
			size_t tail = text_layout_tail(l, c);

			paint_pad(p, width - tail - head);
			strbuf_puts(&p->sb, color);
			paint_cell(p, c, size);
			strbuf_puts(&p->sb, *color ? PLAIN : "");
			if (i < l->last)
				paint_pad(p, TEXT_GAP + tail - (size - head));
		}
		used += width + TEXT_GAP;
	}
	strbuf_puts(&p->sb, "\n");
	if (p->sb.size >= RENDER_PIECE)
		paint_flush(p);
}

/* Paints all but the first part of columns marked @below: a callchain under its callsite. */
static void paint_below(struct painter *p, const struct table *t, const struct cell *row)
{
	struct strbuf __auto_free part = { 0 };
	const char *text;

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!t->columns[i].below || row[i].type != CELL_TEXT)
			continue;
		text = strchr(row[i].s, ';');
		while (text) {
			text++;
			strbuf_reset(&part);
			strbuf_puts(&part, "    <- ");
			strbuf_add(&part, text, strcspn(text, ";"));
			paint_note(p, &part);
			text = strchr(text, ';');
		}
	}
}

/* "#   Evidence: 20 objects of 56 bytes" */
static void paint_told(struct painter *p, const struct table *t, const struct cell *row)
{
	struct strbuf __auto_free line = { 0 };

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];

		if (!c->remark || row[i].type != CELL_TEXT || !*row[i].s)
			continue;
		strbuf_reset(&line);
		strbuf_printf(&line, "  %s: %s", c->title, row[i].s);
		paint_note(p, &line);
	}
}

/* "2 columns hidden at 80 columns: Per, GFP flags (--wide)" */
static void paint_hidden(struct painter *p, const struct text_layout *l)
{
	struct strbuf __auto_free titles = { 0 }, note = { 0 };
	size_t nr = text_layout_hidden(l, &titles);

	strbuf_printf(&note, "%zu column%s hidden at %u columns: %s (--wide)", nr,
		      plural(nr), p->opts->width, strbuf_text(&titles));
	note.failed |= titles.failed;
	if (nr)
		paint_note(p, &note);
}

/* Explains the short words in the rows, if their column fits. */
static void paint_legend(struct painter *p, const struct table *t,
			 const struct text_layout *l)
{
	struct strbuf __auto_free legend = { 0 };
	bool shown = t->legend_of &&
		     ANY(i, l->nr,
			 !l->columns[i].out &&
				 !strcmp(l->columns[i].column->name, t->legend_of));

	if (shown && (table_legend(t, table_text_rows(t), &legend) || legend.failed))
		paint_note(p, &legend);
}

/* "Lifetimes: 256 ns to 4.29 s, a mark for every power of 2" */
static void paint_axes(struct painter *p, const struct text_layout *l)
{
	struct strbuf __auto_free note = { 0 };

	for_each(c, l->columns, l->nr) {
		if (!c->column->histogram || c->out || !c->spark.any)
			continue;
		strbuf_reset(&note);
		strbuf_printf(&note, "%s: ", c->column->title);
		spark_axis(&c->spark, c->column->unit, &note);
		paint_note(p, &note);
	}
}

static void paint_rows(struct painter *p, const struct table *t)
{
	struct text_layout layout;

	if (text_layout_init(&layout, t, p->opts))
		p->err = -ENOMEM;
	if (layout.nr && !p->err)
		paint_header(p, &layout);
	for (size_t row = table_text_next(t, 0); layout.nr && row < t->nr_rows && !p->err;
	     row = table_text_next(t, row + 1)) {
		paint_row(p, &layout, t->cells + row * t->nr_columns);
		paint_below(p, t, t->cells + row * t->nr_columns);
		paint_told(p, t, t->cells + row * t->nr_columns);
	}
	if (!t->nr_rows)
		paint_comment(p, "(no rows)", DIM);
	if (t->nr_rows && !p->err) {
		paint_axes(p, &layout);
		paint_hidden(p, &layout);
		paint_legend(p, t, &layout);
	}
	text_layout_free(&layout);
}

static void paint_summary_value(struct painter *p, const struct summary_item *item)
{
	struct cell value = item->value;
	bool rounded = render_rounds(p->opts, item->unit, &value);

	strbuf_reset(&p->cell);
	text_cell(&p->cell, &value, item->unit, rounded, " ");
}

/* Paints the title of a summary's line in @width characters, wrapped at blanks. */
static void paint_summary_title(struct painter *p, const char *title, size_t width)
{
	const size_t more = strspn(title, " ") + 2; /* before lines that follow */
	size_t used = 0, size;

	for (;;) {
		size = text_fitting(title, less(width, used));
		strbuf_add(&p->sb, title, size);
		used += size;
		title += size;
		title += strspn(title, " ");
		if (!*title)
			break;
		strbuf_puts(&p->sb, "\n");
		paint_pad(p, more);
		used = more;
	}
	paint_pad(p, less(width, used));
}

/* Paints the summary lines that are @shown, in columns. */
static void paint_summary_lines(struct painter *p, const struct table *t,
				const bool *shown)
{
	size_t title_width = 0, value_width = 0, room;

	for (size_t i = 0; i < t->nr_summary; i++) {
		size_t size = strlen(t->summary[i].title);

		if (!shown[i])
			continue;
		paint_summary_value(p, &t->summary[i]);
		title_width = LARGER(size, title_width);
		value_width = LARGER(p->cell.size, value_width);
	}
	room = p->opts->width > value_width + SUMMARY_MIN ? p->opts->width - value_width
							  : SUMMARY_MIN;
	if (p->opts->width && title_width > room - 5)
		title_width = room - 5; /* " : " before the value, " *" after it */
	for (size_t i = 0; i < t->nr_summary; i++) {
		const struct summary_item *item = &t->summary[i];

		if (!shown[i])
			continue;
		paint_summary_value(p, item);
		paint_summary_title(p, item->title, title_width);
		strbuf_printf(&p->sb, " : %*s%s\n", (int)value_width,
			      strbuf_text(&p->cell), item->bound ? " *" : "");
	}
}

static void paint_summary(struct painter *p, const struct table *t)
{
	const char *title = t->summary_title ? t->summary_title : "SUMMARY";
	bool *shown __auto_mem = calloc(t->nr_summary, sizeof(*shown));
	size_t left_out;
	char note[64];

	if (!shown) {
		p->err = -ENOMEM;
		return;
	}
	left_out = summary_lines_choose(t, p->opts->summary, shown);
	strbuf_printf(&p->sb, "\n%s\n", title);
	strbuf_fill(&p->sb, '=', strlen(title));
	strbuf_puts(&p->sb, "\n");
	paint_summary_lines(p, t, shown);
	if (ANY(i, t->nr_summary, shown[i] && t->summary[i].bound))
		paint_comment(p, "* a bound only: events were lost", RED);
	snprintf(note, sizeof(note), "%zu more line%s: --summary", left_out,
		 plural(left_out));
	if (left_out)
		paint_comment(p, note, DIM);
}

/* Turns a list of pairs into a matrix; NULL: show a list, or memory ran out. */
static struct table *cross_of(struct painter *p, const struct table *t)
{
	struct render_options wide = *p->opts;
	struct table *cross;
	struct text_layout layout;
	size_t width = wide.width ? wide.width : CROSS_WIDTH;
	bool fits;

	p->err = table_cross(t, &cross);
	if (!cross)
		return NULL;
	wide.wide = true;
	if (text_layout_init(&layout, cross, &wide))
		p->err = -ENOMEM;
	fits = !p->err && text_layout_line(&layout) <= width;
	text_layout_free(&layout);
	if (fits)
		return cross;
	table_free(cross);
	return NULL;
}

/* Paints all warnings, other notes up to NOTES_SHORT in total, and how many were left out. */
static void paint_notes(struct painter *p, const struct table *t)
{
	size_t loud = 0, left = 0, room;
	char more[64];

	for (size_t i = 0; i < t->nr_notes; i++)
		loud += t->notes[i][0] == '!';
	room = p->opts->all_notes || t->every_note ? SIZE_MAX : less(NOTES_SHORT, loud);
	for (size_t i = 0; i < t->nr_notes; i++) {
		if (t->notes[i][0] == '!')
			paint_comment(p, t->notes[i] + 1, RED);
		else if (room && room--)
			paint_comment(p, t->notes[i], DIM);
		else
			left++;
	}
	snprintf(more, sizeof(more), "%zu more note%s: -v", left, plural(left));
	if (left)
		paint_comment(p, more, DIM);
}

static void paint_table(struct painter *p, const struct table *t)
{
	struct table *cross = cross_of(p, t);
	const struct table *drawn = cross ? cross : t;

	paint_title(p, drawn);
	paint_blank_comment(p);
	paint_rows(p, drawn);
	table_free(cross);
	paint_notes(p, t);
	if (t->nr_summary && !t->summary_hidden && p->opts->summary != SUMMARY_NONE)
		paint_summary(p, t);
}

/* Paints a value, wrapped at the terminal's width and aligned. */
static void paint_property(struct painter *p, const struct property *property,
			   size_t name_width)
{
	const char *on = p->opts->color && property->loud ? RED : "";
	size_t used = name_width + 1, width = p->opts->width;
	struct text_margins margins = { .end = *on ? PLAIN : "" };
	char first[NAME_MAX_SHOWN], next[NAME_MAX_SHOWN];
	struct strbuf __auto_free safe = { 0 };

	snprintf(first, sizeof(first), "%-*s %s", (int)name_width, property->name, on);
	snprintf(next, sizeof(next), "%*s %s", (int)name_width, "", on);
	margins.first = first;
	margins.next = next;
	if (width)
		margins.width = width > used + WORDS_MIN ? width - used : WORDS_MIN;
	safe_text_puts(&safe, property->text);
	if (safe.failed)
		p->err = -ENOMEM;
	text_wrap(&p->sb, strbuf_text(&safe), &margins);
}

static void paint_properties(struct painter *p, const struct report *r)
{
	size_t width = NAME_MIN;

	for (size_t i = 0; i < r->nr_properties; i++) {
		size_t size = strlen(r->properties[i].name);

		width = LARGER(size, width);
	}
	for (size_t i = 0; i < r->nr_properties && !p->err; i++) {
		paint_property(p, &r->properties[i], width);
		if (p->sb.size >= RENDER_PIECE)
			paint_flush(p);
	}
}

int render_text(const struct report *r, const struct render_options *opts,
		const struct render_out *out)
{
	struct painter p = { .opts = opts, .out = out };

	for (size_t i = 0; i < r->nr_banner; i++) {
		bool loud = r->banner[i][0] == '!';

		paint_comment(&p, r->banner[i] + loud, loud ? RED : NULL);
	}
	if (r->nr_banner)
		paint_blank_comment(&p);
	paint_properties(&p, r);
	for (size_t i = 0; i < r->nr_tables && !p.err; i++) {
		if (r->tables[i]->hidden)
			continue;
		if (i || r->nr_properties)
			strbuf_puts(&p.sb, "\n");
		paint_table(&p, r->tables[i]);
	}
	paint_flush(&p);
	strbuf_free(&p.sb);
	strbuf_free(&p.cell);
	return p.err;
}
