// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: pprof's profile, as google/pprof proto/profile.proto describes it.
 * In: rows by callchain, with labels. Out: a gzip-compressed message.
 *
 * Samples are written as rows arrive. The tables that their numbers refer to follow, which protocol
 * buffers allow. A frame has one location and one function with the same number.
 */
#include "export/export.h"

#include "export/wire.h"

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT = 14
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };
enum {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3 };

/* Counts first, as the format's documentation requires. */
static const struct {
	const char *name, *unit;
	enum export_metric metric;
} types[] = {
	{ "alloc_objects", "count", EXPORT_HIT },
	{ "alloc_space", "bytes", EXPORT_BYTES },
	{ "inuse_objects", "count", EXPORT_LIVE },
	{ "inuse_space", "bytes", EXPORT_BYTES_LIVE },
	{ "peak_space", "bytes", EXPORT_BYTES_PEAK },
};

/**
 * struct pprof - a profile being written
 * @strings: numbered as in the file, where 0 is the empty text
 * @modules: number 1 is the kernel; mapping n is module n
 * @started: the sample types have been written
 * @known: which of @types the rows have
 * @out: complete messages; @part, @inner: messages being built
 */
struct pprof {
	struct strbuf out;
	struct intern strings, modules;
	bool started;
	bool known[ARRAY_SIZE(types)];
	struct strbuf part, inner;
};

static uint64_t string_number(struct export_job *job, const char *text, size_t size)
{
	struct pprof *p = job->state;
	uint32_t id = size ? intern_id(&p->strings, text, size) : 0;

	export_fail(job, size && !id ? -ENOMEM : 0);
	return id;
}

static uint64_t string(struct export_job *job, const char *text)
{
	return string_number(job, text, strlen(text));
}

static void pass_on(struct export_job *job)
{
	struct pprof *p = job->state;

	if (p->out.failed || p->part.failed || p->inner.failed)
		export_fail(job, -ENOMEM);
	outbuf_add(&job->out, strbuf_text(&p->out), p->out.size);
	strbuf_reset(&p->out);
}

/* @row: the first one, as all rows have the same metrics; NULL: no rows. */
static void put_types(struct export_job *job, const struct export_row *row)
{
	struct pprof *p = job->state;

	p->started = true;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		p->known[i] = !row || row->known[types[i].metric];
		if (!p->known[i])
			continue;
		proto_uint(&p->part, TYPE_TYPE, string(job, types[i].name));
		proto_uint(&p->part, TYPE_UNIT, string(job, types[i].unit));
		proto_message(&p->out, PROFILE_SAMPLE_TYPE, &p->part);
	}
	proto_uint(&p->out, PROFILE_DEFAULT, string(job, "alloc_space"));
}

static void put_label(struct export_job *job, const struct export_label *label)
{
	struct pprof *p = job->state;

	proto_uint(&p->inner, LABEL_KEY, string(job, label->name));
	if (label->text)
		proto_uint(&p->inner, LABEL_STR, string(job, label->text));
	else
		proto_uint(&p->inner, LABEL_NUM, (uint64_t)label->number);
	proto_message(&p->part, SAMPLE_LABEL, &p->inner);
}

static void pprof_row(struct export_job *job, const struct export_row *row)
{
	const struct export_label allocator = { .name = "allocator",
						.text = row->allocator };
	struct pprof *p = job->state;

	if (!p->started)
		put_types(job, row);
	for (size_t i = 0; i < row->nr_frames; i++)
		proto_varint(&p->inner, row->frames[i]);
	proto_message(&p->part, SAMPLE_LOCATION, &p->inner);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (p->known[i])
			proto_varint(&p->inner, row->values[types[i].metric]);
	}
	proto_message(&p->part, SAMPLE_VALUE, &p->inner);
	put_label(job, &allocator);
	for (size_t i = 0; i < row->nr_labels; i++)
		put_label(job, &row->labels[i]);
	proto_message(&p->out, PROFILE_SAMPLE, &p->part);
	pass_on(job);
}

/* The number of the mapping of @frame: its module, or the kernel. */
static uint64_t mapping_of(struct export_job *job, const char *frame, size_t function)
{
	struct pprof *p = job->state;
	const char *module = frame + function;
	size_t size = strlen(module);
	uint32_t id;

	if (size < 3) /* " [" and "]" */
		return 1;
	id = intern_id(&p->modules, module + 1, size - 1);
	export_fail(job, id ? 0 : -ENOMEM);
	return id;
}

