// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows from files written by kmemx export --format ndjson, or from a report.
 * In: a file, a pipe, a report. Out: rows.
 */
#include "query/ndjson.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* Initial size of the read buffer: it grows with the longest line. */
#define BUFFER_MIN (64U << 10)

/**
 * struct reading - the part of a file in memory
 * @start, @size: bytes that were read but not used; the buffer has @capacity
 */
struct reading {
	struct ndjson_file *file;
	char *buffer;
	size_t start, size, capacity;
	uint64_t bytes;
};

static int wrong(struct ndjson_file *file, const char *text)
{
	file->line.wrong = text;
	file->line.at = 0;
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int take(struct ndjson_file *file, const char *text, size_t size)
{
	int ret;

	file->number++;
	while (size && is_blank(text[size - 1]))
		size--;
	if (!size)
		return 0;
	if (size > NDJSON_LINE_MAX)
		return wrong(file, "the line is longer than 1 MiB");
	ret = ndjson_line_read(&file->line, text, size);
	return ret ? ret : file->row(file->ctx, &file->line.row);
}

/* Processes all complete lines; at the @end of the file the rest is a line, too. */
static int take_lines(struct reading *r, bool end)
{
	const char *eol;
	size_t size;
	int ret = 0;

	while (!ret && r->size) {
		eol = memchr(r->buffer + r->start, '\n', r->size);
		if (!eol && !end)
			return r->size > NDJSON_LINE_MAX
				       ? take(r->file, r->buffer + r->start, r->size)
				       : 0;
		size = eol ? (size_t)(eol - (r->buffer + r->start)) : r->size;
		ret = take(r->file, r->buffer + r->start, size);
		size += eol ? 1 : 0;
		r->start += size;
		r->size -= size;
	}
	return ret;
}

/* Frees half of the buffer, which holds a part of one line. */
static int make_room(struct reading *r)
{
	if (r->size)
		memmove(r->buffer, r->buffer + r->start, r->size);
	r->start = 0;
	if (r->size <= r->capacity / 2 && r->capacity)
		return 0;
	return array_reserve(&r->buffer, &r->capacity,
			     r->capacity ? 2 * r->capacity : BUFFER_MIN, 1);
}

/* 1: there is more; 0: end of the file; an error. */
static int fill(struct reading *r)
{
	ssize_t got;

	if (make_room(r))
		return -ENOMEM;
	do
		got = read(r->file->fd, r->buffer + r->size, r->capacity - r->size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	r->size += (size_t)got;
	r->bytes += (uint64_t)got;
	if (r->file->progress)
		r->file->progress(r->file->ctx, r->bytes);
	return got > 0;
}

int ndjson_file_read(struct ndjson_file *file)
{
	struct reading r = { .file = file };
	int ret = 1, taken = 0;

	while (ret > 0 && !taken) {
		ret = fill(&r);
		if (ret >= 0)
			taken = take_lines(&r, !ret);
	}
	free(r.buffer);
	return taken ? taken : ret;
}

/* The receiver of rows, to which export_job.to->ctx points. */
struct row_sink {
	query_row_fn row;
	void *ctx;
};

static int nothing(void *ctx, const char *data, size_t size)
{
	return 0;
}

static int exported_begin(struct export_job *job)
{
	return export_values_init(job->state, job);
}

static int exported_row(struct export_job *job, const struct export_row *row)
{
	const struct row_sink *sink = job->to->ctx;
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
	return ret ? ret : sink->row(sink->ctx, &out);
}

static void exported_free(void *state)
{
	export_values_free(state);
}

static const struct exporter exporter_rows = {
	.name = "query",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct export_values),
	.begin = exported_begin,
	.row = exported_row,
	.free = exported_free,
};

int query_exported(const struct export_options *opts, const struct report *report,
		   query_row_fn row, void *ctx)
{
	struct row_sink sink = { row, ctx };
	const struct render_out to = { nothing, &sink };

	return export_report(&exporter_rows, opts, report, &to);
}
