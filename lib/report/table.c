// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>

#include "base/array.h"
#include "base/safe_text.h"

/* Copies @text to @texts. NULL: @text is NULL, or memory ran out. */
static const char *keep(struct intern *texts, const char *text, bool *failed)
{
	uint32_t id = text ? intern_id(texts, text, strlen(text)) : 0;

	*failed |= text && !id;
	return id ? intern_get(texts, id, NULL) : NULL;
}

/* The same for a heading; makes foreign names in it safe to show. */
static const char *keep_title(struct intern *texts, const char *title, bool *failed)
{
	struct strbuf __auto_free safe = { 0 };

	safe_text_puts(&safe, title);
	*failed |= safe.failed;
	return keep(texts, strbuf_text(&safe), failed);
}

/* The same for a formatted text, which follows @lead. */
static __printf_fmt(4, 0) const
	char *keep_format(struct intern *texts, bool *failed, const char *lead,
			  const char *fmt, va_list ap)
{
	struct strbuf __auto_free sb = { 0 };
	char *text __auto_mem = NULL;

	if (vasprintf(&text, fmt, ap) < 0) {
		text = NULL;
		*failed = true;
		return NULL;
	}
	strbuf_puts(&sb, lead);
	strbuf_puts(&sb, text);
	*failed |= sb.failed;
	return keep(texts, strbuf_text(&sb), failed);
}

struct table *table_new(const char *name, const char *title)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->share = -1;
	t->name = keep(&t->texts, name, &t->failed);
	t->title = keep(&t->texts, title, &t->failed);
	if (!t->name || t->failed) {
		table_free(t);
		return NULL;
	}
	return t;
}

