// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: speedscope's file format: a profile for each figure.
 * In: rows by callchain. Out: JSON, as specified by jlfwong/speedscope src/lib/file-format-spec.ts.
 *
 * Frames are numbered from 0, callchains have the outermost caller first. Profiles follow each
 * other in the file, so rows are stored until all have been added.
 */
#include "export/replay.h"

static const struct {
	const char *name, *unit;
	enum export_metric metric;
} profiles[] = {
	{ "allocated bytes", "bytes", EXPORT_BYTES },
	{ "allocations", "none", EXPORT_HIT },
	{ "live bytes", "bytes", EXPORT_BYTES_LIVE },
	{ "live allocations", "none", EXPORT_LIVE },
	{ "bytes at the peak", "bytes", EXPORT_BYTES_PEAK },
};

/* Writes the callchains with a nonzero @metric. Returns the sum. */
static uint64_t put_samples(struct export_job *job, enum export_metric metric)
{
	const struct replay *r = job->state;
	const char *comma = "";
	uint64_t sum = 0;

	outbuf_puts(&job->out, "\"samples\":[");
	for_each(row, r->rows.of, r->rows.nr) {
		if (!row->values[metric])
			continue;
		sum += row->values[metric];
		outbuf_puts(&job->out, comma);
		outbuf_char(&job->out, '[');
		for (size_t j = row->nr; j--;) {
			outbuf_dec(&job->out, row->frames[j] - 1);
			if (j)
				outbuf_char(&job->out, ',');
		}
		outbuf_char(&job->out, ']');
		comma = ",\n";
	}
	return sum;
}

static void put_weights(struct export_job *job, enum export_metric metric)
{
	const struct replay *r = job->state;
	const char *comma = "";

	outbuf_puts(&job->out, "],\n\"weights\":[");
	for (size_t i = 0; i < r->rows.nr; i++) {
		if (!r->rows.of[i].values[metric])
			continue;
		outbuf_puts(&job->out, comma);
		outbuf_dec(&job->out, r->rows.of[i].values[metric]);
		comma = ",";
	}
}

static void put_profiles(struct export_job *job)
{
	const struct replay *r = job->state;
	const char *comma = "";
	uint64_t sum;

	outbuf_puts(&job->out, "\"profiles\":[");
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		if (r->rows.nr && !r->known[profiles[i].metric])
			continue;
		export_put(job,
			   "%s\n{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\",",
			   comma, profiles[i].name, profiles[i].unit);
		outbuf_puts(&job->out, "\"startValue\":0,\n");
		sum = put_samples(job, profiles[i].metric);
		put_weights(job, profiles[i].metric);
		export_put(job, "],\n\"endValue\":%" PRIu64 "}", sum);
		comma = ",";
	}
	outbuf_puts(&job->out, "],\n");
}

static void speedscope_end(struct export_job *job)
{
	outbuf_puts(
		&job->out,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"shared\":{\"frames\":[");
	export_json_frames(job, "\n{\"name\":", ",\n{\"name\":", "}");
	outbuf_puts(&job->out, "]},\n");
	put_profiles(job);
	/* How far the figures can be trusted is part of the name. */
	outbuf_puts(&job->out, "\"name\":");
	export_json_banner(job, ' ');
	outbuf_puts(&job->out,
		    ",\n\"activeProfileIndex\":0,\"exporter\":\"kmemx@" KMEMX_VERSION
		    "\"}\n");
}

const struct exporter exporter_speedscope = {
	.name = "speedscope",
	.help = "JSON with a profile for each figure: allocated, live, at the peak",
	.opened_by = "speedscope",
	.by = EXPORT_BY_STACK,
	.estimates = true,
	.state_size = sizeof(struct replay),
	.row = replay_add,
	.end = speedscope_end,
	.free = replay_free,
};
