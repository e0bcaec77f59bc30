// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the JSON renderer.
 * In: a report. Out: one JSON object, documented in Documentation/json.md.
 */
#include "report/json.h"

#define SCHEMA_VERSION 2

const char *column_unit_name(enum column_unit unit)
{
	static const char *const names[] = {
		[UNIT_NONE] = "none",	    [UNIT_BYTES] = "bytes",
		[UNIT_COUNT] = "count",	    [UNIT_PERCENT] = "percent",
		[UNIT_SHARE] = "percent",   [UNIT_NS] = "ns",
		[UNIT_TIME] = "ns",	    [UNIT_MOMENT] = "ns",
		[UNIT_PAGES] = "pages",	    [UNIT_PFN] = "pfn",
		[UNIT_ADDRESS] = "address",
	};

	return (size_t)unit < ARRAY_SIZE(names) ? names[unit] : "none";
}

static void put_rows(struct json *j, const struct table *t)
{
	const struct cell *cell = t->cells;

	json_open_lines(j, '[');
	for (size_t row = 0; row < t->nr_rows && !j->err; row++) {
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
	json_close(j, ']');
}

static void put_map(struct json *j, const struct table *t)
{
	json_open_lines(j, '{');
	for (size_t row = 0; row < t->nr_rows && !j->err; row++) {
		const struct cell *cells = &t->cells[row * t->nr_columns];
		char number[24];

		snprintf(number, sizeof(number), "%" PRIu64, cells[0].u);
		json_key(j, cells[0].type == CELL_TEXT ? cells[0].s : number);
		json_cell(j, &cells[1]);
	}
	json_close(j, '}');
}

static void put_texts(struct json *j, const struct table *t, bool one_line)
{
	(one_line ? json_open : json_open_lines)(j, '[');
	for (size_t row = 0; row < t->nr_rows && !j->err; row++)
		json_cell(j, &t->cells[row * t->nr_columns]);
	j->lines &= ~(1U << j->depth); /* the bracket follows the last text */
	json_close(j, ']');
}

/* The report is one object. */
static void put_layout(struct json *j, const struct report *r)
{
	static const struct table none = { .nr_rows = 0 };
	const struct json_table *table;

	for (size_t i = 0; r->layout->facts[i]; i++) {
		json_key(j, r->layout->facts[i]);
		json_cell(j, report_fact(r, r->layout->facts[i]));
	}
	for (table = r->layout->tables; table->name; table++) {
		const struct table *t = report_table(r, table->name) ?: &none;

		json_key(j, table->name);
		if (table->shape == JSON_ROWS)
			put_rows(j, t);
		else if (table->shape == JSON_MAP)
			put_map(j, t);
		else
			put_texts(j, t, table->shape == JSON_TEXTS_LINE);
	}
}

static void render_columns(struct json *j, const struct table *t)
{
	json_key(j, "columns");
	json_open_lines(j, '[');
	for (size_t i = 0; i < t->nr_columns; i++) {
		json_open(j, '{');
		json_key_string(j, "name", t->columns[i].name);
		json_key_string(j, "unit", column_unit_name(t->columns[i].unit));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void render_items(struct json *j, const char *key,
			 const struct summary_item *items, size_t nr)
{
	json_key(j, key);
	json_open_lines(j, '{');
	for (size_t i = 0; i < nr; i++) {
		json_key(j, items[i].name);
		json_cell(j, &items[i].value);
	}
	json_close(j, '}');
}

/* Writes text's notes, after @first, which may be NULL. A banner repeats the facts, so only its
 * loud lines are written, without their '!'.
 */
static void render_notes(struct json *j, const char *first, const char *const *notes,
			 size_t nr, bool banner)
{
	bool any = first || ANY(i, nr, !banner || *notes[i] == '!');

	json_key(j, "notes");
	(any ? json_open_lines : json_open)(j, '[');
	if (first)
		json_string(j, first);
	for (size_t i = 0; i < nr; i++) {
		bool loud = *notes[i] == '!';

		if (!banner || loud)
			json_string(j, notes[i] + loud);
	}
	json_close(j, ']');
}

/* Writes the names of the summary's values that are only bounds because of losses. */
static void render_bounds(struct json *j, const struct table *t)
{
	json_key_open(j, "bounds", '[');
	for (size_t i = 0; i < t->nr_summary; i++) {
		if (t->summary[i].bound)
			json_string(j, t->summary[i].name);
	}
	json_close(j, ']');
}

static void render_table_notes(struct json *j, const struct table *t)
{
	struct strbuf __auto_free legend = { 0 };
	bool any = table_legend(t, t->nr_rows, &legend);

	render_notes(j, any ? strbuf_text(&legend) : NULL, t->notes, t->nr_notes, false);
	j->sb.failed |= legend.failed;
}

static void render_table(struct json *j, const struct table *t)
{
	json_open_lines(j, '{');
	json_key_string(j, "name", t->name);
	json_key_string(j, "by", t->by);
	json_key_uint(j, "rows_total", t->nr_rows_total ? t->nr_rows_total : t->nr_rows);
	json_key_string(j, "sorted_by", t->sorted_by);
	render_columns(j, t);
	json_key(j, "rows");
	put_rows(j, t);
	render_items(j, "summary", t->summary, t->nr_summary);
	render_bounds(j, t);
	render_table_notes(j, t);
	json_close(j, '}');
}

static void render_reports(struct json *j, const struct report *r)
{
	render_items(j, r->subject ? r->subject : "recording", r->facts, r->nr_facts);
	render_notes(j, NULL, r->banner, r->nr_banner, true);
	json_key(j, "reports");
	json_open_lines(j, '[');
	for (size_t i = 0; i < r->nr_tables; i++)
		render_table(j, r->tables[i]);
	json_close(j, ']');
}

int render_json(const struct report *r, const struct render_options *opts,
		const struct render_out *out)
{
	struct json j = json_begin(out);

	json_open_lines(&j, '{');
	json_key_uint(&j, "schema_version", SCHEMA_VERSION);
	if (r->layout)
		put_layout(&j, r);
	else
		render_reports(&j, r);
	json_close(&j, '}');
	return json_end(&j);
}
