// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: rows for a database or a spreadsheet: CSV, and one JSON object per line.
 * In: rows by callchain, with labels. Out: the same, each with the recording's properties.
 *
 * CSV has a header, is quoted as in RFC 4180, and its lines end in LF; unknown values are empty.
 */

#include "export/fields.h"
#include "report/json.h"

/**
 * struct rows - rows being written
 * @head: the start of every row: values common to all rows
 * @line: the current row
 */
struct rows {
	struct export_values values;
	struct strbuf head, line;
	/* Appends the value of field @i, and what separates it from others. */
	void (*put)(struct strbuf *sb, unsigned int i, const struct export_value *v);
};

static void put_csv(struct strbuf *sb, unsigned int i, const struct export_value *v)
{
	if (v->known && export_fields[i].number)
		strbuf_printf(sb, "%" PRIu64, v->number);
	else if (v->known)
		csv_quote(sb, v->text);
	strbuf_puts(sb, i + 1 < EXPORT_FIELDS ? "," : "\n");
}

static void put_json(struct strbuf *sb, unsigned int i, const struct export_value *v)
{
	strbuf_puts(sb, i ? ",\"" : "{\"");
	strbuf_puts(sb, export_fields[i].name);
	strbuf_add(sb, "\":", 2);
	if (!v->known)
		strbuf_puts(sb, "null");
	else if (export_fields[i].number)
		strbuf_printf(sb, "%" PRIu64, v->number);
	else
		json_quote(sb, v->text);
	if (i + 1 == EXPORT_FIELDS)
		strbuf_puts(sb, "}\n");
}

static void rows_begin(struct export_job *job)
{
	struct rows *r = job->state;

	export_values_init(&r->values, job);
	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++)
		r->put(&r->head, i, &r->values.of[i]);
	export_fail(job, r->head.failed ? -ENOMEM : 0);
}

static void rows_row(struct export_job *job, const struct export_row *row)
{
	struct rows *r = job->state;

	export_values_row(&r->values, job, row);
	strbuf_reset(&r->line);
	for (unsigned int i = EXPORT_FIELDS_SAME; i < EXPORT_FIELDS; i++)
		r->put(&r->line, i, &r->values.of[i]);
	export_fail(job, r->line.failed ? -ENOMEM : 0);
	outbuf_add(&job->out, strbuf_text(&r->head), r->head.size);
	outbuf_add(&job->out, strbuf_text(&r->line), r->line.size);
}

static void csv_begin(struct export_job *job)
{
	for (unsigned int i = 0; i < EXPORT_FIELDS; i++) {
		outbuf_puts(&job->out, export_fields[i].name);
		outbuf_char(&job->out, i + 1 < EXPORT_FIELDS ? ',' : '\n');
	}
	((struct rows *)job->state)->put = put_csv;
	rows_begin(job);
}

static void ndjson_begin(struct export_job *job)
{
	((struct rows *)job->state)->put = put_json;
	rows_begin(job);
}

static void rows_free(void *state)
{
	struct rows *r = state;

	export_values_free(&r->values);
	strbuf_free(&r->head);
	strbuf_free(&r->line);
}

const struct exporter exporter_csv = {
	.name = "csv",
	.help = "the same rows as ndjson, with commas, and a header",
	.opened_by = "SQLite, DuckDB, ClickHouse, spreadsheets",
	.suffix = "csv",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct rows),
	.begin = csv_begin,
	.row = rows_row,
	.free = rows_free,
};

const struct exporter exporter_ndjson = {
	.name = "ndjson",
	.help = "a JSON object per line for each row, for a database",
	.opened_by = "DuckDB, ClickHouse, Spark, jq, pandas",
	.suffix = "ndjson",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct rows),
	.begin = ndjson_begin,
	.row = rows_row,
	.free = rows_free,
};
