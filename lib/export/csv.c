// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: rows for a database or a spreadsheet, with commas between values.
 * In: rows by callchain, with labels. Out: a header, then the rows, quoted as in RFC 4180, lines
 * ending in LF. Unknown values are empty.
 */
#include <errno.h>
#include <inttypes.h>

#include "export/fields.h"

/**
 * struct csv - rows being written
 * @head: the start of every row: values common to all rows
 * @line: the current row
 */
struct csv {
	struct export_values values;
	struct strbuf head, line;
};

/* Appends the fields from @first to before @end, each with its separator. */
static void put_fields(struct strbuf *sb, const struct csv *c, unsigned int first,
		       unsigned int end)
{
	unsigned int i;

	for (i = first; i < end; i++) {
		const struct export_value *v = &c->values.of[i];

		if (v->known && export_fields[i].number)
			strbuf_printf(sb, "%" PRIu64, v->number);
		else if (v->known)
			csv_quote(sb, v->text);
		strbuf_puts(sb, i + 1 < EXPORT_FIELDS ? "," : "\n");
	}
}

static int csv_begin(struct export_job *job)
{
	struct csv *c = job->state;
	int ret = export_values_init(&c->values, job);
	unsigned int i;

	for (i = 0; i < EXPORT_FIELDS; i++) {
		outbuf_puts(&job->out, export_fields[i].name);
		outbuf_char(&job->out, i + 1 < EXPORT_FIELDS ? ',' : '\n');
	}
	put_fields(&c->head, c, 0, EXPORT_FIELDS_SAME);
	return c->head.failed ? -ENOMEM : ret;
}

static int csv_row(struct export_job *job, const struct export_row *row)
{
	struct csv *c = job->state;
	int ret = export_values_row(&c->values, job, row);

	strbuf_reset(&c->line);
	put_fields(&c->line, c, EXPORT_FIELDS_SAME, EXPORT_FIELDS);
	if (ret || c->line.failed)
		return -ENOMEM;
	outbuf_add(&job->out, strbuf_text(&c->head), c->head.size);
	outbuf_add(&job->out, strbuf_text(&c->line), c->line.size);
	return job->out.err;
}

static int csv_end(struct export_job *job)
{
	return 0;
}

static void csv_free(void *state)
{
	struct csv *c = state;

	export_values_free(&c->values);
	strbuf_free(&c->head);
	strbuf_free(&c->line);
}

const struct exporter exporter_csv = {
	.name = "csv",
	.help = "the same rows as ndjson, with commas, and a header",
	.opened_by = "SQLite, DuckDB, ClickHouse, spreadsheets",
	.suffix = "csv",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct csv),
	.begin = csv_begin,
	.row = csv_row,
	.end = csv_end,
	.free = csv_free,
};