static void put_frames(struct export_job *job)
{
	struct pprof *p = job->state;

	for (uint32_t i = 1; i <= job->frames.count; i++) {
		const char *frame = export_frame(job, i);
		size_t size = export_frame_function(frame);
		uint64_t name = string_number(job, frame, size);

		proto_uint(&p->part, LOCATION_ID, i);
		proto_uint(&p->part, LOCATION_MAPPING, mapping_of(job, frame, size));
		proto_uint(&p->inner, LINE_FUNCTION, i);
		proto_message(&p->part, LOCATION_LINE, &p->inner);
		proto_message(&p->out, PROFILE_LOCATION, &p->part);
		proto_uint(&p->part, FUNCTION_ID, i);
		proto_uint(&p->part, FUNCTION_NAME, name);
		proto_uint(&p->part, FUNCTION_SYSTEM_NAME, name);
		proto_message(&p->out, PROFILE_FUNCTION, &p->part);
		pass_on(job);
	}
}

static void put_mappings(struct export_job *job, const char *build_id)
{
	struct pprof *p = job->state;

	for (uint32_t i = 1; i <= p->modules.count; i++) {
		const char *name = intern_get(&p->modules, i, NULL);

		proto_uint(&p->part, MAPPING_ID, i);
		proto_uint(&p->part, MAPPING_FILE, string(job, name));
		if (i == 1)
			proto_uint(&p->part, MAPPING_BUILD_ID, string(job, build_id));
		proto_uint(&p->part, MAPPING_HAS_FUNCTIONS, 1);
		proto_message(&p->out, PROFILE_MAPPING, &p->part);
	}
}

/* Writes what the recording is, and what it lacks. */
static void put_comments(struct export_job *job)
{
	const struct cell *duration = export_fact(job, "duration_ns");
	struct pprof *p = job->state;
	struct strbuf __auto_free banner = { 0 };
	const char *line;
	size_t size;

	export_banner(job, "", &banner);
	export_fail(job, banner.failed ? -ENOMEM : 0);
	for (line = strbuf_text(&banner); *line; line += size + 1) {
		size = strcspn(line, "\n");
		/* One number per field, not packed: readers accept both. */
		proto_uint(&p->out, PROFILE_COMMENT, string_number(job, line, size));
	}
	if (duration && duration->type == CELL_UINT && job->opts->clock_ns)
		proto_uint(&p->out, PROFILE_DURATION, duration->u);
}

static void put_strings(struct export_job *job)
{
	struct pprof *p = job->state;
	size_t size;

	proto_bytes(&p->out, PROFILE_STRING, "", 0);
	for (uint32_t i = 1; i <= p->strings.count; i++) {
		const char *text = intern_get(&p->strings, i, &size);

		proto_bytes(&p->out, PROFILE_STRING, text, size);
		pass_on(job);
	}
	pass_on(job);
}

static void pprof_end(struct export_job *job)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct pprof *p = job->state;

	/* No module has been numbered yet, so the kernel becomes number 1. */
	if (!p->started)
		put_types(job, NULL);
	if (!intern_id(&p->modules, kernel, sizeof(kernel) - 1))
		export_fail(job, -ENOMEM);
	put_frames(job);
	put_mappings(job, job->opts->origin ? job->opts->origin->build_id : "");
	put_comments(job);
	put_strings(job);
}

static void pprof_free(void *state)
{
	struct pprof *p = state;

	intern_free(&p->strings);
	intern_free(&p->modules);
	strbuf_free(&p->out);
	strbuf_free(&p->part);
	strbuf_free(&p->inner);
}

const struct exporter exporter_pprof = {
	.name = "pprof",
	.help = "a profile, compressed: allocated, live, at the peak; with labels",
	.opened_by = "go tool pprof, Perfetto, speedscope, Pyroscope, Parca",
	.by = EXPORT_BY_ALL,
	.estimates = true,
	.binary = true,
	.lacks = ZLIB_LACKS,
	.compression = COMPRESSED_GZIP,
	.state_size = sizeof(struct pprof),
	.row = pprof_row,
	.end = pprof_end,
	.free = pprof_free,
};
