// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (query): files become rows.
 * In: recordings, files of rows. Out: a store with their rows, or a message.
 */
#include "cmd/query/query_load.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_run.h"
#include "export/origin.h"
#include "query/ndjson.h"
#include "report/text_cell.h"

static const char command_name[] = "query";

/* @done: the size of the files before this one. @total: of all files. */
struct loading {
	const struct query_load *load;
	struct progress progress;
	uint64_t done, total;
};

int query_load_no_memory(uint64_t memory)
{
	struct strbuf text = { 0 };

	text_bytes(&text, memory, " ");
	message_error(
		command_name,
		"not enough memory: the limit is %s\n  Load fewer files, or allow more: --max-memory SIZE",
		strbuf_text(&text));
	strbuf_free(&text);
	return EXIT_FAILED;
}

static int take_row(void *ctx, const struct query_row *row)
{
	const struct loading *l = ctx;

	return query_store_add(l->load->store, row);
}

static void show_progress(void *ctx, uint64_t bytes)
{
	struct loading *l = ctx;

	progress_show(&l->progress, l->done + bytes, l->total, 0);
}

static int rows_failed(const struct ndjson_file *file, const char *path, uint64_t memory,
		       int err)
{
	if (err == -ENOMEM)
		return query_load_no_memory(memory);
	if (err != -EINVAL)
		return message_fail(EXIT_UNREADABLE, command_name, "cannot read %s: %s",
				    path, io_strerror(err));
	return message_fail(
		EXIT_UNREADABLE, command_name,
		"%s, line %" PRIu64
		", byte %zu: %s\n  A line is a row of: kmemx export --format ndjson",
		path, file->number, file->line.at + 1, file->line.wrong);
}

static int load_rows(struct loading *l, const struct query_file *f)
{
	struct ndjson_file file = { .row = take_row,
				    .progress = show_progress,
				    .ctx = l };
	bool standard = !strcmp(f->path, "-");
	int ret;

	file.fd = standard ? STDIN_FILENO : io_open_input(f->path, IO_FILE_OR_PIPE);
	ret = file.fd < 0 ? file.fd : ndjson_file_read(&file);
	if (ret) {
		progress_end(&l->progress);
		ret = rows_failed(&file, standard ? "standard input" : f->path,
				  l->load->memory, ret);
	} else {
		ret = GO_ON;
	}
	ndjson_line_free(&file.line);
	if (file.fd >= 0 && !standard)
		close(file.fd);
	l->done += f->size;
	return ret;
}

static int take_report(const struct stat_run *st, void *arg)
{
	const struct loading *l = arg;
	struct export_options opts = { .clock_ns = recording_clocks_are_ns(
					       st->in.study.rec) };
	struct export_origin origin;
	int err = export_origin_init(&origin, st->in.study.rec);

	opts.origin = &origin;
	if (!err)
		err = query_exported(&opts, st->report, take_row, arg);
	export_origin_free(&origin);
	return err ? query_load_no_memory(l->load->memory) : EXIT_OK;
}

/* Loads the rows that kmemx export would write. */
static int load_recording(struct loading *l, const struct query_file *f)
{
	struct stat_run st = { .command = command_name,
			       .write = take_report,
			       .write_arg = l };
	struct stat_analyses *a = &st.opts.analyses;
	const struct analysis *analysis;
	int ret;

	for (size_t i = 0; (analysis = analysis_at(i)); i++)
		a->asked[i] = stat_analyses_of("export", analysis);
	a->opts.by = SUBJECT_STACK | SUBJECT_COMM << SUBJECT_PART_BITS;
	a->opts.by_cache = true;
	st.opts.path = f->path;
	st.opts.jobs = l->load->jobs;
	st.opts.no_inline = l->load->no_inline;
	st.opts.verbose = l->load->verbose;
	progress_end(&l->progress);
	ret = stat_run(&st);
	stat_run_free(&st);
	return ret == EXIT_OK ? GO_ON : ret;
}

int query_load(const struct query_load *load, const struct query_files *files)
{
	struct loading l = { .load = load, .total = files->bytes };
	int ret = GO_ON;

	progress_start(&l.progress, "loading");
	for (size_t i = 0; i < files->nr && ret == GO_ON; i++) {
		const struct query_file *f = &files->items[i];

		if (query_store_file(load->store, f->path))
			ret = query_load_no_memory(load->memory);
		else
			ret = f->rows ? load_rows(&l, f) : load_recording(&l, f);
	}
	progress_end(&l.progress);
	if (ret == GO_ON && query_store_seal(load->store))
		ret = query_load_no_memory(load->memory);
	return ret;
}
