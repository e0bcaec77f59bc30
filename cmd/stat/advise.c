// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx advise.
 * In: a recording. Out: what could be allocated better, the best finding first.
 */
#include "cmd/options/command.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_options.h"

static const char command_name[] = "advise";

static int parse(struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	const struct option_words checked[] = { { "sort", keys, true },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show what could be allocated better, the best finding first.",
		.usage = "kmemx advise [options] [FILE]",
		.examples = "  kmemx advise -l 5\n"
			    "  kmemx advise -i boot.dat --comm systemd --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),	    STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),	    STAT_JOBS_OPTIONS(o),
		STAT_SORT_OPTION(o, "hit"), STAT_ROW_OPTIONS(o),
		FILTER_OPTIONS(o->filter),  STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),	    STAT_FORMAT_OPTIONS(o),
		SUMMARY_OPTION(o->output),  STAT_OUTPUT_OPTIONS(o),
	};

	stat_keys_words(keys, command_name);
	return stat_options_parse(o, &usage, options, argc, argv);
}

static int run_advise(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_advise = {
	.name = command_name,
	.purpose = "show what could be allocated better",
	.group = COMMAND_LOOK,
	.run = run_advise,
};
