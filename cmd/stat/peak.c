// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx peak.
 * In: a recording. Out: who held memory when most of it was live, or at another moment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_options.h"

/* The options that only this command has. @window: the time up to @at, in the form of --time. */
struct peak_args {
	const char *at;
	uint64_t bins;
	bool slab, page;
	char *window;
};

static const char command_name[] = "peak";

static int parse(struct peak_args *args, struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_words checked[] = { { "by", words.kinds, true },
						{ "sort", keys, true },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show who held memory when most of it was live.",
		.usage = "kmemx peak [options] [FILE]",
		.examples = "  kmemx peak --slab --by comm -l 5\n"
			    "  kmemx peak -i boot.dat --at 50% --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		STAT_KIND_OPTIONS(args),
		STAT_BY_OPTIONS(o, words.by),
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "at", "TIME", &args->at,
		  "at this moment instead: seconds, +1s, 10%" },
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 0, "over-time", "N", &args->bins,
		  "also live bytes at the ends of N parts of the time" },
		SAMPLE_OPTION(o->unscaled),
		STAT_SORT_OPTION(o, "objects"),
		STAT_ROW_OPTIONS(o),
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		STAT_FORMAT_OPTIONS(o),
		SUMMARY_OPTION(o->output),
		STAT_OUTPUT_OPTIONS(o),
	};

	stat_words(&words, command_name);
	stat_keys_words(keys, command_name);
	return stat_options_parse(o, &usage, options, argc, argv);
}

/* What is live at @at is what is live at the end of the events before it. */
static int choose_moment(struct peak_args *args, struct stat_options *o)
{
	if (!args->at)
		return GO_ON;
	if (o->window.time) {
		message_error(
			command_name,
			"--at and --time cannot be used together\n  --at shows a moment, counted from the start of the recording");
		return EXIT_USAGE;
	}
	if (!*args->at || strchr(args->at, ',') ||
	    time_window_parse(&o->window.parsed, args->at)) {
		message_error(
			command_name,
			"invalid --at '%s'\n  Give seconds as trace-cmd prints them (81.5), from the start (+1s) or in percent (10%%)",
			args->at);
		return EXIT_USAGE;
	}
	if (asprintf(&args->window, ",%s", args->at) < 0) {
		args->window = NULL;
		message_error(command_name, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	o->window.time = args->window;
	o->analyses.opts.at_end = true;
	return GO_ON;
}

/* Copies these options to those of the analysis. */
static int choose(struct peak_args *args, struct stat_options *o)
{
	struct stat_analyses *a = &o->analyses;
	int ret;

	if (args->slab != args->page)
		a->opts.needs = args->slab ? NEEDS_SLAB : NEEDS_PAGE;
	if (args->bins && args->at) {
		message_error(command_name,
			      "--over-time and --at cannot be used together");
		return EXIT_USAGE;
	}
	ret = stat_options_bins(o, args->bins, command_name);
	return ret == GO_ON ? choose_moment(args, o) : ret;
}

static int run_peak(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	struct peak_args args = { 0 };
	int ret = parse(&args, &st.opts, argc, argv);

	if (ret == GO_ON)
		ret = choose(&args, &st.opts);
	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	free(args.window);
	return ret;
}

const struct command command_peak = {
	.name = command_name,
	.purpose = "show who held memory when most of it was live",
	.group = COMMAND_LOOK,
	.run = run_peak,
};
