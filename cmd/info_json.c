// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): a recording as JSON.
 * In: struct info. Out: one object.
 */
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "report/json.h"

static uint64_t buffer_bytes(const struct recording_buffer *buf)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < buf->nr_cpus; i++)
		sum += buf->cpus[i].size;
	return sum;
}

const char *info_compression(const struct recording *rec)
{
	switch (rec->compression) {
	case COMPRESSION_ZSTD:
		return "zstd";
	case COMPRESSION_ZLIB:
		return "zlib";
	default:
		return "none";
	}
}

static void json_text_or_null(struct json *j, const char *key, const char *text)
{
	json_line(j);
	json_key(j, key);
	json_string(j, text && *text ? text : NULL);
}

static void json_number(struct json *j, const char *key, uint64_t value)
{
	json_line(j);
	json_key(j, key);
	json_uint(j, value);
}

static void json_events(struct json *j, const struct info *info)
{
	size_t i;

	json_line(j);
	json_key(j, "events");
	json_open(j, '{');
	for (i = 0; i < info->nr_events; i++)
		json_number(j, info->events[i].name, info->events[i].count);
	json_line(j);
	json_close(j, '}');
	json_number(j, "events_total", info->facts.nr_events);
	json_number(j, "events_without_format", info->nr_unnamed);
}

static void json_lost(struct json *j, const struct info *info)
{
	char cpu[16];
	size_t i;

	json_line(j);
	json_key(j, "lost");
	json_open(j, '{');
	json_number(j, "total", info->facts.nr_lost);
	json_number(j, "gaps", info->facts.nr_gaps);
	json_number(j, "unknown_gaps", info->facts.nr_unknown_gaps);
	json_number(j, "dropped", info->facts.nr_dropped);
	json_line(j);
	json_key(j, "by_cpu");
	json_open(j, '{');
	for (i = 0; i < info->nr_cpus; i++) {
		snprintf(cpu, sizeof(cpu), "%u", info->cpus[i].cpu);
		json_key(j, cpu);
		json_uint(j, info->cpus[i].nr_lost);
	}
	json_close(j, '}');
	json_line(j);
	json_close(j, '}');
}

static void json_gaps(struct json *j, const struct info *info)
{
	size_t i;

	json_line(j);
	json_key(j, "gaps");
	json_open(j, '[');
	for (i = 0; i < info->nr_gaps; i++) {
		const struct info_gap *gap = &info->gaps[i];

		json_line(j);
		json_open(j, '{');
		json_key(j, "cpu");
		json_uint(j, gap->cpu);
		json_key(j, "buffer");
		json_string(j, info->rec->buffers[gap->buffer].name);
		json_key(j, "since_ts");
		json_uint(j, gap->since_ts);
		json_key(j, "ts");
		json_uint(j, gap->ts);
		json_key(j, "lost");
		if (gap->lost == KMEM_LOSS_UNKNOWN)
			json_null(j);
		else
			json_uint(j, gap->lost);
		json_close(j, '}');
	}
	json_line(j);
	json_close(j, ']');
}

/* What the ring buffer's own statistics say. */
static void json_statistics(struct json *j, const struct info *info)
{
	size_t i;

	json_line(j);
	json_key(j, "cpus");
	json_open(j, '[');
	for (i = 0; i < info->nr_cpus; i++) {
		const struct info_cpu *c = &info->cpus[i];

		json_line(j);
		json_open(j, '{');
		json_key(j, "cpu");
		json_uint(j, c->cpu);
		json_key(j, "events");
		json_uint(j, c->nr_events);
		json_key(j, "bytes");
		json_uint(j, c->bytes);
		json_key(j, "overrun");
		json_uint(j, c->overrun);
		json_key(j, "dropped");
		json_uint(j, c->dropped);
		json_key(j, "missing");
		json_uint(j, c->missing);
		json_close(j, '}');
	}
	json_line(j);
	json_close(j, ']');
}

