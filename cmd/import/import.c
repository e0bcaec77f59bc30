// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx import.
 * In: a kernel's text log, raw pages with the files next to them, or a perf.data file. Out: a
 * recording.
 */
#include "cmd/import/import.h"

#include <sys/stat.h>

#include "base/io.h"
#include "import/raw_pages.h"
#include "import/text_import.h"

static const char command_name[] = IMPORT_COMMAND;

/* --- a text log -------------------------------------------------------------------------- */

static int open_text_failed(const char *path, int err)
{
	if (err == -ENOTSUP)
		return message_fail(
			EXIT_UNREADABLE, command_name,
			"%s is compressed, and this build of kmemx has no zlib\n  Try: gzip -dc FILE | kmemx import --ftrace-text -",
			path);
	return import_unreadable(path, err);
}

/* Size of the file; 0 if unknown (a pipe). */
static uint64_t file_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode) ? 0 : (uint64_t)st.st_size;
}

static int open_text(struct import *im, struct line_source **out, const char *path)
{
	int fd = import_open(path), err;

	if (fd == -EISDIR)
		return message_fail(
			EXIT_UNREADABLE, command_name,
			"%s is a directory\n  If it has raw pages: --raw-pages DIR",
			path);
	if (fd < 0)
		return open_text_failed(path, fd);
	im->text_bytes = file_size(fd);
	err = line_source_open_fd(out, fd, UNPACK_ZLIB, false);
	return err ? open_text_failed(path, err) : GO_ON;
}

/* Appends the first unreadable line and its number. */
static void quote(struct strbuf *sb, const struct text_import *r)
{
	strbuf_printf(sb, "line %" PRIu64 ": ", r->first_unreadable);
	strbuf_puts(sb, r->unreadable_text);
}

static int nothing_found(const struct import *im, const struct text_import *r)
{
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

static int text_failed(const struct import *im, const struct text_import *r, int err)
{
	if (err == -ENODATA)
		return nothing_found(im, r);
	if (err != -EBADMSG)
		return import_failed(im, im->opts->text, err);
	return message_fail(EXIT_UNREADABLE, command_name,
			    "%s is damaged: it cannot be decompressed", im->opts->text);
}

static int write_text(struct import *im, const struct text_import *r)
{
	struct strbuf __auto_free line = { 0 };
	char warning[96] = "";

	if (r->nr_unreadable) {
		snprintf(warning, sizeof(warning),
			 "%" PRIu64 " of %" PRIu64
			 " line%s could not be read; the first:",
			 r->nr_unreadable, r->nr_lines, plural(r->nr_lines));
		quote(&line, r);
	}
	return import_finish(im, &r->made, r->nr_events, warning, strbuf_text(&line));
}

static int import_text(struct import *im)
{
	struct line_source *ls = NULL;
	struct text_import r = { 0 };
	int ret = open_text(im, &ls, im->opts->text), err;

	if (ret == GO_ON)
		ret = import_begin(im);
	if (ret == GO_ON) {
		progress_start(&im->progress, "importing");
		err = text_import_run(&r, ls, &im->known);
		progress_end(&im->progress);
		ret = err ? text_failed(im, &r, err) : write_text(im, &r);
	}
	imported_free(&r.made);
	line_source_close(ls);
	return ret;
}

/* --- raw pages --------------------------------------------------------------------------- */

/* For these errors the message was already logged. */
static int raw_failed(const struct import *im, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODATA:
	case -EBADMSG:
	case -EINVAL:
		return EXIT_UNREADABLE;
	default:
		return import_failed(im, im->opts->raw_pages, err);
	}
}

static int import_raw_pages(struct import *im)
{
	struct imported made = { 0 };
	int ret = import_begin(im), err;

	if (ret != GO_ON)
		return ret;
	progress_start(&im->progress, "importing");
	err = raw_pages_import(&made, im->opts->raw_pages, &im->known, &im->log);
	progress_end(&im->progress);
	ret = err ? raw_failed(im, err) : import_finish(im, &made, 0, "", "");
	imported_free(&made);
	return ret;
}

/* --- the command ------------------------------------------------------------------------- */

static int usage_error(const char *text)
{
	message_text(command_name, text);
	return EXIT_USAGE;
}