/* Frees everything in @t. */
static void table_empty(struct table *t)
{
	free(t->columns);
	free(t->cells);
	free(t->summary);
	free(t->notes);
	free(t->legend);
	free(t->text_out);
	intern_free(&t->texts);
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

void table_set_by(struct table *t, const char *by)
{
	t->by = keep(&t->texts, by, &t->failed);
}

void table_set_title(struct table *t, const char *title)
{
	t->title = keep(&t->texts, title, &t->failed);
}

void table_set_summary_title(struct table *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	t->summary_title = keep_format(&t->texts, &t->failed, "", fmt, args);
	va_end(args);
}

void table_add_column(struct table *t, const struct column *col)
{
	struct column *column;

	if (array_grow_size(&t->columns, t->nr_columns, sizeof(*column)) || t->nr_rows) {
		t->failed = true;
		return;
	}
	column = &t->columns[t->nr_columns++];
	*column = *col;
	column->name = keep(&t->texts, col->name, &t->failed);
	column->title =
		keep_title(&t->texts, col->title ? col->title : col->name, &t->failed);
	column->per = keep(&t->texts, col->per, &t->failed);
	column->mark = keep(&t->texts, col->mark, &t->failed);
}

void table_add_columns(struct table *t, const struct column *cols, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		table_add_column(t, &cols[i]);
}

struct cell *table_add_row(struct table *t)
{
	size_t size = t->nr_columns * sizeof(*t->cells);

	/* After a failure, a column may be missing, and the caller would write to its cell. */
	if (!t->failed && array_reserve_size(&t->cells, &t->rows_capacity, t->nr_rows + 1,
					     size ? size : 1))
		t->failed = true;
	return t->failed ? NULL
			 : memset(t->cells + t->nr_rows++ * t->nr_columns, 0, size);
}

void table_put_cells(struct table *t, const struct cell *cells, size_t nr)
{
	struct cell *row = table_add_row(t);

	if (row)
		memcpy(row, cells,
		       (nr < t->nr_columns ? nr : t->nr_columns) * sizeof(*row));
}

void table_note_if(struct table *t, bool condition, const char *fmt, ...)
{
	const char *note;
	va_list ap;

	if (!condition)
		return;
	va_start(ap, fmt);
	note = keep_format(&t->texts, &t->failed, "", fmt, ap);
	if (!note || ARRAY_ADD(t->notes, t->nr_notes, note))
		t->failed = true;
	va_end(ap);
}

/* Appends @item with copies of its strings among @texts. False if memory ran out. */
static bool summary_add(struct intern *texts, struct summary_item **items, size_t *nr,
			const struct summary_item *item)
{
	struct summary_item added = *item;
	bool failed = false;

	added.name = keep(texts, item->name, &failed);
	added.title = keep_title(texts, item->title ? item->title : item->name, &failed);
	return !failed && !ARRAY_ADD(*items, *nr, added);
}

void table_add_summary_items(struct table *t, const struct summary_item *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		/* The name is NULL if the caller had no memory for it. */
		if (!items[i].name ||
		    !summary_add(&t->texts, &t->summary, &t->nr_summary, &items[i]))
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

const struct cell *table_sum(const struct table *t, const char *name)
{
	const struct summary_item *found = FIND(
		line, t->summary, name ? t->nr_summary : 0, !strcmp(line->name, name));

	return found ? &found->value : NULL;
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
	const char *kept = keep(texts, s, failed);

	return (struct cell){ .type = kept ? CELL_TEXT : CELL_NONE, .s = kept };
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

bool table_ordered_by(const struct table *t, const char *name)
{
	const char *key = t->sorted_by ? t->sorted_by : "";

	key += strspn(key, "+-");
	return strcspn(key, ",") == strlen(name) && !strncmp(key, name, strlen(name));
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

	return column >= 0 &&
	       ANY(row, t->nr_rows, table_cell(t, row, column)->type != CELL_NONE);
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

void table_show_range(struct table *t, const char *name)
{
	const struct column *column = name ? table_find_column(t, name) : NULL;
	const char *figure = column && column->range_of ? column->range_of : name;
	bool differ = false;

	for_each(col, t->columns, t->nr_columns) {
		/* The reason's column has no unit, and has a value only where the ends differ. */
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
	free(r->facts);
	free(r->banner);
	free(r->properties);
	intern_free(&r->texts);
	table_empty(&r->spare);
	free(r);
}

bool report_ok(const struct report *r)
{
	if (!r || r->failed)
		return false;
	return !ANY(i, r->nr_tables, !table_ok(r->tables[i]));
}

const struct table *report_table(const struct report *r, const char *name)
{
	struct table **found =
		FIND(t, r->tables, name ? r->nr_tables : 0, !strcmp((*t)->name, name));

	return found ? *found : NULL;
}

bool report_add_table(struct report *r, struct table *t)
{
	if (!t || array_grow(&r->tables, r->nr_tables)) {
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
	const struct summary_item *found =
		FIND(fact, r->facts, r->nr_facts, !strcmp(fact->name, name));

	return found ? &found->value : &none;
}

void report_add_fact(struct report *r, const char *name, struct cell value)
{
	struct summary_item item = { .name = name, .value = value };

	if (value.type == CELL_TEXT)
		item.value = text_cell(&r->texts, value.s, &r->failed);
	if (!summary_add(&r->texts, &r->facts, &r->nr_facts, &item))
		r->failed = true;
}

void report_add_text_fact(struct report *r, const char *name, const char *text)
{
	report_add_fact(r, name,
			(struct cell){ .type = text ? CELL_TEXT : CELL_NONE, .s = text });
}

void report_banner_if(struct report *r, bool condition, bool loud, const char *fmt, ...)
{
	const char *line;
	va_list ap;

	if (!condition)
		return;
	va_start(ap, fmt);
	line = keep_format(&r->texts, &r->failed, loud ? "!" : "", fmt, ap);
	if (!line || ARRAY_ADD(r->banner, r->nr_banner, line))
		r->failed = true;
	va_end(ap);
}

void report_add_property(struct report *r, const char *name, bool loud, const char *fmt,
			 ...)
{
	struct property property = { name, NULL, loud };
	va_list ap;

	va_start(ap, fmt);
	property.text = keep_format(&r->texts, &r->failed, "", fmt, ap);
	if (!property.text || ARRAY_ADD(r->properties, r->nr_properties, property))
		r->failed = true;
	va_end(ap);
}
