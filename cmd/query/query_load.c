// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/query/query_load.h"

#ifdef HAVE_SQLITE
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/safe_text.h"
#include "cmd/input/input.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_run.h"
#include "query/ahead.h"
#include "report/text_cell.h"

static const char command_name[] = "query";

#define NSEC_PER_SEC 1000000000ULL

/* A load in progress. @done: total size of the files before this one; @total: of all files. @err:
 * the store's error. @problem: why a file cannot be read. @ahead: reads files of rows before they
 * are needed; NULL if each is read when needed.
 */
struct loading {
	const struct query_load *load;
	struct ahead *ahead;
	struct progress progress;
	uint64_t done, total;
	int err;
	struct strbuf problem;
};

static int no_memory(uint64_t memory)
{
	struct strbuf __auto_free text = { 0 };

	text_bytes(&text, memory, " ");
	return message_fail(
		EXIT_FAILED, command_name,
		"not enough memory: the limit is %s\n  Load fewer files, or allow more: --max-memory SIZE",
		strbuf_text(&text));
}

int query_load_failed(const struct query_load *load, int err)
{
	const char *advice =
		"What it has is unchanged: make room, and run the same again";

	if (err == -EOVERFLOW)
		return message_fail(EXIT_FAILED, command_name,
				    "a callsite's sum exceeds 2^63 - 1");
	if (!load->db || err == -ENOMEM)
		return no_memory(load->memory);
	if (err == -EEXIST)
		return message_fail(
			EXIT_UNREADABLE, command_name,
			"%s is not a database of kmemx\n  Give a new name: --db FILE",
			load->db);
	if (err == -EPROTO)
		return message_fail(EXIT_UNREADABLE, command_name,
				    "%s was written by a newer kmemx", load->db);
	if (err == -EBUSY)
		advice = "Another process has been writing it for a minute";
	else if (err == -EUCLEAN)
		advice = "Remove it: it is made again from the files";
	else if (err == -EROFS)
		return message_fail(
			EXIT_FAILED, command_name,
			"cannot use %s: you may not write it or its directory\n  SQLite needs the directory even to read. Copy the file to where you may write.",
			load->db);
	else if (err == -ENOENT)
		advice = "Its directory must exist and be writable";
	return message_fail(EXIT_FAILED, command_name, "cannot write %s: %s\n  %s",
			    load->db,
			    err == -EUCLEAN ? "it is damaged" : io_strerror(err), advice);
}

static int take_row(void *ctx, const struct query_row *row)
{
	struct loading *l = ctx;

	l->err = query_store_add(l->load->store, row);
	return l->err;
}

static void show_progress(void *ctx, uint64_t bytes)
{
	struct loading *l = ctx;

	progress_show(&l->progress, l->done + bytes, l->total, 0);
}

/* Ends a file of rows: GO_ON, or the exit code after a message about @err. */
static int end_rows(struct loading *l, const struct query_file *f,
		    const struct ndjson_file *file, int err)
{
	const char *path = strcmp(f->path, "-") ? f->path : "standard input";

	l->done += f->size;
	if (!err)
		return GO_ON;
	progress_end(&l->progress);
	if (l->err || err == -ENOMEM)
		return query_load_failed(l->load, err);
	strbuf_reset(&l->problem);
	if (err != -EINVAL) {
		strbuf_puts(&l->problem, io_strerror(err));
		return message_fail(EXIT_UNREADABLE, command_name, "cannot read %s: %s",
				    path, strbuf_text(&l->problem));
	}
	if (file->is_parquet && file->number)
		strbuf_printf(&l->problem, "row %" PRIu64 ": ", file->number);
	else if (file->number)
		strbuf_printf(&l->problem, "line %" PRIu64 ", byte %zu: ", file->number,
			      file->line.at + 1);
	strbuf_puts(&l->problem, file->line.wrong);
	return message_fail(
		EXIT_UNREADABLE, command_name, "%s%s %s\n  %s", path,
		file->number ? "," : ":", strbuf_text(&l->problem),
		file->is_parquet
			? "kmemx reads those of: kmemx export --format parquet (others: as NDJSON)"
			: "A line is a row of: kmemx export --format ndjson");
}

/* Loads rows that were read ahead. */
static int load_ahead(struct loading *l, const struct query_file *f,
		      const struct ahead_rows *rows)
{
	int ret = rows->ret;

	for (size_t i = 0; i < rows->nr && !ret; i++)
		ret = take_row(l, &rows->of[i]);
	if (!ret)
		show_progress(l, f->size);
	return end_rows(l, f, &rows->file, ret);
}

static int load_rows(struct loading *l, const struct query_file *f)
{
	struct ndjson_file file = { .row = take_row,
				    .progress = show_progress,
				    .ctx = l,
				    .is_parquet = text_ends(f->path, ".parquet") };
	bool standard = !strcmp(f->path, "-");
	int ret;

	file.fd = standard ? STDIN_FILENO : io_open_input(f->path, IO_FILE_OR_PIPE);
	ret = file.fd < 0 ? file.fd : ndjson_file_read(&file);
	ret = end_rows(l, f, &file, ret);
	ndjson_line_free(&file.line);
	if (file.fd >= 0 && !standard)
		close(file.fd);
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
	err = err ?: query_exported(&opts, st->report, take_row, arg);
	export_origin_free(&origin);
	return err ? query_load_failed(l->load, err) : EXIT_OK;
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
	st.opts.study.path = f->path;
	st.opts.intervals = true;
	st.opts.jobs = l->load->jobs;
	st.opts.study.no_inline = l->load->no_inline;
	st.opts.verbose = l->load->verbose;
	progress_end(&l->progress);
	ret = stat_run(&st);
	stat_run_free(&st);
	return ret == EXIT_OK ? GO_ON : ret;
}

