// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the text renderer.
 * In: a report and the terminal's manners. Out: aligned tables for people; lines that are
 * not data start with '#'.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "report/render.h"
#include "report/text_cell.h"

#define FLUSH_SIZE  32768
#define GAP	    2
#define LAST_MIN    16 /* the last column is never made narrower than this */
#define SUMMARY_MIN 32 /* nor the titles in a summary than this less five */
#define NAME_MIN    12 /* names of properties: the values of most reports begin alike */
#define RED	    "\033[31m"
#define GREEN	    "\033[32m"
#define DIM	    "\033[2m"
#define PLAIN	    "\033[0m"

struct painter {
	const struct render_options *opts;
	const struct render_out *out;
	struct strbuf sb;
	struct strbuf cell; /* scratch */
	int err;
};

/* A column as it is printed; @head and @tail are the widths around the '/' of a ratio. */
struct text_column {
	const struct column *column;
	size_t index;
	int per; /* index of the column that divides; -1: none */
	bool text;
	size_t head, tail, width;
};

static void paint_flush(struct painter *p)
{
	if (!p->err && (p->sb.failed || p->cell.failed))
		p->err = -ENOMEM;
	if (!p->err && p->sb.size)
		p->err = p->out->write(p->out->ctx, p->sb.data, p->sb.size);
	strbuf_reset(&p->sb);
}

static void paint_pad(struct painter *p, size_t width)
{
	strbuf_printf(&p->sb, "%*s", (int)width, "");
}

/* How much of @text fits into @width: up to a space, or all of the first word. */
static size_t fitting(const char *text, size_t width)
{
	size_t size = strlen(text), i;

	if (!width || size <= width)
		return size;
	for (i = width; i && text[i] != ' '; i--)
		;
	return i ? i : strcspn(text, " ");
}

/* A comment, wrapped at the terminal's width. */
static void paint_comment(struct painter *p, const char *text, const char *color)
{
	const char *on = p->opts->color && color ? color : "";
	const char *off = *on ? PLAIN : "", *lead = "# ";
	size_t width = p->opts->width ? p->opts->width - 1 : 0;
	struct strbuf safe = { 0 };
	const char *rest;
	size_t size;

	safe_text_puts(&safe, text);
	if (safe.failed)
		p->err = -ENOMEM;
	rest = strbuf_text(&safe);
	do {
		size = fitting(rest, width > 24 ? width - strlen(lead) : 0);
		strbuf_printf(&p->sb, "%s%s%.*s%s\n", on, lead, (int)size, rest, off);
		rest += size;
		rest += strspn(rest, " ");
		lead = "#   ";
	} while (*rest);
	strbuf_free(&safe);
}

static void paint_blank_comment(struct painter *p)
{
	strbuf_puts(&p->sb, "#\n");
}

static size_t rows_shown(const struct table *t)
{
	return t->text_rows && t->text_rows < t->nr_rows ? t->text_rows : t->nr_rows;
}

/* "Page allocations by callsite, sorted by order, hit (4 of 214 rows, 71.3 % of bytes)" */
static void paint_title(struct painter *p, const struct table *t)
{
	size_t shown = rows_shown(t),
	       all = t->nr_rows_total ? t->nr_rows_total : t->nr_rows;
	struct strbuf sb = { 0 };

	strbuf_puts(&sb, t->title ? t->title : t->name);
	if (t->sorted_by)
		strbuf_printf(&sb, ", sorted by %s", t->sorted_by);
	if (shown < all) {
		strbuf_printf(&sb, " (%zu of %zu rows", shown, all);
		if (shown == t->nr_rows && t->share >= 0 && t->total)
			strbuf_printf(&sb, ", %.1f %% of %s",
				      100.0 * (double)t->kept / (double)t->total,
				      t->columns[t->share].share
					      ? t->columns[t->share].title
					      : t->columns[t->share].name);
		strbuf_puts(&sb, ")");
	}
	if (sb.failed)
		p->err = -ENOMEM;
	paint_comment(p, strbuf_text(&sb), NULL);
	strbuf_free(&sb);
}

/* -1, 0 or 1, as the number in @cell is below, at or above 0. */
static int cell_sign(const struct cell *cell)
{
	switch (cell->type) {
	case CELL_UINT:
		return cell->u > 0;
	case CELL_INT:
		return (cell->i > 0) - (cell->i < 0);
	case CELL_REAL:
		return (cell->f > 0) - (cell->f < 0);
	default:
		return 0;
	}
}

/* Formats the cell of column @l into p->cell, and the quotient behind a '/'. Returns the
 * length before the '/'.
 */
