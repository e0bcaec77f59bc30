// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: OpenMetrics text, for monitoring.
 * In: rows by callsite, the largest first. Out: a family of samples for each figure.
 *
 * Samples of one family must stand together, so rows are kept until all are there; they are few,
 * as each is a time series for the reader.
 */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/sample.h"

static const struct {
	const char *family, *type, *unit, *suffix, *help;
	enum export_metric metric;
} families[] = {
	{ "kmemx_alloc_bytes", "counter", "bytes", "_total", "Bytes allocated.",
	  EXPORT_BYTES },
	{ "kmemx_allocs", "counter", NULL, "_total", "Allocations.", EXPORT_HIT },
	{ "kmemx_live_bytes", "gauge", "bytes", "",
	  "Bytes not seen freed at the end of the recording.", EXPORT_BYTES_LIVE },
	{ "kmemx_live_allocs", "gauge", NULL, "",
	  "Allocations not seen freed at the end of the recording.", EXPORT_LIVE },
	{ "kmemx_peak_bytes", "gauge", "bytes", "", "Bytes live at the peak.",
	  EXPORT_BYTES_PEAK },
};

/* Facts of the recording that say how far the figures can be trusted. */
static const struct {
	const char *fact, *family, *help;
} losses[] = {
	{ "nr_events", "kmemx_recorded_events", "Events in the recording." },
	{ "lost", "kmemx_lost_events", "Events known to be lost." },
	{ "gaps", "kmemx_gaps", "Gaps in the events of a CPU." },
	{ "missing", "kmemx_missing_events", "Events left in the ring buffers." },
};

struct kept_row {
	const char *allocator;
	uint32_t callsite;
	uint64_t values[EXPORT_METRICS];
	bool known[EXPORT_METRICS];
};

struct openmetrics {
	struct kept_row *rows;
	size_t nr, capacity;
};

static int openmetrics_row(struct export_job *job, const struct export_row *row)
{
	struct openmetrics *o = job->state;
	struct kept_row *kept;

	if (array_reserve(&o->rows, &o->capacity, o->nr + 1, sizeof(*o->rows)))
		return -ENOMEM;
	kept = &o->rows[o->nr++];
	kept->allocator = row->allocator;
	kept->callsite = row->frames[0];
	memcpy(kept->values, row->values, sizeof(kept->values));
	memcpy(kept->known, row->known, sizeof(kept->known));
	return 0;
}

/* A label's value: names are printable, so there is no line break in them. */
static void put_value(struct outbuf *out, const char *text)
{
	outbuf_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			outbuf_char(out, '\\');
		outbuf_char(out, *text);
	}
	outbuf_char(out, '"');
}

static void put_family(struct outbuf *out, const char *name, const char *type,
		       const char *unit, const char *help)
{
	outbuf_puts(out, "# TYPE ");
	outbuf_puts(out, name);
	outbuf_char(out, ' ');
	outbuf_puts(out, type);
	if (unit) {
		outbuf_puts(out, "\n# UNIT ");
		outbuf_puts(out, name);
		outbuf_char(out, ' ');
		outbuf_puts(out, unit);
	}
	outbuf_puts(out, "\n# HELP ");
	outbuf_puts(out, name);
	outbuf_char(out, ' ');
	outbuf_puts(out, help);
	outbuf_char(out, '\n');
}

static void put_rows(struct export_job *job, size_t family)
{
	const struct openmetrics *o = job->state;
	enum export_metric metric = families[family].metric;
	struct outbuf *out = &job->out;
	size_t i;

	for (i = 0; i < o->nr; i++) {
		const struct kept_row *row = &o->rows[i];

		if (!row->known[metric])
			continue;
		outbuf_puts(out, families[family].family);
		outbuf_puts(out, families[family].suffix);
		outbuf_puts(out, "{allocator=");
		put_value(out, row->allocator);
		outbuf_puts(out, ",callsite=");
		put_value(out, export_frame(job, row->callsite));
		outbuf_puts(out, "} ");
		outbuf_dec(out, row->values[metric]);
		outbuf_char(out, '\n');
	}
}

static void put_losses(struct export_job *job)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		const struct cell *value = export_fact(job, losses[i].fact);

		if (!value || value->type != CELL_UINT)
			continue;
		put_family(&job->out, losses[i].family, "gauge", NULL, losses[i].help);
		outbuf_puts(&job->out, losses[i].family);
		outbuf_char(&job->out, ' ');
		outbuf_dec(&job->out, value->u);
		outbuf_char(&job->out, '\n');
	}
}

/* What readers multiply with, as they have nowhere else to see that it is a sample. */
static void put_sample(struct export_job *job)
{
	static const char family[] = "kmemx_sample_one_in";
	const struct cell *rule = export_fact(job, "sample");
	struct sample s = { .one_in = 1 };

	if (rule && (rule->type != CELL_TEXT || sample_parse(&s, rule->s)))
		return;
	put_family(&job->out, family, "gauge", NULL,
		   "One in so many objects and pages is in the figures; 1: all are.");
	outbuf_puts(&job->out, family);
	outbuf_char(&job->out, ' ');
	outbuf_dec(&job->out, s.one_in);
	outbuf_char(&job->out, '\n');
}

static int openmetrics_end(struct export_job *job)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		put_family(&job->out, families[i].family, families[i].type,
			   families[i].unit, families[i].help);
		put_rows(job, i);
	}
	put_losses(job);
	put_sample(job);
	outbuf_puts(&job->out, "# EOF\n");
	return job->out.err;
}

static void openmetrics_free(void *state)
{
	struct openmetrics *o = state;

	free(o->rows);
}

const struct exporter exporter_openmetrics = {
	.name = "openmetrics",
	.help = "text with the largest callsites and one for all others (-l)",
	.opened_by = "Prometheus and anything else that reads OpenMetrics",
	.by = EXPORT_BY_CALLSITE,
	.rows = 50,
	.state_size = sizeof(struct openmetrics),
	.row = openmetrics_row,
	.end = openmetrics_end,
	.free = openmetrics_free,
};
