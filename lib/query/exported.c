// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows from a recording, as made by kmemx export.
 * In: a report of the analysis "export". Out: the same rows as in its files.
 */
#include "query/ndjson.h"

#include <string.h>

#include "export/fields.h"

/* The receiver of rows, to which export_job.to->ctx points. */
struct taker {
	query_row_fn row;
	void *ctx;
};

static int nothing(void *ctx, const char *data, size_t size)
{
	return 0;
}

static int begin(struct export_job *job)
{
	return export_values_init(job->state, job);
}

static int take(struct export_job *job, const struct export_row *row)
{
	const struct taker *taker = job->to->ctx;
	struct export_values *v = job->state;
	struct query_row out = { 0 };
	int ret = export_values_row(v, job, row);

	for (unsigned int i = 0; i < EXPORT_FIELDS; i++) {
		const struct export_value *value = &v->of[i];

		if (!value->known)
			continue;
		out.of[i] = (struct query_value){ .text = value->text,
						  .number = value->number,
						  .known = true };
		if (!export_fields[i].number)
			out.of[i].size = strlen(value->text);
	}
	return ret ? ret : taker->row(taker->ctx, &out);
}

static void release(void *state)
{
	export_values_free(state);
}

static const struct exporter exporter_rows = {
	.name = "query",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct export_values),
	.begin = begin,
	.row = take,
	.free = release,
};

int query_exported(const struct export_options *opts, const struct report *report,
		   query_row_fn row, void *ctx)
{
	struct taker taker = { row, ctx };
	const struct render_out to = { nothing, &taker };

	return export_report(&exporter_rows, opts, report, &to);
}
