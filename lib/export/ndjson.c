// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: rows for a database, one JSON object per line.
 * In: rows by callchain, with labels. Out: the same, each with the recording's properties.
 */
#include <errno.h>
#include <inttypes.h>

#include "export/fields.h"
#include "report/json.h"

/**
 * struct ndjson - rows being written
 * @head: the start of every row: values common to all rows
 * @line: the current row
 */
struct ndjson {
	struct export_values values;
	struct strbuf head, line;
};

/* Appends the fields from @first to before @end. */
static void put_fields(struct strbuf *sb, const struct ndjson *n, unsigned int first,
		       unsigned int end)
{
	unsigned int i;

	for (i = first; i < end; i++) {
		const struct export_value *v = &n->values.of[i];

		strbuf_puts(sb, i ? ",\"" : "{\"");
		strbuf_puts(sb, export_fields[i].name);
		strbuf_add(sb, "\":", 2);
		if (!v->known)
			strbuf_puts(sb, "null");
		else if (export_fields[i].number)
			strbuf_printf(sb, "%" PRIu64, v->number);
		else
			json_quote(sb, v->text);
	}
}

static int ndjson_begin(struct export_job *job)
{
	struct ndjson *n = job->state;
	int ret = export_values_init(&n->values, job);

	put_fields(&n->head, n, 0, EXPORT_FIELDS_SAME);
	return n->head.failed ? -ENOMEM : ret;
}

static int ndjson_row(struct export_job *job, const struct export_row *row)
{
	struct ndjson *n = job->state;
	int ret = export_values_row(&n->values, job, row);

	strbuf_reset(&n->line);
	put_fields(&n->line, n, EXPORT_FIELDS_SAME, EXPORT_FIELDS);
	strbuf_puts(&n->line, "}\n");
	if (ret || n->line.failed)
		return -ENOMEM;
	outbuf_add(&job->out, strbuf_text(&n->head), n->head.size);
	outbuf_add(&job->out, strbuf_text(&n->line), n->line.size);
	return job->out.err;
}

static int ndjson_end(struct export_job *job)
{
	return 0;
}

static void ndjson_free(void *state)
{
	struct ndjson *n = state;

	export_values_free(&n->values);
	strbuf_free(&n->head);
	strbuf_free(&n->line);
}

const struct exporter exporter_ndjson = {
	.name = "ndjson",
	.help = "a JSON object per line for each row, for a database",
	.opened_by = "DuckDB, ClickHouse, Spark, jq, pandas",
	.suffix = "ndjson",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct ndjson),
	.begin = ndjson_begin,
	.row = ndjson_row,
	.end = ndjson_end,
	.free = ndjson_free,
};
