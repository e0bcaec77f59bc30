// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx import.
 * In: a kernel's text log, or raw pages with the files beside them. Out: a recording.
 */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "command.h"
#include "options.h"
#include "recording/text_file.h"

#define DEFAULT_OUTPUT "kmemx.dat"

static const char command_name[] = "import";

int import_read_symbols(const struct import_options *o, struct strbuf *text)
{
	const char *path = o->kallsyms ? o->kallsyms : o->system_map;
	int err = path ? text_file_read(text, path) : 0;

	if (!err)
		return -1;
	message_error(command_name, "cannot read the symbols in %s: %s", path,
		      strerror(-err));
	return EXIT_FAILED;
}

struct recording_import_options import_known(struct import *im,
					     const struct strbuf *symbols)
{
	return (struct recording_import_options){
		.release = im->opts->release,
		.machine = im->opts->machine,
		.page_size = (uint32_t)im->opts->page_size,
		.symbols = symbols->data,
		.symbols_size = symbols->size,
		.open_part = import_open_part,
		.ctx = im,
	};
}

int import_open_output(struct import *im)
{
	return output_open(&im->out, im->opts->output, &im->log) ? EXIT_FAILED : -1;
}

int import_open_part(void *ctx, uint32_t cpu)
{
	const struct import *im = ctx;
	char *path;
	int fd;

	if (asprintf(&path, "%s.cpu%" PRIu32, im->out.prefix, cpu) < 0)
		return -ENOMEM;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = -errno;
	else
		unlink(path);
	free(path);
	return fd;
}

int import_write(struct import *im, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts)
{
	int ret;

	output_release_reserve(&im->out);
	ret = writer_write(im->out.fd, facts, parts, nr_parts, &im->file_bytes, &im->log);
	if (ret) {
		message_error(command_name,
			      "cannot write %s: %s\n  Choose another place: -o FILE",
			      im->opts->output, strerror(-ret));
		return EXIT_FAILED;
	}
	return output_commit(&im->out, (uid_t)-1, (gid_t)-1, &im->log) ? EXIT_FAILED : -1;
}

void import_say(const struct import *im, const char *summary, const char *notes)
{
	const char *output = im->opts->output;
	bool named = strcmp(output, DEFAULT_OUTPUT) != 0;

	if (im->opts->quiet)
		return;
	message_info("%s -> %s", summary, output);
	while (*notes) {
		size_t len = strcspn(notes, "\n");

		message_info("note: %.*s", (int)len, notes);
		notes += len + (notes[len] == '\n');
	}
	message_info("next: kmemx stat%s%s", named ? " -i " : "", named ? output : "");
}

static int usage_error(const char *text)
{
	message_error(command_name, "%s", text);
	return EXIT_USAGE;
}

static int check(const struct import_options *o, int argc, char **argv, int operands)
{
	if (operands < argc) {
		message_error(
			command_name,
			"unexpected argument '%s'\n  A text log: --ftrace-text FILE    raw pages: --raw-pages DIR",
			argv[operands]);
		return EXIT_USAGE;
	}
	if (!o->text == !o->raw_pages)
		return usage_error(
			"exactly one of --ftrace-text and --raw-pages says what to import.\n  Try: kmemx import --ftrace-text trace.txt");
	if (o->kallsyms && o->system_map)
		return usage_error("--kallsyms and --system-map are alternatives.");
	if (o->page_size && (o->page_size < 4096 || o->page_size > 1U << 20 ||
			     (o->page_size & (o->page_size - 1))))
		return usage_error(
			"--page-size is a power of two from 4K to 1M: the size of the kernel's pages.");
	return -1;
}

static int parse(struct import_options *o, int argc, char **argv)
{
	static const struct option_usage usage = {
		.command = command_name,
		.purpose =
			"Make a recording of a kernel's text log, or of raw pages copied with cat.",
		.usage = "kmemx import --ftrace-text FILE [options]\n"
			 "kmemx import --raw-pages DIR [options]",
		.examples =
			"  kmemx import --ftrace-text trace.txt.gz -o board.dat\n"
			"  kmemx import --raw-pages copied-from-board/ -o board.dat\n",
	};
	const struct option options[] = {
		{ OPTION_GROUP, .help = "What" },
		{ OPTION_STRING, 0, "ftrace-text", "FILE", &o->text,
		  "a copy of the kernel's trace file; may be gzip'd; -: stdin" },
		{ OPTION_STRING, 0, "raw-pages", "DIR", &o->raw_pages,
		  "copies of trace_pipe_raw, and of the files that describe them" },
		{ OPTION_GROUP, .help = "What is not in it" },
		{ OPTION_STRING, 0, "kallsyms", "FILE", &o->kallsyms,
		  "addresses of the functions: that kernel's /proc/kallsyms" },
		{ OPTION_STRING, 0, "system-map", "FILE", &o->system_map,
		  "the same, from a System.map" },
		{ OPTION_STRING, 0, "release", "RELEASE", &o->release,
		  "the kernel's release: uname -r" },
		{ OPTION_STRING, 0, "machine", "MACHINE", &o->machine,
		  "the machine: uname -m" },
		{ OPTION_SIZE, 0, "page-size", "BYTES", &o->page_size,
		  "size of the kernel's pages: getconf PAGESIZE" },
		{ OPTION_GROUP, .help = "The recording" },
		{ OPTION_STRING, 'o', "output", "FILE", &o->output,
		  "default kmemx.dat; an existing one becomes FILE.old" },
		{ OPTION_FLAG, 'q', "quiet", NULL, &o->quiet, "only errors" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose, "more messages" },
		{ OPTION_HELP, 'h', "help", NULL, NULL, "show this help" },
		{ OPTION_END },
	};
	int operands, ret = options_parse(&usage, options, argc, argv, &operands);

	return ret < 0 ? check(o, argc, argv, operands) : ret;
}

static int run_import(int argc, char **argv)
{
	struct import_options o = { .output = DEFAULT_OUTPUT };
	struct message_log log_state = { .command = command_name };
	struct import im = { .opts = &o, .out = OUTPUT_INIT };
	int ret = parse(&o, argc, argv);

	if (ret >= 0)
		return ret;
	log_state.verbose = o.verbose;
	log_state.quiet = o.quiet;
	im.log = message_log(&log_state);
	ret = o.text ? import_text(&im) : import_raw_pages(&im);
	output_close(&im.out);
	return ret;
}

const struct command command_import = {
	.name = command_name,
	.purpose = "make a recording of a kernel's text log, or of raw pages",
	.run = run_import,
};