/* Identifies the way a file is read: a different way gives different rows. */
static uint64_t how(const struct query_load *load, const struct query_file *f)
{
	return f->rows ? 0 : load->no_inline ? 2 : 1;
}

/* Does the store have a file of this path, size and time? Returns 1, 0 or an error. Sets @id,
 * except for the content.
 */
static int looks_known(const struct loading *l, const struct query_file *f,
		       struct query_file_id *id)
{
	*id = f->id;
	id->how = how(l->load, f);
	return l->load->db && id->path ? query_store_known(l->load->store, id) : 0;
}

/* Does the store have the file's rows? Returns 1, 0 with @id filled in, or an error. @rows: what
 * was read ahead, or NULL.
 */
static int is_known(const struct loading *l, const struct query_file *f,
		    struct query_file_id *id, const struct ahead_rows *rows)
{
	int ret = looks_known(l, f, id), fd __auto_fd = -1;

	if (ret || !l->load->db || !id->path)
		return ret;
	if (rows && rows->content) {
		id->content = rows->content;
		return query_store_known(l->load->store, id);
	}
	fd = io_open_input(f->path, IO_FILE);
	/* If it cannot be read, reading its rows will say so. */
	if (fd < 0 || query_content(fd, &id->content))
		id->content = 0;
	return id->content ? query_store_known(l->load->store, id) : 0;
}

/* Loads a file. An unreadable file fails the command, except with a database, which notes the
 * problem and only lacks the file's rows.
 */
static int load_file(struct loading *l, const struct query_file *f,
		     const struct query_file_id *id, const struct ahead_rows *rows)
{
	int err = query_store_file(l->load->store, f->path, id), ret;

	if (err)
		return query_load_failed(l->load, err);
	strbuf_reset(&l->problem);
	ret = rows	? load_ahead(l, f, rows)
	      : f->rows ? load_rows(l, f)
			: load_recording(l, f);
	if (ret != EXIT_UNREADABLE || !l->load->db || l->err)
		return ret;
	err = query_store_unreadable(l->load->store,
				     l->problem.size ? strbuf_text(&l->problem)
						     : "not a readable recording");
	return err ? query_load_failed(l->load, err) : GO_ON;
}

static int end_loading(const struct query_load *load, uint64_t before)
{
	int err = before ? query_store_expire(load->store, before) : 0;

	err = err ?: query_store_seal(load->store);
	return err ? query_load_failed(load, err) : GO_ON;
}

/* Has the file expired? Then it is not read. */
static bool is_old(const struct query_file *f, uint64_t before)
{
	return f->id.path && f->id.mtime_ns < before;
}

/* Begins to read ahead the files of rows that seem to be new. @paths: zeroed room for their paths,
 * in use until reading ends; if it is NULL, does nothing.
 */
static void read_ahead(struct loading *l, const struct query_files *files,
		       uint64_t before, const char **paths)
{
	unsigned int jobs = input_jobs(l->load->jobs);
	struct query_file_id id;
	size_t nr = 0;

	for (size_t i = 0; paths && jobs > 1 && i < files->nr; i++) {
		const struct query_file *f = &files->items[i];

		if (!f->rows || !f->id.path || is_old(f, before) ||
		    looks_known(l, f, &id))
			continue;
		paths[i] = f->path;
		nr++;
	}
	/* This thread is one of the jobs: it stores the rows. */
	if (nr > 1)
		l->ahead = ahead_start(paths, files->nr, jobs - 1);
}

static int load_all(struct loading *l, struct query_load *load,
		    const struct query_files *files, uint64_t before)
{
	struct query_file_id id;
	int ret = GO_ON, known;

	for (size_t i = 0; i < files->nr && ret == GO_ON; i++) {
		const struct query_file *f = &files->items[i];
		const struct ahead_rows *rows = l->ahead ? ahead_get(l->ahead, i) : NULL;

		known = is_old(f, before) ? 1 : is_known(l, f, &id, rows);
		if (known < 0)
			ret = query_load_failed(load, known);
		else if (!known)
			ret = load_file(l, f, &id, rows);
		load->nr_loaded += !known;
		l->done += known > 0 ? f->size : 0;
	}
	return ret;
}

int query_load(struct query_load *load, const struct query_files *files)
{
	struct loading l = { .load = load, .total = files->bytes };
	uint64_t now = clock_ns(CLOCK_REALTIME);
	uint64_t before = load->keep && load->keep < now ? now - load->keep : 0;
	const char **paths __auto_mem = calloc(files->nr + 1, sizeof(*paths));
	int ret;

	read_ahead(&l, files, before, paths);
	progress_start(&l.progress, "loading");
	ret = load_all(&l, load, files, before);
	progress_end(&l.progress);
	ahead_stop(l.ahead);
	strbuf_free(&l.problem);
	return ret ?: end_loading(load, before / NSEC_PER_SEC);
}
#endif
