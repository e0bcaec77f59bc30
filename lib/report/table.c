// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>

#include "base/array.h"
#include "base/safe_text.h"

static char *text_dup(const char *s, bool *failed)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy)
		*failed = true;
	return copy;
}

struct table *table_new(const char *name, const char *title)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->share = -1;
	t->name = text_dup(name, &t->failed);
	t->title = text_dup(title, &t->failed);
	if (!t->name || t->failed) {
		table_free(t);
		return NULL;
	}
	return t;
}

static void summary_free(struct summary_item *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free((char *)items[i].name);
		free((char *)items[i].title);
	}
	free(items);
}

static void lines_free(char **lines, size_t nr)
{
	while (nr)
		free(lines[--nr]);
	free(lines);
}

/* Frees what @t has. */
static void table_empty(struct table *t)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		free((char *)t->columns[i].name);
		free((char *)t->columns[i].title);
		free((char *)t->columns[i].per);
		free((char *)t->columns[i].mark);
	}
	free(t->columns);
	free(t->cells);
	summary_free(t->summary, t->nr_summary);
	lines_free(t->notes, t->nr_notes);
	free(t->legend);
	intern_free(&t->texts);
	free(t->name);
	free(t->title);
	free(t->by);
	free(t->summary_title);
	free(t->sorted_by);
	free(t->text_out);
}

void table_free(struct table *t)
{
	if (t)
		table_empty(t);
	free(t);
}

bool table_ok(const struct table *t)
{
	return t && !t->failed;
}

/* Copies a heading and makes foreign names in it safe to show. */
static char *title_dup(const char *title, bool *failed)
{
	struct strbuf safe = { 0 };
	char *copy;

	safe_text_puts(&safe, title);
	strbuf_puts(&safe, "");
	copy = strbuf_detach(&safe);
	*failed |= !copy;
	return copy;
}

void table_set_by(struct table *t, const char *by)
{
	free(t->by);
	t->by = text_dup(by, &t->failed);
}

void table_set_summary_title(struct table *t, const char *fmt, ...)
{
	va_list args;

	free(t->summary_title);
	va_start(args, fmt);
	if (vasprintf(&t->summary_title, fmt, args) < 0) {
		t->summary_title = NULL;
		t->failed = true;
	}
	va_end(args);
}

void table_add_column(struct table *t, const struct column *col)
{
	struct column *column;

	if (array_grow(&t->columns, t->nr_columns, sizeof(*column)) || t->nr_rows) {
		t->failed = true;
		return;
	}
	column = &t->columns[t->nr_columns++];
	*column = *col;
	column->name = text_dup(col->name, &t->failed);
	column->title = title_dup(col->title ? col->title : col->name, &t->failed);
	column->per = text_dup(col->per, &t->failed);
	column->mark = text_dup(col->mark, &t->failed);
}

void table_add_columns(struct table *t, const struct column *cols, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		table_add_column(t, &cols[i]);
}

struct cell *table_add_row(struct table *t)
{
	size_t capacity = t->rows_capacity ? t->rows_capacity * 2 : 16;
	struct cell *cells;
	size_t bytes;

	/* A column may be missing, and the caller would write to its cell. */
	if (t->failed)
		return NULL;
	if (t->nr_rows == t->rows_capacity) {
		if (__builtin_mul_overflow(capacity, t->nr_columns, &bytes) ||
		    __builtin_mul_overflow(bytes, sizeof(*cells), &bytes))
			goto fail;
		cells = realloc(t->cells, bytes ? bytes : 1);
		if (!cells)
			goto fail;
		t->cells = cells;
		t->rows_capacity = capacity;
	}
	cells = t->cells + t->nr_rows++ * t->nr_columns;
	memset(cells, 0, t->nr_columns * sizeof(*cells));
	return cells;
fail:
	t->failed = true;
	return NULL;
}

/* Appends a formatted line to an array of lines. False if memory ran out. */
static __printf_fmt(4, 0) bool lines_add(char ***lines, size_t *nr, const char *prefix,
					 const char *fmt, va_list ap)
{
	struct strbuf sb = { 0 };
	char *text = NULL;

	if (array_grow(lines, *nr, sizeof(**lines)) || vasprintf(&text, fmt, ap) < 0)
		return false;
	strbuf_puts(&sb, prefix);
	strbuf_puts(&sb, text);
	free(text);
	text = strbuf_detach(&sb);
	if (!text)
		return false;
	(*lines)[(*nr)++] = text;
	return true;
}