static size_t format_cell(struct painter *p, const struct text_column *l,
			  const struct cell *row)
{
	const struct cell *cell = row + l->index;
	enum column_unit unit = l->column->unit;
	struct cell quotient = { .type = CELL_NONE };
	size_t head;

	strbuf_reset(&p->cell);
	if (l->column->change && cell_sign(cell) > 0)
		strbuf_puts(&p->cell, "+");
	text_cell(&p->cell, cell, unit, p->opts->human, "");
	head = p->cell.size;
	if (l->per < 0)
		return head;
	if (cell->type == CELL_UINT && row[l->per].type == CELL_UINT && row[l->per].u)
		quotient = cell_uint(cell->u / row[l->per].u);
	strbuf_puts(&p->cell, "/");
	text_cell(&p->cell, &quotient, unit, p->opts->human, "");
	return head;
}

static void measure(struct painter *p, const struct table *t, struct text_column *l)
{
	const struct cell *row = t->cells;
	size_t nr = rows_shown(t), i, head;

	l->text = false;
	for (i = 0; i < nr; i++, row += t->nr_columns) {
		head = format_cell(p, l, row);
		if (head > l->head)
			l->head = head;
		if (p->cell.size - head > l->tail)
			l->tail = p->cell.size - head;
		if (row[l->index].type == CELL_TEXT)
			l->text = true;
	}
	l->width = l->head + l->tail;
	if (strlen(l->column->title) > l->width)
		l->width = strlen(l->column->title);
}

/* Chooses the columns to print, those marked last at the end; returns their number. */
static size_t lay_out(struct painter *p, const struct table *t,
		      struct text_column *layout)
{
	size_t nr = 0, i;
	int last;

	for (last = 0; last <= 1; last++) {
		for (i = 0; i < t->nr_columns; i++) {
			const struct column *col = &t->columns[i];

			if (col->hidden || col->below || col->last != (bool)last)
				continue;
			layout[nr].column = col;
			layout[nr].index = i;
			layout[nr].per = col->per ? table_column(t, col->per) : -1;
			measure(p, t, &layout[nr++]);
		}
	}
	return nr;
}

/* On a narrow terminal the last column gives way. */
static void narrow_last(struct painter *p, struct text_column *layout, size_t nr)
{
	struct text_column *last = &layout[nr - 1];
	size_t used = 2, i;

	if (!p->opts->width || !last->column->last || !last->text)
		return;
	for (i = 0; i + 1 < nr; i++)
		used += layout[i].width + GAP;
	if (used + last->width <= p->opts->width || last->width <= LAST_MIN)
		return;
	last->width = p->opts->width > used + LAST_MIN ? p->opts->width - used : LAST_MIN;
}

static void paint_header(struct painter *p, const struct text_column *layout, size_t nr)
{
	size_t i, size;

	strbuf_puts(&p->sb, "# ");
	for (i = 0; i < nr; i++) {
		const struct text_column *l = &layout[i];

		size = strlen(l->column->title);
		if (!l->text)
			paint_pad(p, l->width - size);
		text_shorten(&p->sb, l->column->title, size, l->width);
		if (i + 1 == nr)
			break;
		paint_pad(p, GAP + (l->text ? l->width - size : 0));
	}
	strbuf_puts(&p->sb, "\n");
}

static const char *cell_color(const struct painter *p, const struct text_column *l,
			      const struct cell *row)
{
	int sign = l->column->change ? cell_sign(row + l->index) : 0;

	return !p->opts->color || !sign ? "" : sign > 0 ? RED : GREEN;
}

static void paint_row(struct painter *p, const struct text_column *layout, size_t nr,
		      const struct cell *row)
{
	size_t i, head, size;

	strbuf_puts(&p->sb, "  ");
	for (i = 0; i < nr; i++) {
		const struct text_column *l = &layout[i];
		const char *color = cell_color(p, l, row);

		head = format_cell(p, l, row);
		size = p->cell.size;
		if (l->text) {
			text_shorten(&p->sb, strbuf_text(&p->cell), size, l->width);
			if (i + 1 < nr)
				paint_pad(p,
					  GAP + (size < l->width ? l->width - size : 0));
			continue;
		}
		/* The widest head and tail need not meet in one row: '/' below '/'. */
		paint_pad(p, l->width - l->tail - head);
		strbuf_puts(&p->sb, color);
		strbuf_add(&p->sb, strbuf_text(&p->cell), size);
		strbuf_puts(&p->sb, *color ? PLAIN : "");
		if (i + 1 < nr)
			paint_pad(p, GAP + l->tail - (size - head));
	}
	strbuf_puts(&p->sb, "\n");
	if (p->sb.size >= FLUSH_SIZE)
		paint_flush(p);
}

/* The parts of the row's last column after the first: a callchain under its callsite. */
static void paint_below(struct painter *p, const struct table *t, const struct cell *row)
{
	struct strbuf part = { 0 };
	const char *text;
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		if (!t->columns[i].below || row[i].type != CELL_TEXT)
			continue;
		text = strchr(row[i].s, ';');
		while (text) {
			text++;
			strbuf_reset(&part);
			strbuf_puts(&part, "    <- ");
			strbuf_add(&part, text, strcspn(text, ";"));
			paint_comment(p, strbuf_text(&part), DIM);
			text = strchr(text, ';');
		}
	}
	if (part.failed)
		p->err = -ENOMEM;
	strbuf_free(&part);
}

