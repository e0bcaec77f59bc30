// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx advise.
 * In: a recording. Out: what could be allocated better, the best finding first.
 */
#include "command.h"
#include "input_symbols.h"
#include "input_window.h"
#include "row_limit.h"
#include "stat_columns.h"
#include "stat_keys.h"
#include "stat_run.h"

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
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		INPUT_OPTION(&o->path),
		TIME_OPTION(o->window),
		INSTANCE_OPTION(o->window),
		SYMBOL_FILE_OPTIONS(OPTION_STRING, o->symbols, ""),
		{ OPTION_POSITIVE, 0, "jobs", "N", &o->jobs,
		  "threads (default: one for each CPU here)" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" },
		{ OPTION_STRING | OPTION_EVERYDAY, 's', "sort", "KEYS", &o->sort,
		  "sort keys, e.g. hit" },
		LINES_OPTION(o->lines),
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
		SUMMARY_OPTION(o->output),
		OUTPUT_OPTIONS(o->output),
		{ OPTION_FLAG, 0, "columns", NULL, &o->columns,
		  "list the columns of all tables and their meaning" },
		OPTIONS_END,
	};
	int operands, ret;

	stat_keys_words(keys, command_name);
	o->analyses.short_time = UINT64_MAX;
	ret = options_parse(&usage, options, argc, argv, &operands);
	o->usual_sort = options_is_setting(argc, argv, o->sort);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &o->path);
	return ret;
}

static int run_advise(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);
	size_t i;

	for (i = 0; analysis_at(i); i++)
		st.opts.analyses.asked[i] = analysis_at(i) == analysis_find(command_name);
	if (ret == GO_ON)
		ret = stat_run_check(&st);
	if (ret == GO_ON && st.opts.columns)
		ret = stat_columns(&st.opts.output, command_name);
	if (ret == GO_ON)
		ret = stat_run_study(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_advise = {
	.name = command_name,
	.purpose = "show what could be allocated better",
	.group = COMMAND_LOOK,
	.run = run_advise,
};