void table_add_note(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!lines_add(&t->notes, &t->nr_notes, "", fmt, ap))
		t->failed = true;
	va_end(ap);
}

/* Appends @item with copies of its strings. False if memory ran out. */
static bool summary_add(struct summary_item **items, size_t *nr,
			const struct summary_item *item)
{
	struct summary_item *added;
	bool failed = false;

	if (array_grow(items, *nr, sizeof(**items)))
		return false;
	added = &(*items)[(*nr)++];
	*added = *item;
	added->name = text_dup(item->name, &failed);
	added->title = title_dup(item->title ? item->title : item->name, &failed);
	return !failed;
}

void table_add_summary_items(struct table *t, const struct summary_item *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		/* The name is NULL if the caller had no memory for it. */
		if (!items[i].name ||
		    !summary_add(&t->summary, &t->nr_summary, &items[i]))
			t->failed = true;
	}
}

void table_add_summary(struct table *t, const char *name, const char *title,
		       enum column_unit unit, struct cell value, bool bound)
{
	const struct summary_item item = { name, title, unit, value, .bound = bound };

	table_add_summary_items(t, &item, 1);
}

void table_add_summary_lines(struct table *t, const struct summary_line *lines, size_t nr,
			     bool bound)
{
	for (size_t i = 0; i < nr; i++) {
		const struct summary_item item = {
			lines[i].name, lines[i].title,
			lines[i].unit, cell_uint(lines[i].value),
			bound,	       lines[i].live,
			lines[i].rank
		};

		table_add_summary_items(t, &item, 1);
	}
}

struct cell cell_uint(uint64_t u)
{
	return (struct cell){ .type = CELL_UINT, .u = u };
}

struct cell cell_int(int64_t i)
{
	return (struct cell){ .type = CELL_INT, .i = i };
}

struct cell cell_real(double f)
{
	return (struct cell){ .type = CELL_REAL, .f = f };
}

struct cell cell_address(uint64_t u)
{
	return (struct cell){ .type = CELL_ADDRESS, .u = u };
}

static struct cell text_cell(struct intern *texts, const char *s, bool *failed)
{
	uint32_t id = s ? intern_id(texts, s, strlen(s)) : 0;

	*failed |= s && !id;
	return id ? (struct cell){ .type = CELL_TEXT, .s = intern_get(texts, id, NULL) }
		  : (struct cell){ .type = CELL_NONE };
}

struct cell cell_text(struct table *t, const char *s)
{
	return text_cell(&t->texts, s, &t->failed);
}

struct cell cell_strbuf(struct table *t, struct strbuf *sb)
{
	struct cell cell = cell_text(t, strbuf_text(sb));

	t->failed |= sb->failed;
	strbuf_free(sb);
	return cell;
}

struct cell cell_numbers(struct table *t, const uint64_t *numbers, size_t nr)
{
	struct strbuf text = { 0 };

	for (size_t i = 0; i < nr; i++)
		strbuf_printf(&text, "%s%" PRIu64, i ? "|" : "", numbers[i]);
	return cell_strbuf(t, &text);
}

double cell_as_real(const struct cell *c)
{
	switch (c->type) {
	case CELL_UINT:
		return (double)c->u;
	case CELL_INT:
		return (double)c->i;
	case CELL_REAL:
		return c->f;
	default:
		return NAN;
	}
}

int table_column(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].name && !strcmp(t->columns[i].name, name))
			return (int)i;
	}
	return -1;
}

bool column_title_is(const char *title, const char *key)
{
	for (; title && *title && *title != '/'; title++, key++) {
		char wanted = *title == ' ' || *title == '-' ? '_' : *title;
		char got = *key == ' ' || *key == '-' ? '_' : *key;

		if (tolower((unsigned char)wanted) != tolower((unsigned char)got))
			return false;
	}
	return title && (!*key || !strcmp(key, title));
}

int table_key_column(const struct table *t, const char *key)
{
	int column = table_column(t, key);

	/* Names begin with a small letter. */
	for (size_t i = 0; i < t->nr_columns && column < 0; i++) {
		if (!islower((unsigned char)*key) &&
		    column_title_is(t->columns[i].title, key))
			column = (int)i;
	}
	return column;
}

struct column *table_find_column(struct table *t, const char *name)
{
	int i = table_column(t, name);

	return i < 0 ? NULL : &t->columns[i];
}

bool table_has_value(const struct table *t, const char *name)
{
	int column = table_column(t, name);

	for (size_t row = 0; column >= 0 && row < t->nr_rows; row++) {
		if (t->cells[row * t->nr_columns + (size_t)column].type != CELL_NONE)
			return true;
	}
	return false;
}

