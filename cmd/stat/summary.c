// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx summary.
 * In: a recording. Out: the most important facts about it, in a few lines.
 */
#include "cmd/options/command.h"
#include "cmd/stat/stat_options.h"

static const char command_name[] = "summary";

static int parse(struct stat_options *o, int argc, char **argv)
{
	const struct option_words checked[] = { OUTPUT_WORDS, { NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show the main figures of a recording on one screen.",
		.usage = "kmemx summary [options] [FILE]",
		.examples = "  kmemx summary --comm git\n"
			    "  kmemx summary -i boot.dat --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),	    STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),	    STAT_JOBS_OPTIONS(o),
		SAMPLE_OPTION(o->unscaled), MAX_LOST_OPTION(o->max_lost),
		FILTER_OPTIONS(o->filter),  STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),	    STAT_FORMAT_OPTIONS(o),
		STAT_OUTPUT_OPTIONS(o),
	};

	return stat_options_parse(o, &usage, options, argc, argv);
}

static int run_summary(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_summary = {
	.name = command_name,
	.purpose = "show the main figures of a recording on one screen",
	.group = COMMAND_LOOK,
	.run = run_summary,
};
