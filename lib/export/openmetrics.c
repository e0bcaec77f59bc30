// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: OpenMetrics text, and Prometheus text (format 0.0.4), for monitoring.
 * In: rows by callsite, the largest first. Out: a family of samples for each figure.
 *
 * The formats differ in three points. In Prometheus text a counter's family has the name of its
 * samples, in OpenMetrics the name without "_total". Only OpenMetrics has units, and a last line "#
 * EOF".
 *
 * Samples of one family must be consecutive, so rows are stored until all have been added. They are
 * few, as each is a time series for the reader.
 */
#include "export/replay.h"

static const struct {
	const char *family, *type, *unit, *suffix, *help;
	enum export_metric metric;
} families[] = {
	{ "kmemx_alloc_bytes", "counter", "bytes", "_total", "Bytes allocated.",
	  EXPORT_BYTES },
	{ "kmemx_allocs", "counter", NULL, "_total", "Allocations.", EXPORT_HIT },
	{ "kmemx_live_bytes", "gauge", "bytes", "",
	  "Bytes live at the end of the recording: the best estimate.",
	  EXPORT_BYTES_LIVE },
	{ "kmemx_live_allocs", "gauge", NULL, "",
	  "Allocations live at the end of the recording: the best estimate.",
	  EXPORT_LIVE },
	{ "kmemx_peak_bytes", "gauge", "bytes", "", "Bytes live at the peak.",
	  EXPORT_BYTES_PEAK },
};

/* Facts that tell how far the figures can be trusted. */
static const struct {
	const char *fact, *family, *help;
} losses[] = {
	{ "nr_events", "kmemx_recorded_events", "Events in the recording." },
	{ "lost", "kmemx_lost_events", "Events known to be lost." },
	{ "gaps", "kmemx_gaps", "Gaps in the events of a CPU." },
	{ "missing", "kmemx_missing_events", "Events left in the ring buffers." },
};

/* Writes a label's value: names are printable, so they contain no line break. */
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

static void put_gauge(struct export_job *job, const char *name, const char *help,
		      uint64_t value)
{
	export_put(job, "# TYPE %s gauge\n# HELP %s %s\n", name, name, help);
	export_put(job, "%s %" PRIu64 "\n", name, value);
}

static void put_family(struct export_job *job, size_t i, bool open)
{
	const char *name = families[i].family, *suffix = open ? "" : families[i].suffix;

	export_put(job, "# TYPE %s%s %s\n", name, suffix, families[i].type);
	if (open && families[i].unit)
		export_put(job, "# UNIT %s%s %s\n", name, suffix, families[i].unit);
	export_put(job, "# HELP %s%s %s\n", name, suffix, families[i].help);
}

static void put_rows(struct export_job *job, size_t family)
{
	const struct replay *r = job->state;
	enum export_metric metric = families[family].metric;
	struct outbuf *out = &job->out;

	for (size_t i = 0; i < r->rows.nr && r->known[metric]; i++) {
		const struct replay_row *row = &r->rows.of[i];

		export_put(job, "%s%s{allocator=", families[family].family,
			   families[family].suffix);
		put_value(out, export_frame(job, row->frames[row->nr - 1]));
		outbuf_puts(out, ",callsite=");
		put_value(out, export_frame(job, row->frames[0]));
		export_put(job, "} %" PRIu64 "\n", row->values[metric]);
	}
}

static void put_losses(struct export_job *job)
{
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		const struct cell *value = export_fact(job, losses[i].fact);

		if (!value || value->type != CELL_UINT)
			continue;
		put_gauge(job, losses[i].family, losses[i].help, value->u);
	}
}

/* Writes the factor by which readers must multiply, as nothing else tells them that it
 * is a sample.
 */
static void put_sample(struct export_job *job)
{
	const struct cell *rule = export_fact(job, "sample");
	struct sample s = { .one_in = 1 };

	if (rule && (rule->type != CELL_TEXT || sample_parse(&s, rule->s)))
		return;
	put_gauge(job, "kmemx_sample_one_in",
		  "One in so many objects and pages is in the figures; 1: all are.",
		  s.one_in);
}

static void put_all(struct export_job *job, bool open)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		put_family(job, i, open);
		put_rows(job, i);
	}
	put_losses(job);
	put_sample(job);
}

static void openmetrics_end(struct export_job *job)
{
	put_all(job, true);
	outbuf_puts(&job->out, "# EOF\n");
}

static void prometheus_end(struct export_job *job)
{
	put_all(job, false);
}

const struct exporter exporter_openmetrics = {
	.name = "openmetrics",
	.help = "text with the largest callsites and one for all others (-l)",
	.opened_by = "Prometheus, promtool tsdb, others that read OpenMetrics",
	.by = EXPORT_BY_CALLSITE,
	.estimates = true,
	.rows = 50,
	.state_size = sizeof(struct replay),
	.row = replay_add,
	.end = openmetrics_end,
	.free = replay_free,
};

const struct exporter exporter_prometheus = {
	.name = "prometheus",
	.help = "the same in the text format of Prometheus, 0.0.4 (-l)",
	.opened_by = "node_exporter (textfile), Pushgateway, promtool",
	.by = EXPORT_BY_CALLSITE,
	.estimates = true,
	.rows = 50,
	.state_size = sizeof(struct replay),
	.row = replay_add,
	.end = prometheus_end,
	.free = replay_free,
};