void table_blank_live(struct table *t)
{
	const struct cell none = { .type = CELL_NONE };

	for (size_t column = 0; column < t->nr_columns; column++) {
		for (size_t row = 0; t->columns[column].live && row < t->nr_rows; row++)
			t->cells[row * t->nr_columns + column] = none;
	}
	for (size_t i = 0; i < t->nr_summary; i++) {
		if (t->summary[i].live)
			t->summary[i].value = none;
	}
}

void table_show_column(struct table *t, const char *name)
{
	int column = table_column(t, name);

	if (column >= 0)
		t->columns[column].hidden = false;
}

void table_blank_summary(struct table *t, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < t->nr_summary; i++) {
		for (size_t k = 0; k < nr; k++) {
			if (!strcmp(t->summary[i].name, names[k]))
				t->summary[i].value = (struct cell){ .type = CELL_NONE };
		}
	}
}

/* The figure that the range of column @name is about: the column itself, unless it is an end of a
 * range.
 */
static const char *range_figure(const struct table *t, const char *name)
{
	int column = table_column(t, name);

	return column >= 0 && t->columns[column].range_of ? t->columns[column].range_of
							  : name;
}

void table_show_range(struct table *t, const char *name)
{
	const char *figure = name ? range_figure(t, name) : NULL;
	bool differ = false;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column *col = &t->columns[i];

		/* The reason is the column without a unit. It has a value only where the ends
		 * differ.
		 */
		differ |= col->range_of && col->unit == UNIT_NONE &&
			  (!figure || !strcmp(figure, col->range_of)) &&
			  table_has_value(t, col->name);
	}
	for (size_t i = 0; i < t->nr_columns && differ; i++) {
		struct column *col = &t->columns[i];

		if (col->range_of && (!figure || !strcmp(figure, col->range_of)))
			col->hidden = false;
	}
}

struct report *report_new(void)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->spare.failed = true;
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr_tables; i++)
		table_free(r->tables[i]);
	free(r->tables);
	summary_free(r->facts, r->nr_facts);
	lines_free(r->banner, r->nr_banner);
	for (size_t i = 0; i < r->nr_properties; i++)
		free(r->properties[i].text);
	free(r->properties);
	intern_free(&r->texts);
	table_empty(&r->spare);
	free(r);
}

bool report_ok(const struct report *r)
{
	if (!r || r->failed)
		return false;
	for (size_t i = 0; i < r->nr_tables; i++) {
		if (!table_ok(r->tables[i]))
			return false;
	}
	return true;
}

const struct table *report_table(const struct report *r, const char *name)
{
	for (size_t i = 0; name && i < r->nr_tables; i++) {
		if (!strcmp(r->tables[i]->name, name))
			return r->tables[i];
	}
	return NULL;
}

bool report_add_table(struct report *r, struct table *t)
{
	if (!t || array_grow(&r->tables, r->nr_tables, sizeof(*r->tables))) {
		table_free(t);
		r->failed = true;
		return false;
	}
	r->tables[r->nr_tables++] = t;
	return true;
}

const struct cell *report_fact(const struct report *r, const char *name)
{
	static const struct cell none = { .type = CELL_NONE };

	for (size_t i = 0; i < r->nr_facts; i++) {
		if (!strcmp(r->facts[i].name, name))
			return &r->facts[i].value;
	}
	return &none;
}

void report_add_fact(struct report *r, const char *name, struct cell value)
{
	struct summary_item item = { .name = name, .value = value };

	if (value.type == CELL_TEXT)
		item.value = text_cell(&r->texts, value.s, &r->failed);
	if (!summary_add(&r->facts, &r->nr_facts, &item))
		r->failed = true;
}

void report_add_text_fact(struct report *r, const char *name, const char *text)
{
	report_add_fact(r, name,
			(struct cell){ .type = text ? CELL_TEXT : CELL_NONE, .s = text });
}

void report_add_banner(struct report *r, bool loud, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!lines_add(&r->banner, &r->nr_banner, loud ? "!" : "", fmt, ap))
		r->failed = true;
	va_end(ap);
}

void report_add_property(struct report *r, const char *name, bool loud, const char *fmt,
			 ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (array_grow(&r->properties, r->nr_properties, sizeof(*r->properties)) ||
	    vasprintf(&text, fmt, ap) < 0)
		r->failed = true;
	else
		r->properties[r->nr_properties++] = (struct property){ name, text, loud };
	va_end(ap);
}
