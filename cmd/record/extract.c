// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx extract.
 * In: options. Out: a recording of what a ring buffer holds, and its summary on stderr.
 */
#include <signal.h>

#include "base/io.h"
#include "base/safe_text.h"
#include "base/strbuf.h"
#include "capture/events/instance.h"
#include "capture/session/capture.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/options/signals.h"
#include "cmd/record/recorder.h"

#define DEFAULT_OUTPUT "kmemx.dat"
#define MAX_NAMES      64

struct extract_options {
	const char *instance;
	uint64_t file_version;
	bool stop, quiet;
	unsigned int verbose;
};

static int parse(struct extract_options *o, struct capture_options *c, int argc,
		 char **argv, int *operands)
{
	const struct option_entry options[] = {
		{ OPTION_STRING, 'B', "instance", "NAME", &o->instance,
		  "a tracing instance (default: the top-level one)" },
		{ OPTION_STRING, 'o', "output", "FILE", &c->output,
		  "file to write (default: " DEFAULT_OUTPUT ")" },
		{ OPTION_FLAG, 0, "stop", NULL, &o->stop,
		  "stop tracing while reading (default); or --no-stop" },
		{ OPTION_UINT, 0, "file-version", "6|7", &o->file_version,
		  "trace.dat version (default: 7)" },
		QUIET_OPTION(o->quiet),
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "more messages, such as what each CPU lost" },
		OPTIONS_END,
	};

	return options_parse(&command_extract, options, argc, argv, operands);
}

static int check(const struct extract_options *o, const struct capture_options *c,
		 int argc, char **argv, int operands)
{
	if (operands < argc)
		message_error(
			"extract",
			"unexpected argument '%s'\n  The file to write: -o FILE    the instance to read: --instance NAME",
			argv[operands]);
	else if (o->file_version != 6 && o->file_version != 7)
		message_error("extract", "--file-version takes 6 or 7");
	else if (!strcmp(c->output, "-"))
		message_error(
			"extract",
			"cannot write to standard output\n  Name a file; without a disk, use one in memory: -o /tmp/kmemx.dat");
	else
		return GO_ON;
	return EXIT_USAGE;
}

/* There is no instance @name: lists those that exist. */
static void say_no_instance(const char *name)
{
	const char *names[MAX_NAMES], *nearest;
	struct strbuf __auto_free list = { 0 };
	size_t nr = 0;
	char *text __auto_mem = instance_list();

	for (char *rest = text, *line; (line = strsep(&rest, "\n")) && nr < MAX_NAMES;)
		if (*line)
			names[nr++] = line;
	nearest = options_nearest(name, names, nr);
	for (size_t i = 0; i < nr && i < 8; i++)
		strbuf_printf(&list, "%s%s", i ? ", " : "", names[i]);
	if (nr > 8)
		strbuf_printf(&list, " and %zu more", nr - 8);
	if (nearest)
		message_error(
			"extract",
			"no tracing instance '%s'. Did you mean '%s'?\n  Instances: %s",
			name, nearest, strbuf_text(&list));
	else
		message_error(
			"extract",
			"no tracing instance '%s'\n  Instances: %s\n  Without --instance, the top-level instance is read",
			name, nr ? strbuf_text(&list) : "none");
}

static void say_summary(const struct capture_options *c, const struct capture_result *r)
{
	struct strbuf __auto_free lost = { 0 };
	char bytes[32];

	recorder_format_bytes(bytes, sizeof(bytes), r->file_bytes);
	recorder_format_losses(&lost, r);
	message_info("%" PRIu64 " event%s, %s, %s -> %s", r->events, plural(r->events),
		     bytes, strbuf_text(&lost), c->output);
	if (r->write_error)
		return;
	message_info("reading has removed them from the buffer");
	if (r->overrun)
		message_info(
			"the oldest events were overwritten; to keep those from boot: kmemx boot --print-cmdline");
	else if (r->dropped)
		message_info(
			"the buffer was full before the end; for a larger one: kmemx boot --print-cmdline -b SIZE");
	message_info("next: kmemx summary -i %s", SHELL_NAME(c->output));
}

static int extract(const struct extract_options *o, const struct capture_options *c)
{
	struct capture_result result;
	int ret = extract_run(c, o->instance, o->stop, &result);

	if (ret == -ESRCH)
		say_no_instance(o->instance);
	if (ret)
		return EXIT_FAILED;
	if (result.write_error)
		message_error(
			"extract",
			"the recording was cut short: %s\n  %s holds the events read so far and is marked as truncated; the rest is still in the buffer\n  Make room and extract again, to another file: -o FILE",
			strerror(result.write_error), c->output);
	if (!o->quiet)
		say_summary(c, &result);
	if (result.read_error)
		recorder_say_unread("extract", &result);
	return result.write_error || result.read_error ? EXIT_FAILED : EXIT_OK;
}

static int run_extract(int argc, char **argv)
{
	struct extract_options o = { .file_version = 7, .stop = true };
	struct message_log log_state = { .command = "extract" };
	struct capture_options c = { .output = DEFAULT_OUTPUT,
				     .stream_fd = -1,
				     .stop_fd = -1 };
	struct strbuf __auto_free line = { 0 };
	struct log log;
	sigset_t before;
	int operands = argc, ret, fd;

	ret = parse(&o, &c, argc, argv, &operands);
	ret = ret ?: check(&o, &c, argc, argv, operands);
	if (ret != GO_ON)
		return ret;
	log_state.verbose = o.verbose;
	log_state.quiet = o.quiet;
	log = message_log(&log_state);
	options_command_line(&line, argc, argv, NULL);
	c.command_line = strbuf_text(&line);
	c.file_version = (unsigned int)o.file_version;
	c.log = &log;
	/* Block signals until the file is complete and tracing is restored. */
	fd = signals_block(&before);
	ret = extract(&o, &c);
	io_close(&fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	message_log_end(&log_state);
	return ret;
}

const struct command command_extract = {
	"extract",
	"save the kernel's trace buffers, such as a trace from boot",
	COMMAND_RECORD,
	run_extract,
	.seldom = true,
	.usage = "kmemx extract [options]",
	.examples = "  sudo kmemx extract -o boot.dat\n"
		    "  sudo kmemx extract --instance boot -o boot.dat\n",
};
