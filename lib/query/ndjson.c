// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows from files written by kmemx export --format ndjson, or from a report.
 * In: a file or a pipe, maybe compressed with zstd; a report. Out: rows.
 */
#include "query/ndjson.h"

#include <unistd.h>

#include "base/array.h"
#include "query/parquet.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* How a file that is compressed with zstd begins. */
static const char zstd_magic[4] = "\x28\xb5\x2f\xfd";

/* Bytes of a compressed file in memory; the most that unpacking may need: 128 MiB, as zstd. */
#define PACKED_SIZE    (128U << 10)
#define WINDOW_LOG_MAX 27

/* Initial size of the read buffer: it grows with the longest line. */
#define BUFFER_MIN (64U << 10)

/**
 * struct reading - the part of a file in memory
 * @start, @size: bytes that were read but not used; the buffer has @capacity
 * @zstd: unpacks the file; NULL: it is not compressed
 * @packed: what was read of a compressed file, of which @packed_at bytes were unpacked
 * @holds: @zstd has more output; @whole: a compressed frame has ended
 */
struct reading {
	struct ndjson_file *file;
	char *buffer;
	size_t start, size, capacity;
	uint64_t bytes;
	void *zstd;
	char *packed;
	size_t packed_at, packed_size;
	bool holds, whole;
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

/* Reads bytes of the file. 0: its end; or -errno. */
static ssize_t read_bytes(struct reading *r, char *to, size_t size)
{
	ssize_t got;

	do
		got = read(r->file->fd, to, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	r->bytes += (uint64_t)got;
	if (r->file->progress)
		r->file->progress(r->file->ctx, r->bytes);
	return got;
}

#ifdef HAVE_ZSTD
/* What was read is the beginning of a compressed file: 1, or an error. */
static int unpack_begin(struct reading *r)
{
	r->zstd = ZSTD_createDCtx();
	r->packed = malloc(PACKED_SIZE);
	if (!r->zstd || !r->packed ||
	    ZSTD_isError(
		    ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		return -ENOMEM;
	r->packed_size = r->size;
	memcpy(r->packed, r->buffer, r->size);
	r->size = 0;
	return 1;
}

/* As read_bytes(), of the unpacked content. */
static ssize_t unpack_bytes(struct reading *r, char *to, size_t size)
{
	ZSTD_outBuffer out = { to, size, 0 };

	while (!out.pos) {
		ZSTD_inBuffer in;
		size_t ret;

		if (r->packed_at == r->packed_size && !r->holds) {
			ssize_t got = read_bytes(r, r->packed, PACKED_SIZE);

			if (!got && !r->whole)
				return wrong(r->file,
					     "the compressed data ends too early");
			if (got <= 0)
				return got;
			r->packed_at = 0;
			r->packed_size = (size_t)got;
		}
		in = (ZSTD_inBuffer){ r->packed, r->packed_size, r->packed_at };
		ret = ZSTD_decompressStream(r->zstd, &out, &in);
		if (ZSTD_isError(ret))
			return wrong(r->file, "the compressed data is damaged");
		r->packed_at = in.pos;
		r->whole = !ret;
		r->holds = ret && out.pos == out.size;
	}
	return (ssize_t)out.pos;
}

static void unpack_end(struct reading *r)
{
	ZSTD_freeDCtx(r->zstd);
	free(r->packed);
}

#else

static int unpack_begin(struct reading *r)
{
	return wrong(r->file,
		     "it is compressed with zstd, without which kmemx was built");
}

static ssize_t unpack_bytes(struct reading *r, char *to, size_t size)
{
	return 0;
}

static void unpack_end(struct reading *r)
{
}

#endif

/* 1: there is more; 0: end of the file; an error. */
static int fill(struct reading *r)
{
	ssize_t got;
	char *to;

	if (make_room(r))
		return -ENOMEM;
	to = r->buffer + r->size;
	got = r->zstd ? unpack_bytes(r, to, r->capacity - r->size)
		      : read_bytes(r, to, r->capacity - r->size);
	if (got < 0)
		return (int)got;
	r->size += (size_t)got;
	return got > 0;
}

int ndjson_file_read(struct ndjson_file *file)
{
	struct reading r = { .file = file };
	int ret, taken = 0;

	do
		ret = fill(&r);
	while (ret > 0 && r.size < sizeof(zstd_magic));
	if (ret >= 0 && r.size >= PARQUET_MAGIC_SIZE &&
	    !memcmp(r.buffer, PARQUET_MAGIC, PARQUET_MAGIC_SIZE)) {
		free(r.buffer);
		return parquet_file_read(file);
	}
	if (ret >= 0 && r.size >= sizeof(zstd_magic) &&
	    !memcmp(r.buffer, zstd_magic, sizeof(zstd_magic)))
		ret = unpack_begin(&r);
	if (ret >= 0)
		taken = take_lines(&r, !ret);
	while (ret > 0 && !taken) {
		ret = fill(&r);
		if (ret >= 0)
			taken = take_lines(&r, !ret);
	}
	unpack_end(&r);
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
