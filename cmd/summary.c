// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx summary.
 * In: a recording. Out: what a person in a hurry wants to know of it.
 */
#include "command.h"
#include "input_symbols.h"
#include "input_window.h"
#include "stat_columns.h"
#include "stat_run.h"

static const char command_name[] = "summary";

static int parse(struct stat_options *o, int argc, char **argv)
{
	const struct option_words checked[] = { OUTPUT_WORDS, { NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show the most important of a recording on one screen.",
		.usage = "kmemx summary [options] [FILE]",
		.examples = "  kmemx summary --comm git\n"
			    "  kmemx summary -i boot.dat --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		INPUT_OPTION(&o->path),
		TIME_OPTION(o->window),
		INSTANCE_OPTION(o->window),
		SYMBOL_FILE_OPTIONS(OPTION_STRING, o->symbols, ""),
		{ OPTION_POSITIVE, 0, "jobs", "N", &o->jobs,
		  "threads (default: one for each CPU here)" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" },
		MAX_LOST_OPTION(o->max_lost),
		FILTER_OPTIONS(o->filter),
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "How to show it" },
		{ OPTION_FLAG, 0, "sites", NULL, &o->sites,
		  "a row per address in a function: function+0x1f" },
		RAW_IP_OPTION(o->raw_ip),
		RAW_NAMES_OPTION(o->raw_names),
		{ OPTION_STRINGS, 0, "skip-func", "REGEX", &o->skip,
		  "skip these functions too; may be repeated" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "full summary, skipped functions; more messages" },
		{ OPTION_TABLE, .value = output_formats(&o->output) },
		OUTPUT_OPTIONS(o->output),
		{ OPTION_FLAG, 0, "columns", NULL, &o->columns,
		  "list the columns of all tables and their meaning" },
		OPTIONS_END,
	};
	int operands, ret;

	o->analyses.short_time = UINT64_MAX;
	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &o->path);
	return ret;
}

static int run_summary(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	struct stat_analyses *a = &st.opts.analyses;
	int ret = parse(&st.opts, argc, argv);
	size_t i;

	for (i = 0; analysis_at(i); i++)
		a->asked[i] = analysis_at(i) == analysis_find(command_name);
	if (ret == GO_ON)
		ret = stat_run_check(&st);
	if (ret == GO_ON && st.opts.columns)
		ret = stat_columns(&st.opts.output, command_name);
	if (ret == GO_ON)
		ret = stat_run_study(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_summary = {
	.name = command_name,
	.purpose = "show the most important of a recording on one screen",
	.group = COMMAND_LOOK,
	.run = run_summary,
};
