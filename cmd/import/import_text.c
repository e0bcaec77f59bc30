// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (import): a kernel's text log.
 * In: ftrace text. Out: a recording, and what the text has lost.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/import/import.h"
#include "cmd/options/command.h"
#include "import/text_import.h"
#include "report/text_cell.h"

static const char command_name[] = "import";

static int open_failed(const char *path, int err)
{
	if (err == -ENOTSUP)
		return message_fail(
			EXIT_UNREADABLE, command_name,
			"%s is compressed, and this build of kmemx has no zlib\n  Try: gzip -dc FILE | kmemx import --ftrace-text -",
			path);
	return message_fail(EXIT_UNREADABLE, command_name, "cannot read %s: %s", path,
			    io_strerror(err));
}

/* Size of the text; 0 if unknown (a pipe or a compressed file). */
static uint64_t text_size(int fd)
{
	unsigned char start[2];
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    io_pread_all(fd, start, sizeof(start), 0) ||
	    (start[0] == 0x1f && start[1] == 0x8b))
		return 0;
	return (uint64_t)st.st_size;
}

static int open_text(struct import *im, struct line_source **out, const char *path)
{
	int fd, err;

	if (strcmp(path, "-") != 0)
		fd = io_open_input(path, IO_FILE_OR_PIPE);
	else if ((fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) < 0)
		fd = -errno;
	if (fd == -EISDIR)
		return message_fail(
			EXIT_UNREADABLE, command_name,
			"%s is a directory\n  If it has raw pages: --raw-pages DIR",
			path);
	if (fd < 0)
		return open_failed(path, fd);
	im->text_bytes = text_size(fd);
	err = line_source_open_fd(out, fd);
	return err ? open_failed(path, err) : GO_ON;
}

/* Appends the first unreadable line and its number. */
static void quote(struct strbuf *sb, const struct text_import_result *r)
{
	strbuf_printf(sb, "line %" PRIu64 ": ", r->first_unreadable);
	strbuf_puts(sb, r->unreadable_text);
}

static int nothing_found(const struct import *im, const struct text_import *ti)
{
	const struct text_import_result *r = text_import_result(ti);
	struct strbuf __auto_free line = { 0 };

	if (!r->nr_unreadable)
		return message_fail(
			EXIT_UNREADABLE, command_name,
			"%s contains no readable kmem events (%" PRIu64
			" line%s, 0 unreadable)\n  It should be a copy of /sys/kernel/tracing/trace with kmem events",
			im->opts->text, r->nr_lines, plural(r->nr_lines));
	quote(&line, r);
	message_error(
		command_name,
		"%s contains no readable kmem events (%" PRIu64 " line%s, %" PRIu64
		" unreadable)\n  %s\n  It should be a copy of /sys/kernel/tracing/trace with kmem events",
		im->opts->text, r->nr_lines, plural(r->nr_lines), r->nr_unreadable,
		strbuf_text(&line));
	return EXIT_UNREADABLE;
}

static int run_failed(const struct import *im, int err)
{
	if (err != -EBADMSG)
		return import_failed(im, im->opts->text, err);
	return message_fail(EXIT_UNREADABLE, command_name,
			    "%s is damaged: it cannot be decompressed", im->opts->text);
}

static void warn_unreadable(const struct import *im, const struct text_import_result *r)
{
	struct strbuf __auto_free line = { 0 };

	if (!r->nr_unreadable)
		return;
	quote(&line, r);
	log_msg(&im->log, LOG_WARN,
		"%" PRIu64 " of %" PRIu64 " line%s could not be read; the first:\n  %s",
		r->nr_unreadable, r->nr_lines, plural(r->nr_lines), strbuf_text(&line));
}

static int write_recording(struct import *im, const struct text_import *ti)
{
	struct import_result r = { .facts = text_import_facts(ti),
				   .notes = text_import_notes(ti) };
	char summary[64];
	int ret;

	r.parts = text_import_parts(ti, &r.nr_parts);
	ret = import_write(im, &r);
	if (ret != GO_ON)
		return ret;
	warn_unreadable(im, text_import_result(ti));
	snprintf(summary, sizeof(summary), "%" PRIu64 " event%s",
		 text_import_result(ti)->nr_events,
		 plural(text_import_result(ti)->nr_events));
	r.summary = summary;
	import_say(im, &r);
	return EXIT_OK;
}

static int run(struct import *im, struct line_source *ls, const struct strbuf *symbols)
{
	const struct recording_import_options opts = import_known(im, symbols);
	struct text_import *ti = NULL;
	int err, ret;

	progress_start(&im->progress, "importing");
	err = text_import_run(&ti, ls, &opts);
	progress_end(&im->progress);
	if (err && err != -ENODATA)
		return run_failed(im, err);
	ret = err ? nothing_found(im, ti) : write_recording(im, ti);
	text_import_free(ti);
	return ret;
}

int import_text(struct import *im)
{
	struct line_source *ls = NULL;
	struct strbuf __auto_free symbols = { 0 };
	int ret = open_text(im, &ls, im->opts->text);

	if (ret == GO_ON)
		ret = import_begin(im, &symbols);
	if (ret == GO_ON)
		ret = run(im, ls, &symbols);
	line_source_close(ls);
	return ret;
}
