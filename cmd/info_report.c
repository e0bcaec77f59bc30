// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): a recording as a report.
 * In: struct info. Out: facts and tables, for machines.
 */
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "report/json_layout.h"

/* Documentation/json.md describes it. */
static const struct json_item layout[] = {
	{ JSON_FACT, "file", NULL },
	{ JSON_FACT, "kernel", NULL },
	{ JSON_FACT, "machine", NULL },
	{ JSON_FACT, "endian", NULL },
	{ JSON_FACT, "long_size", NULL },
	{ JSON_FACT, "page_size", NULL },
	{ JSON_FACT, "nr_cpus", NULL },
	{ JSON_FACT, "clock", NULL },
	{ JSON_FACT, "duration_ns", NULL },
	{ JSON_FACT, "span", NULL },
	{ JSON_FACT, "scope", NULL },
	{ JSON_FACT, "frees", NULL },
	{ JSON_FACT, "first_ts", NULL },
	{ JSON_FACT, "last_ts", NULL },
	{ JSON_FACT, "truncated", NULL },
	{ JSON_FACT, "missing", NULL },
	{ JSON_MAP, "events", NULL },
	{ JSON_FACT, "events_total", "nr_events" },
	{ JSON_FACT, "events_without_format", NULL },
	{ JSON_BEGIN, "lost", NULL },
	{ JSON_FACT, "total", "lost" },
	{ JSON_FACT, "gaps", NULL },
	{ JSON_FACT, "unknown_gaps", NULL },
	{ JSON_FACT, "dropped", NULL },
	{ JSON_MAP_LINE, "by_cpu", "lost" },
	{ JSON_END, "lost", NULL },
	{ JSON_ROWS, "gaps", NULL },
	{ JSON_ROWS, "cpus", NULL },
	{ JSON_FACT, "undecodable", NULL },
	{ JSON_FACT, "damaged_parts", NULL },
	{ JSON_FACT, "bad_pages", NULL },
	{ JSON_FACT, "stacks_unclaimed", NULL },
	{ JSON_FACT, "clock_backwards", NULL },
	{ JSON_FACT, "impossible_times", NULL },
	{ JSON_FACT, "file_version", NULL },
	{ JSON_FACT, "compression", NULL },
	{ JSON_FACT, "writer", NULL },
	{ JSON_FACT, "bytes", NULL },
	{ JSON_ROWS, "buffers", NULL },
	{ JSON_TEXTS_LINE, "meta", NULL },
	{ JSON_TEXTS, "imported", NULL },
	{ JSON_FACT, NULL, NULL },
};

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

/* An empty table, which is @r's; NULL: no memory. */
static struct table *add_table(struct report *r, const char *name, const char *by,
			       const struct column *columns, size_t nr)
{
	struct table *t = table_new(name, NULL);

	if (!report_add_table(r, t))
		return NULL;
	if (by)
		table_set_by(t, by);
	table_add_columns(t, columns, nr);
	return t;
}

static struct cell *add_row(struct table *t)
{
	return t ? table_add_row(t) : NULL;
}

static void add_events(struct report *r, const struct info *info)
{
	const struct column columns[] = { { .name = "event" },
					  { .name = "count", .unit = UNIT_COUNT } };
	struct table *t = add_table(r, "events", "event", columns, ARRAY_SIZE(columns));
	struct cell *row;
	size_t i;

	for (i = 0; i < info->nr_events && (row = add_row(t)); i++) {
		row[0] = cell_text(t, info->events[i].name);
		row[1] = cell_uint(info->events[i].count);
	}
}

static void add_losses(struct report *r, const struct info *info)
{
	const struct column columns[] = {
		{ .name = "cpu" },
		{ .name = "lost", .unit = UNIT_COUNT },
		{ .name = "gaps", .unit = UNIT_COUNT },
		{ .name = "unknown_gaps", .unit = UNIT_COUNT },
	};
	struct table *t = add_table(r, "lost", "cpu", columns, ARRAY_SIZE(columns));
	struct cell *row;
	size_t i;

	for (i = 0; i < info->nr_cpus && (row = add_row(t)); i++) {
		const struct info_cpu *c = &info->cpus[i];

		row[0] = cell_uint(c->cpu);
		row[1] = cell_uint(c->nr_lost);
		row[2] = cell_uint(c->nr_gaps);
		row[3] = cell_uint(c->nr_unknown);
	}
}