static void paint_rows(struct painter *p, const struct table *t)
{
	struct text_column *layout =
		calloc(t->nr_columns ? t->nr_columns : 1, sizeof(*layout));
	size_t nr, row;

	if (!layout) {
		p->err = -ENOMEM;
		return;
	}
	nr = lay_out(p, t, layout);
	if (nr) {
		narrow_last(p, layout, nr);
		paint_header(p, layout, nr);
	}
	for (row = 0; nr && row < rows_shown(t) && !p->err; row++) {
		paint_row(p, layout, nr, t->cells + row * t->nr_columns);
		paint_below(p, t, t->cells + row * t->nr_columns);
	}
	if (!t->nr_rows)
		paint_comment(p, "(no rows)", DIM);
	free(layout);
}

static void paint_summary_value(struct painter *p, const struct summary_item *item)
{
	strbuf_reset(&p->cell);
	text_cell(&p->cell, &item->value, item->unit, p->opts->human, " ");
}

static void paint_summary(struct painter *p, const struct table *t)
{
	const char *title = t->summary_title ? t->summary_title : "SUMMARY";
	size_t title_width = 0, value_width = 0, room, i;
	bool bound = false;

	for (i = 0; i < t->nr_summary; i++) {
		size_t size = strlen(t->summary[i].title);

		paint_summary_value(p, &t->summary[i]);
		title_width = size > title_width ? size : title_width;
		value_width = p->cell.size > value_width ? p->cell.size : value_width;
		bound |= t->summary[i].bound;
	}
	room = p->opts->width > value_width + SUMMARY_MIN ? p->opts->width - value_width
							  : SUMMARY_MIN;
	if (p->opts->width && title_width > room - 5)
		title_width = room - 5; /* " : " before the value, " *" behind it */
	strbuf_printf(&p->sb, "\n%s\n", title);
	for (i = strlen(title); i; i--)
		strbuf_puts(&p->sb, "=");
	strbuf_puts(&p->sb, "\n");
	for (i = 0; i < t->nr_summary; i++) {
		const struct summary_item *item = &t->summary[i];
		size_t size;

		paint_summary_value(p, item);
		size = strlen(item->title);
		text_shorten(&p->sb, item->title, size, title_width);
		paint_pad(p, size < title_width ? title_width - size : 0);
		strbuf_printf(&p->sb, " : %*s%s\n", (int)value_width,
			      strbuf_text(&p->cell), item->bound ? " *" : "");
	}
	if (bound)
		paint_comment(p, "* a bound only: events were lost", RED);
}

static void paint_table(struct painter *p, const struct table *t)
{
	size_t i;

	paint_title(p, t);
	paint_blank_comment(p);
	paint_rows(p, t);
	for (i = 0; i < t->nr_notes; i++) {
		bool loud = t->notes[i][0] == '!';

		paint_comment(p, t->notes[i] + loud, loud ? RED : DIM);
	}
	if (t->nr_summary && !t->summary_hidden)
		paint_summary(p, t);
}

/* A value, wrapped at the terminal's width: its lines begin below each other. */
static void paint_property(struct painter *p, const struct property *property,
			   size_t name_width)
{
	const char *on = p->opts->color && property->loud ? RED : "";
	size_t used = name_width + 1, width = p->opts->width;
	struct strbuf safe = { 0 };
	const char *rest;
	size_t size;

	if (width)
		width = width > used + LAST_MIN ? width - 1 - used : LAST_MIN;
	safe_text_puts(&safe, property->text);
	if (safe.failed)
		p->err = -ENOMEM;
	strbuf_printf(&p->sb, "%-*s", (int)name_width, property->name);
	rest = strbuf_text(&safe);
	do {
		size = fitting(rest, width);
		strbuf_printf(&p->sb, " %s%.*s%s\n", on, (int)size, rest,
			      *on ? PLAIN : "");
		rest += size;
		rest += strspn(rest, " ");
		if (*rest)
			paint_pad(p, name_width);
	} while (*rest);
	strbuf_free(&safe);
}

static void paint_properties(struct painter *p, const struct report *r)
{
	size_t width = NAME_MIN, i;

	for (i = 0; i < r->nr_properties; i++) {
		size_t size = strlen(r->properties[i].name);

		width = size > width ? size : width;
	}
	for (i = 0; i < r->nr_properties && !p->err; i++) {
		paint_property(p, &r->properties[i], width);
		if (p->sb.size >= FLUSH_SIZE)
			paint_flush(p);
	}
}

int render_text(const struct report *r, const struct render_options *opts,
		const struct render_out *out)
{
	struct painter p = { .opts = opts, .out = out };
	size_t i;

	for (i = 0; i < r->nr_banner; i++) {
		bool loud = r->banner[i][0] == '!';

		paint_comment(&p, r->banner[i] + loud, loud ? RED : NULL);
	}
	if (r->nr_banner)
		paint_blank_comment(&p);
	paint_properties(&p, r);
	for (i = 0; i < r->nr_tables && !p.err; i++) {
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
