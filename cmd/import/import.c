// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx import.
 * In: a kernel's text log, raw pages with the files beside them, or a perf.data file. Out: a
 * recording.
 */
#include "cmd/import/import.h"

#include "import/raw_pages.h"

/* For these errors the message was already logged. */
static int open_failed(const struct import *im, int err)
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

static int write_recording(struct import *im, const struct raw_pages *rp)
{
	struct import_result r = { .facts = raw_pages_facts(rp),
				   .notes = raw_pages_notes(rp) };
	char summary[64];
	int ret;

	r.parts = raw_pages_parts(rp, &r.nr_parts);
	ret = import_write(im, &r);
	if (ret != GO_ON)
		return ret;
	snprintf(summary, sizeof(summary), "%" PRIu64 " bytes of raw pages",
		 im->file_bytes);
	r.summary = summary;
	import_say(im, &r);
	return EXIT_OK;
}

static int run(struct import *im, const struct strbuf *symbols)
{
	const struct recording_import_options opts = import_known(im, symbols);
	struct raw_pages *rp = NULL;
	int err, ret;

	progress_start(&im->progress, "importing");
	err = raw_pages_open(&rp, im->opts->raw_pages, &opts, &im->log);
	progress_end(&im->progress);
	if (err)
		return open_failed(im, err);
	ret = write_recording(im, rp);
	raw_pages_close(rp);
	return ret;
}

static int import_raw_pages(struct import *im)
{
	struct strbuf __auto_free symbols = { 0 };
	int ret = import_begin(im, &symbols);

	if (ret == GO_ON)
		ret = run(im, &symbols);
	return ret;
}

static const char command_name[] = IMPORT_COMMAND;

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

static int parse(struct import_options *o, int argc, char **argv)
{
	static const struct option_usage usage = {
		.command = command_name,
		.purpose =
			"Convert a kernel's text log, raw pages copied with cat, or a perf.data file\n"
			"to a recording.",
		.usage = "kmemx import --ftrace-text FILE [options]\n"
			 "kmemx import --raw-pages DIR [options]\n"
			 "kmemx import --perf FILE [options]",
		.examples = "  kmemx import --ftrace-text trace.txt.gz -o board.dat\n"
			    "  kmemx import --raw-pages copied-from-board/ -o board.dat\n"
			    "  kmemx import --perf perf.data --kallsyms kallsyms\n",
	};
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
		{ OPTION_STRING, 0, "release", "RELEASE", &o->release,
		  "the kernel's release: uname -r" },
		{ OPTION_STRING, 0, "machine", "MACHINE", &o->machine,
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
	int operands, ret = options_parse(&usage, options, argc, argv, &operands);

	return ret == GO_ON ? check(o, argc, argv, operands) : ret;
}

static int run_import(int argc, char **argv)
{
	struct import_options o = { .output = IMPORT_DEFAULT_OUTPUT };
	struct message_log log_state = { .command = command_name };
	struct import im = { .opts = &o, .out = NEW_RECORDING_INIT };
	int ret = parse(&o, argc, argv);

	if (ret != GO_ON)
		return ret;
	log_state.verbose = o.verbose;
	log_state.quiet = o.quiet;
	im.log = message_log(&log_state);
	if (o.text)
		ret = import_text(&im);
	else
		ret = o.raw_pages ? import_raw_pages(&im) : import_perf(&im);
	new_recording_close(&im.out);
	message_log_end(&log_state);
	return ret;
}

const struct command command_import = {
	command_name, "convert a text log, raw pages or perf.data to a recording",
	COMMAND_CONVERT, run_import, .seldom = true
};