static void add_gaps(struct report *r, const struct info *info)
{
	const struct column columns[] = {
		{ .name = "cpu" },
		{ .name = "buffer" },
		{ .name = "since_ts" },
		{ .name = "ts" },
		{ .name = "lost", .unit = UNIT_COUNT },
	};
	struct table *t = add_table(r, "gaps", NULL, columns, ARRAY_SIZE(columns));
	struct cell *row;
	size_t i;

	for (i = 0; i < info->nr_gaps && (row = add_row(t)); i++) {
		const struct info_gap *gap = &info->gaps[i];

		row[0] = cell_uint(gap->cpu);
		row[1] = cell_text(t, info->rec->buffers[gap->buffer].name);
		row[2] = cell_uint(gap->since_ts);
		row[3] = cell_uint(gap->ts);
		if (gap->lost != KMEM_LOSS_UNKNOWN)
			row[4] = cell_uint(gap->lost);
	}
}

/* What the ring buffer's own statistics say. */
static void add_cpus(struct report *r, const struct info *info)
{
	const struct column columns[] = {
		{ .name = "cpu" },
		{ .name = "events", .unit = UNIT_COUNT },
		{ .name = "bytes", .unit = UNIT_BYTES },
		{ .name = "overrun", .unit = UNIT_COUNT },
		{ .name = "dropped", .unit = UNIT_COUNT },
		{ .name = "missing", .unit = UNIT_COUNT },
	};
	struct table *t = add_table(r, "cpus", "cpu", columns, ARRAY_SIZE(columns));
	struct cell *row;
	size_t i;

	for (i = 0; i < info->nr_cpus && (row = add_row(t)); i++) {
		const struct info_cpu *c = &info->cpus[i];

		row[0] = cell_uint(c->cpu);
		row[1] = cell_uint(c->nr_events);
		row[2] = cell_uint(c->bytes);
		row[3] = cell_uint(c->overrun);
		row[4] = cell_uint(c->dropped);
		row[5] = cell_uint(c->missing);
	}
}

static uint64_t buffer_bytes(const struct recording_buffer *buf)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < buf->nr_cpus; i++)
		sum += buf->cpus[i].size;
	return sum;
}

static void add_buffers(struct report *r, const struct recording *rec)
{
	const struct column columns[] = {
		{ .name = "name" },
		{ .name = "clock" },
		{ .name = "page_size", .unit = UNIT_BYTES },
		{ .name = "nr_cpus", .unit = UNIT_COUNT },
		{ .name = "bytes", .unit = UNIT_BYTES },
	};
	struct table *t = add_table(r, "buffers", "name", columns, ARRAY_SIZE(columns));
	struct cell *row;
	uint32_t i;

	for (i = 0; i < rec->nr_buffers && (row = add_row(t)); i++) {
		row[0] = cell_text(t, rec->buffers[i].name);
		row[1] = cell_text(t, recording_clock(rec, i));
		row[2] = cell_uint(rec->buffers[i].page_size);
		row[3] = cell_uint(rec->buffers[i].nr_cpus);
		row[4] = cell_uint(buffer_bytes(&rec->buffers[i]));
	}
}

static void add_meta(struct report *r, const struct recording *rec)
{
	const struct column column = { .name = "item" };
	struct table *t = add_table(r, "meta", NULL, &column, 1);
	struct cell *row;
	size_t i;

	for (i = 0; i < rec->nr_meta && (row = add_row(t)); i++)
		row[0] = cell_text(t, rec->meta[i].name);
}

/* The notes of an import; none if the recording is not imported. */
static void add_import(struct report *r, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_IMPORT);
	const struct column column = { .name = "note" };
	struct table *t = add_table(r, "imported", NULL, &column, 1);
	const char *p = item ? item->text : "";
	struct cell *row;

	while (*p && (row = add_row(t))) {
		size_t len = strcspn(p, "\n");
		char note[512];

		snprintf(note, sizeof(note), "%.*s", (int)len, p);
		row[0] = cell_text(t, note);
		p += len + (p[len] == '\n');
	}
}

static void add_text_fact(struct report *r, const char *name, const char *text)
{
	const struct cell none = { .type = CELL_NONE };

	report_add_fact(r, name, NULL,
			text && *text ? (struct cell){ .type = CELL_TEXT, .s = text }
				      : none);
}

struct report *info_report(const struct info *info)
{
	const struct recording *rec = info->rec;
	struct report *r = report_new();

	if (!r)
		return NULL;
	r->layout = layout;
	study_facts_add(&info->facts, r);
	report_add_fact(r, "events_without_format", NULL, cell_uint(info->nr_unnamed));
	report_add_fact(r, "file_version", NULL, cell_uint(rec->file_version));
	add_text_fact(r, "compression", info_compression(rec));
	add_text_fact(r, "writer", rec->writer_version);
	report_add_fact(r, "bytes", NULL, cell_uint(rec->file_bytes));
	add_events(r, info);
	add_losses(r, info);
	add_gaps(r, info);
	add_cpus(r, info);
	add_buffers(r, rec);
	add_meta(r, rec);
	add_import(r, rec);
	return r;
}
