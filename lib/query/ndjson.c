// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows from files written by kmemx export --format ndjson, or from a report.
 * In: a file or a pipe, maybe compressed with zstd; a report. Out: rows.
 */
#include "query/ndjson.h"

#include <fcntl.h>

#include "export/wire.h"
#include "import/line_source.h"

/* Lines between two calls of progress(). */
#define PROGRESS_LINES 64

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

/* Translates an error of the line source. */
static int failed(struct ndjson_file *file, int err)
{
	switch (err) {
	case -ENODATA:
		return wrong(file, "the compressed data ends too early");
	case -EBADMSG:
	case -EFBIG:
		return wrong(file, "the compressed data is damaged");
	case -ENOTSUP:
		return wrong(file,
			     "it is compressed with zstd, without which kmemx was built");
	default:
		return err;
	}
}

static int take_lines(struct ndjson_file *file, struct line_source *lines)
{
	size_t size;
	char *line;
	int ret;

	while ((ret = line_source_next(lines, &line, &size)) > 0) {
		/* Some editors begin a file with a byte order mark. */
		if (!file->number && size >= 3 && !memcmp(line, "\xef\xbb\xbf", 3))
			memset(line, ' ', 3);
		ret = take(file, line, size);
		if (ret)
			return ret;
		if (file->progress && file->number % PROGRESS_LINES == 0)
			file->progress(file->ctx, line_source_bytes(lines));
	}
	return failed(file, ret);
}

int ndjson_file_read(struct ndjson_file *file)
{
	struct line_source *lines = NULL;
	const char *start = NULL;
	size_t size = 0;
	int ret = line_source_open_fd(&lines, fcntl(file->fd, F_DUPFD_CLOEXEC, 0),
				      UNPACK_ZSTD, true);

	ret = ret ?: line_source_peek(lines, &start, &size);
	if (ret)
		ret = failed(file, ret);
	else if (size >= PARQUET_MAGIC_SIZE &&
		 !memcmp(start, PARQUET_MAGIC, PARQUET_MAGIC_SIZE))
		ret = parquet_file_read(file);
	else if (file->is_parquet)
		ret = wrong(file, "it is not a Parquet file");
	else
		ret = take_lines(file, lines);
	line_source_close(lines);
	return ret;
}

/* The receiver of rows, to which export_job.to->ctx points. */
struct row_sink {
	query_row_fn row;
	void *ctx;
};

static void exported_begin(struct export_job *job)
{
	export_values_init(job->state, job);
}

static void exported_row(struct export_job *job, const struct export_row *row)
{
	const struct row_sink *sink = job->to->ctx;
	struct export_values *v = job->state;
	struct query_row out;

	export_values_row(v, job, row);
	memcpy(out.of, v->of, sizeof(out.of));
	if (!job->out.err)
		export_fail(job, sink->row(sink->ctx, &out));
}

static const struct exporter exporter_rows = {
	.name = "query",
	.by = EXPORT_BY_ALL,
	.state_size = sizeof(struct export_values),
	.begin = exported_begin,
	.row = exported_row,
	.free = export_values_free,
};

int query_exported(const struct export_options *opts, const struct report *report,
		   query_row_fn row, void *ctx)
{
	struct row_sink sink = { row, ctx };
	const struct render_out to = { NULL, &sink };

	return export_report(&exporter_rows, opts, report, &to);
}
