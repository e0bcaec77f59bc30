// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: speedscope's file format: a profile for each figure.
 * In: rows by callchain. Out: JSON, as specified by jlfwong/speedscope src/lib/file-format-spec.ts.
 *
 * Frames are numbered from 0, callchains have the outermost caller first. Profiles follow each
 * other in the file, so rows are stored until all have been added.
 */
#include "export/export.h"

#include "base/array.h"

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

/* A row: @nr frames from @first on, in the array of all frames. */
struct kept_row {
	size_t first, nr;
	uint64_t values[EXPORT_METRICS];
};

struct speedscope {
	struct kept_row *rows;
	size_t nr_rows, rows_capacity;
	uint32_t
		*frames; /* of all rows: the allocator first, then the outermost caller */
	size_t nr_frames, frames_capacity;
	bool known[EXPORT_METRICS];
};

static int speedscope_row(struct export_job *job, const struct export_row *row)
{
	struct speedscope *s = job->state;
	uint32_t root = intern_id(&job->frames, row->allocator, strlen(row->allocator));
	struct kept_row *kept;

	if (!root ||
	    array_reserve(&s->rows, &s->rows_capacity, s->nr_rows + 1,
			  sizeof(*s->rows)) ||
	    array_reserve(&s->frames, &s->frames_capacity,
			  s->nr_frames + row->nr_frames + 1, sizeof(*s->frames)))
		return -ENOMEM;
	kept = &s->rows[s->nr_rows++];
	kept->first = s->nr_frames;
	kept->nr = row->nr_frames + 1;
	s->frames[s->nr_frames++] = root;
	for (size_t i = row->nr_frames; i--;)
		s->frames[s->nr_frames++] = row->frames[i];
	for (size_t i = 0; i < EXPORT_METRICS; i++) {
		kept->values[i] = row->values[i];
		s->known[i] |= row->known[i];
	}
	return 0;
}

static int put_frames(struct export_job *job)
{
	int err = 0;

	outbuf_puts(&job->out, "\"shared\":{\"frames\":[");
	for (uint32_t i = 1; i <= job->frames.count && !err; i++) {
		outbuf_puts(&job->out, i > 1 ? ",\n{\"name\":" : "\n{\"name\":");
		err = export_json_text(job, export_frame(job, i));
		outbuf_char(&job->out, '}');
	}
	outbuf_puts(&job->out, "]},\n");
	return err;
}

/* Writes the callchains with a nonzero @metric. Returns the sum. */
static uint64_t put_samples(struct export_job *job, enum export_metric metric)
{
	struct speedscope *s = job->state;
	const char *comma = "";
	uint64_t sum = 0;

	outbuf_puts(&job->out, "\"samples\":[");
	for (size_t i = 0; i < s->nr_rows; i++) {
		const struct kept_row *row = &s->rows[i];

		if (!row->values[metric])
			continue;
		sum += row->values[metric];
		outbuf_puts(&job->out, comma);
		outbuf_char(&job->out, '[');
		for (size_t j = 0; j < row->nr; j++) {
			if (j)
				outbuf_char(&job->out, ',');
			outbuf_dec(&job->out, s->frames[row->first + j] - 1);
		}
		outbuf_char(&job->out, ']');
		comma = ",\n";
	}
	return sum;
}

static void put_weights(struct export_job *job, enum export_metric metric)
{
	const struct speedscope *s = job->state;
	const char *comma = "";

	outbuf_puts(&job->out, "],\n\"weights\":[");
	for (size_t i = 0; i < s->nr_rows; i++) {
		if (!s->rows[i].values[metric])
			continue;
		outbuf_puts(&job->out, comma);
		outbuf_dec(&job->out, s->rows[i].values[metric]);
		comma = ",";
	}
}

static void put_profiles(struct export_job *job)
{
	const struct speedscope *s = job->state;
	const char *comma = "";
	uint64_t sum;

	outbuf_puts(&job->out, "\"profiles\":[");
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		if (s->nr_rows && !s->known[profiles[i].metric])
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

static int speedscope_end(struct export_job *job)
{
	int err;

	outbuf_puts(
		&job->out,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
	err = put_frames(job);
	if (err)
		return err;
	put_profiles(job);
	/* How far the figures can be trusted is part of the name. */
	outbuf_puts(&job->out, "\"name\":");
	err = export_json_banner(job, ' ');
	outbuf_puts(&job->out,
		    ",\n\"activeProfileIndex\":0,\"exporter\":\"kmemx@" KMEMX_VERSION
		    "\"}\n");
	return err ?: job->out.err;
}

static void speedscope_free(void *state)
{
	struct speedscope *s = state;

	free(s->rows);
	free(s->frames);
}

const struct exporter exporter_speedscope = {
	.name = "speedscope",
	.help = "JSON with a profile for each figure: allocated, live, at the peak",
	.opened_by = "speedscope",
	.by = EXPORT_BY_STACK,
	.estimates = true,
	.state_size = sizeof(struct speedscope),
	.row = speedscope_row,
	.end = speedscope_end,
	.free = speedscope_free,
};
