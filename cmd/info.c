// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx info.
 * In: a recording. Out: what it is: kernel, clock, events by type, losses by CPU.
 */
#include "info.h"

#include <errno.h>
#include <string.h>

#include "command.h"
#include "input_symbols.h"
#include "lost_limit.h"
#include "message.h"
#include "options.h"
#include "output.h"

static const char command_name[] = "info";

/* Reads and prints. A damaged file without an event left is unreadable, whatever it says. */
static int show(struct info *info, const struct input *in, bool json,
		const struct lost_limit *max_lost)
{
	int err = info_collect(info, in), ret;

	if (err == -ENOENT)
		return input_no_instance(in, info->instance);
	if (err)
		return input_stream_failed(in, err);
	ret = output_write(command_name, json ? info_print_json : info_print_text, info,
			   false);
	if (!ret && !info->facts.nr_events &&
	    (info->facts.nr_bad_pages || info->facts.nr_damaged))
		return EXIT_UNREADABLE;
	return lost_limit_check(max_lost, &info->facts, command_name, ret);
}

static int run_info(int argc, char **argv)
{
	static const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show what a recording is and holds.",
		.usage = "kmemx info [options] [FILE]",
		.examples = "  kmemx info\n  kmemx info -i boot.dat --json\n",
	};
	struct input_options input_opts = { .command = command_name,
					    .want_symbols = true };
	struct lost_limit max_lost = { 0 };
	struct info info = { 0 };
	bool json = false;
	const struct option options[] = {
		{ OPTION_STRING, 'i', "input", "FILE", &input_opts.path,
		  "recording (default kmemx.dat; -: standard input)" },
		{ OPTION_STRING, 0, "max-lost", "N|PCT%", &max_lost.text,
		  "exit with 125 if more events were lost" },
		{ OPTION_STRING, 0, "instance", "NAME", &info.instance,
		  "only the ring buffer of this name" },
		SYMBOL_FILE_OPTIONS(input_opts.symbols),
		{ OPTION_FLAG, 0, "json", NULL, &json, "JSON" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &input_opts.verbose,
		  "list all gaps; more messages" },
		{ OPTION_HELP, 'h', "help", NULL, NULL, "show this help" },
		{ OPTION_END },
	};
	struct input in = { 0 };
	int operands, ret;

	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &input_opts.path);
	if (ret == GO_ON)
		ret = lost_limit_parse(&max_lost, command_name);
	if (ret == GO_ON)
		ret = symbol_files_check(&input_opts.symbols, command_name);
	if (ret == GO_ON)
		ret = input_open(&in, &input_opts);
	if (ret == GO_ON) {
		info.verbose = input_opts.verbose > 0;
		ret = show(&info, &in, json, &max_lost);
	}
	info_free(&info);
	input_close(&in);
	return ret;
}

const struct command command_info = {
	.name = "info",
	.purpose = "show what a recording is and holds",
	.run = run_info,
};
