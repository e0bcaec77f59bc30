// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx percpu.
 * In: a recording. Out: refills and drains of the page lists of CPUs.
 */
#include "command.h"
#include "stat_keys.h"
#include "stat_options.h"

static const char command_name[] = "percpu";

static int parse(struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	const struct option_words checked[] = { { "sort", keys, true },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show refills and drains of the page lists of CPUs.",
		.usage = "kmemx percpu [options] [FILE]",
		.examples = "  sudo kmemx record --percpu -- make\n"
			    "  kmemx percpu -s drain_pages -l 8\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		STAT_SORT_OPTION(o, "drain_pages"),
		STAT_ROW_OPTIONS(o),
		STAT_FORM_GROUP,
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "full summary; more messages" },
		STAT_FORMAT_OPTIONS(o),
		SUMMARY_OPTION(o->output),
		STAT_OUTPUT_OPTIONS(o),
	};

	stat_keys_words(keys, command_name);
	return stat_options_parse(o, &usage, options, argc, argv);
}

static int run_percpu(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_percpu = {
	.name = command_name,
	.purpose = "show refills and drains of the page lists of CPUs",
	.group = COMMAND_LOOK,
	.run = run_percpu,
};
