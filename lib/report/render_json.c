// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the JSON renderer.
 * In: a report. Out: one JSON object, documented in Documentation/json.md.
 */
#include "report/json.h"
#include "report/json_layout.h"

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

static void render_columns(struct json *j, const struct table *t)
{
	json_key_open(j, "columns", '[');
	for (size_t i = 0; i < t->nr_columns; i++) {
		json_line(j);
		json_open(j, '{');
		json_key_string(j, "name", t->columns[i].name);
		json_key_string(j, "unit", column_unit_name(t->columns[i].unit));
		json_close(j, '}');
	}
	json_line(j);
	json_close(j, ']');
}

static void render_items(struct json *j, const char *key,
			 const struct summary_item *items, size_t nr)
{
	json_key_open(j, key, '{');
	for (size_t i = 0; i < nr; i++) {
		json_line(j);
		json_key(j, items[i].name);
		json_cell(j, &items[i].value);
	}
	json_line(j);
	json_close(j, '}');
}

/* Writes the notes that text has besides facts and rows, after @first, which may be NULL. A banner
 * repeats the facts, so only its loud lines are written, without the mark that text uses.
 */
static void render_notes(struct json *j, const char *first, char *const *notes, size_t nr,
			 bool banner)
{
	size_t nr_shown = first ? 1 : 0;

	json_key_open(j, "notes", '[');
	if (first) {
		json_line(j);
		json_string(j, first);
	}
	for (size_t i = 0; i < nr; i++) {
		bool loud = *notes[i] == '!';

		if (banner && !loud)
			continue;
		json_line(j);
		json_string(j, notes[i] + loud);
		nr_shown++;
	}
	if (nr_shown)
		json_line(j);
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
	json_line(j);
	json_open(j, '{');
	json_line(j);
	json_key_string(j, "name", t->name);
	json_line(j);
	json_key_string(j, "by", t->by);
	json_line(j);
	json_key_uint(j, "rows_total", t->nr_rows_total ? t->nr_rows_total : t->nr_rows);
	json_line(j);
	json_key_string(j, "sorted_by", t->sorted_by);
	json_line(j);
	render_columns(j, t);
	json_line(j);
	json_key(j, "rows");
	json_rows(j, t);
	json_line(j);
	render_items(j, "summary", t->summary, t->nr_summary);
	json_line(j);
	render_bounds(j, t);
	json_line(j);
	render_table_notes(j, t);
	json_line(j);
	json_close(j, '}');
}

static void render_reports(struct json *j, const struct report *r)
{
	json_line(j);
	render_items(j, r->subject ? r->subject : "recording", r->facts, r->nr_facts);
	json_line(j);
	render_notes(j, NULL, r->banner, r->nr_banner, true);
	json_line(j);
	json_key_open(j, "reports", '[');
	for (size_t i = 0; i < r->nr_tables; i++)
		render_table(j, r->tables[i]);
	json_line(j);
	json_close(j, ']');
}

int render_json(const struct report *r, const struct render_options *opts,
		const struct render_out *out)
{
	struct json j = json_begin(out);

	json_open(&j, '{');
	json_line(&j);
	json_key_uint(&j, "schema_version", SCHEMA_VERSION);
	if (r->layout)
		json_layout(&j, r);
	else
		render_reports(&j, r);
	json_line(&j);
	json_close(&j, '}');
	return json_end(&j);
}