static void json_buffers(struct json *j, const struct recording *rec)
{
	uint32_t i;

	json_line(j);
	json_key(j, "buffers");
	json_open(j, '[');
	for (i = 0; i < rec->nr_buffers; i++) {
		json_line(j);
		json_open(j, '{');
		json_key(j, "name");
		json_string(j, rec->buffers[i].name);
		json_key(j, "clock");
		json_string(j, recording_clock(rec, i));
		json_key(j, "page_size");
		json_uint(j, rec->buffers[i].page_size);
		json_key(j, "nr_cpus");
		json_uint(j, rec->buffers[i].nr_cpus);
		json_key(j, "bytes");
		json_uint(j, buffer_bytes(&rec->buffers[i]));
		json_close(j, '}');
	}
	json_line(j);
	json_close(j, ']');
	json_line(j);
	json_key(j, "meta");
	json_open(j, '[');
	for (size_t m = 0; m < rec->nr_meta; m++)
		json_string(j, rec->meta[m].name);
	json_close(j, ']');
}

/* The notes of an import; none if the recording is not imported. */
static void json_import(struct json *j, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_IMPORT);
	const char *p = item ? item->text : "";

	json_line(j);
	json_key(j, "imported");
	json_open(j, '[');
	while (*p) {
		size_t len = strcspn(p, "\n");
		char note[512];

		snprintf(note, sizeof(note), "%.*s", (int)len, p);
		json_line(j);
		json_string(j, note);
		p += len + (p[len] == '\n');
	}
	json_close(j, ']');
}

int info_print_json(const struct render_out *out, const void *arg)
{
	const struct info *info = arg;
	const struct study_facts *f = &info->facts;
	const struct recording *rec = info->rec;
	struct json j = json_begin(out);

	json_open(&j, '{');
	json_number(&j, "schema_version", 1);
	json_text_or_null(&j, "file", f->path);
	json_text_or_null(&j, "kernel", f->kernel);
	json_text_or_null(&j, "machine", f->machine);
	json_text_or_null(&j, "endian", f->big_endian ? "big" : "little");
	json_number(&j, "long_size", f->long_size);
	json_number(&j, "page_size", f->page_size);
	json_number(&j, "nr_cpus", f->nr_cpus);
	json_text_or_null(&j, "clock", f->clock);
	json_line(&j);
	json_key(&j, "duration_ns");
	if (f->has_duration)
		json_uint(&j, f->duration_ns);
	else
		json_null(&j);
	json_text_or_null(&j, "span", f->span);
	json_text_or_null(&j, "scope", f->part ? "part" : "");
	json_text_or_null(&j, "frees", !f->part ? "" : f->lacks_frees ? "part" : "all");
	json_number(&j, "first_ts", f->first_ts);
	json_number(&j, "last_ts", f->last_ts);
	json_text_or_null(&j, "truncated", f->truncated);
	json_number(&j, "missing", f->nr_missing);
	json_events(&j, info);
	json_lost(&j, info);
	json_gaps(&j, info);
	json_statistics(&j, info);
	json_number(&j, "undecodable", f->nr_undecodable);
	json_number(&j, "damaged_parts", f->nr_damaged);
	json_number(&j, "bad_pages", f->nr_bad_pages);
	json_number(&j, "stacks_unclaimed", f->nr_stacks_unclaimed);
	json_number(&j, "clock_backwards", f->nr_backwards);
	json_number(&j, "impossible_times", f->nr_impossible);
	json_number(&j, "file_version", rec->file_version);
	json_text_or_null(&j, "compression", info_compression(rec));
	json_text_or_null(&j, "writer", rec->writer_version);
	json_number(&j, "bytes", rec->file_bytes);
	json_buffers(&j, rec);
	json_import(&j, rec);
	json_line(&j);
	json_close(&j, '}');
	return json_end(&j);
}
