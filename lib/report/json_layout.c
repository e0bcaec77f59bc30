// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_layout.h"

static const struct table *find_table(const struct report *r, const char *name)
{
	static const struct table none = { .nr_rows = 0 };
	const struct table *t = report_table(r, name);

	return t ? t : &none;
}

void json_rows(struct json *j, const struct table *t)
{
	const struct cell *cell = t->cells;

	json_open(j, '[');
	for (size_t row = 0; row < t->nr_rows && !j->err; row++) {
		json_line(j);
		json_open(j, '{');
		for (size_t i = 0; i < t->nr_columns; i++, cell++) {
			json_key(j, t->columns[i].name);
			if ((t->columns[i].histogram || t->columns[i].series) &&
			    cell->type == CELL_TEXT)
				json_counts(j, cell->s);
			else if (t->columns[i].list && cell->type == CELL_TEXT)
				json_list(j, cell->s);
			else
				json_cell(j, cell);
		}
		json_close(j, '}');
	}
	json_line(j);
	json_close(j, ']');
}

static void put_cell_as_key(struct json *j, const struct cell *cell)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRIu64, cell->u);
	json_key(j, cell->type == CELL_TEXT ? cell->s : number);
}

static void put_map(struct json *j, const struct table *t)
{
	json_open(j, '{');
	for (size_t row = 0; row < t->nr_rows && !j->err; row++) {
		const struct cell *cells = &t->cells[row * t->nr_columns];

		json_line(j);
		put_cell_as_key(j, &cells[0]);
		json_cell(j, &cells[1]);
	}
	json_line(j);
	json_close(j, '}');
}

static void put_texts(struct json *j, const struct table *t, bool one_line)
{
	json_open(j, '[');
	for (size_t row = 0; row < t->nr_rows && !j->err; row++) {
		if (!one_line)
			json_line(j);
		json_cell(j, &t->cells[row * t->nr_columns]);
	}
	json_close(j, ']');
}

static void put_item(struct json *j, const struct report *r, const struct json_item *item)
{
	json_line(j);
	json_key(j, item->key);
	switch (item->shape) {
	case JSON_FACT:
		json_cell(j, report_fact(r, item->key));
		break;
	case JSON_ROWS:
		json_rows(j, find_table(r, item->key));
		break;
	case JSON_MAP:
		put_map(j, find_table(r, item->key));
		break;
	case JSON_TEXTS:
	case JSON_TEXTS_LINE:
		put_texts(j, find_table(r, item->key), item->shape == JSON_TEXTS_LINE);
		break;
	}
}

void json_layout(struct json *j, const struct report *r)
{
	const struct json_item *item;

	for (item = r->layout; item->key; item++)
		put_item(j, r, item);
}