static int check(const struct import_options *o, int argc, char **argv, int operands)
{
	if (operands < argc)
		return message_fail(
			EXIT_USAGE, command_name,
			"unexpected argument '%s'\n  Name the input: --ftrace-text FILE, --raw-pages DIR or --perf FILE",
			argv[operands]);
	if (!!o->text + !!o->raw_pages + !!o->perf != 1)
		return usage_error(
			"exactly one of --ftrace-text, --raw-pages and --perf is needed\n  Try: kmemx import --perf perf.data");
	if (o->kallsyms && o->system_map)
		return usage_error("--kallsyms and --system-map cannot be used together");
	if (o->page_size && (o->page_size < 4096 || o->page_size > 1U << 20 ||
			     (o->page_size & (o->page_size - 1))))
		return usage_error(
			"--page-size takes a power of two from 4K to 1M: the kernel's page size");
	return GO_ON;
}

static int parse(struct import *im, struct import_options *o, int argc, char **argv)
{
	const struct option_entry options[] = {
		{ OPTION_GROUP, .help = "What" },
		{ OPTION_STRING, 0, "ftrace-text", "FILE", &o->text,
		  "copy of tracefs' trace, may be gzipped; -: stdin" },
		{ OPTION_STRING, 0, "raw-pages", "DIR", &o->raw_pages,
		  "copies of trace_pipe_raw and the files beside it" },
		{ OPTION_STRING, 0, "perf", "FILE", &o->perf,
		  "a file of perf record or perf kmem record; -: stdin" },
		{ OPTION_GROUP, .help = "What the input lacks" },
		{ OPTION_STRING, 0, "kallsyms", "FILE", &o->kallsyms,
		  "function addresses: that kernel's /proc/kallsyms" },
		{ OPTION_STRING, 0, "system-map", "FILE", &o->system_map,
		  "the same, from a System.map" },
		{ OPTION_STRING, 0, "symfs", "DIR", &o->symfs,
		  "with --perf: the programs are below DIR" },
		{ OPTION_STRING, 0, "release", "RELEASE", &im->known.release,
		  "the kernel's release: uname -r" },
		{ OPTION_STRING, 0, "machine", "MACHINE", &im->known.machine,
		  "the machine: uname -m" },
		{ OPTION_SIZE, 0, "page-size", "BYTES", &o->page_size,
		  "size of the kernel's pages: getconf PAGESIZE" },
		{ OPTION_GROUP, .help = "The recording" },
		{ OPTION_STRING, 'o', "output", "FILE", &o->output,
		  "default kmemx.dat; an existing one becomes FILE.old" },
		QUIET_OPTION(o->quiet),
		VERBOSE_OPTION(o->verbose),
		OPTIONS_END,
	};
	int operands,
		ret = options_parse(&command_import, options, argc, argv, &operands);

	return ret ?: check(o, argc, argv, operands);
}

static int run_import(int argc, char **argv)
{
	struct import_options o = { .output = IMPORT_DEFAULT_OUTPUT };
	struct message_log log_state = { .command = command_name };
	struct import im = { .opts = &o, .out = NEW_RECORDING_INIT };
	int ret = parse(&im, &o, argc, argv);

	if (ret != GO_ON)
		return ret;
	log_state.verbose = o.verbose;
	log_state.quiet = o.quiet;
	im.known.page_size = (uint32_t)o.page_size;
	im.log = message_log(&log_state);
	if (o.text)
		ret = import_text(&im);
	else
		ret = o.raw_pages ? import_raw_pages(&im) : import_perf(&im);
	new_recording_close(&im.out);
	strbuf_free(&im.symbols);
	message_log_end(&log_state);
	return ret;
}

const struct command command_import = {
	command_name,
	"convert a text log, raw pages or perf.data to a recording",
	COMMAND_CONVERT,
	run_import,
	.seldom = true,
	.about =
		"Convert a kernel's text log, raw pages copied with cat, or a perf.data file\n"
		"to a recording.",
	.usage = "kmemx import --ftrace-text FILE [options]\n"
		 "kmemx import --raw-pages DIR [options]\n"
		 "kmemx import --perf FILE [options]",
	.examples = "  kmemx import --ftrace-text trace.txt.gz -o board.dat\n"
		    "  kmemx import --raw-pages copied-from-board/ -o board.dat\n"
		    "  kmemx import --perf perf.data --kallsyms kallsyms\n",
};
