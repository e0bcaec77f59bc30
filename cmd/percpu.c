// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx percpu.
 * In: a recording. Out: refills and drains of the page lists of CPUs.
 */
#include "command.h"
#include "input_dirs.h"
#include "input_symbols.h"
#include "input_window.h"
#include "message.h"
#include "row_limit.h"
#include "stat_columns.h"
#include "stat_keys.h"
#include "stat_run.h"

static const char command_name[] = "percpu";

static int parse(struct stat_options *o, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
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
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		INPUT_OPTION(&o->path),
		TIME_OPTION(o->window),
		INSTANCE_OPTION(o->window),
		{ OPTION_POSITIVE, 0, "jobs", "N", &o->jobs,
		  "threads (default: one for each CPU here)" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" },
		{ OPTION_STRING | OPTION_EVERYDAY, 's', "sort", "KEYS", &o->sort,
		  "sort keys, e.g. drain_pages" },
		LINES_OPTION(o->lines),
		MAX_LOST_OPTION(o->max_lost),
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "How to show it" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "full summary; more messages" },
		{ OPTION_TABLE, .value = output_formats(&o->output) },
		SUMMARY_OPTION(o->output),
		OUTPUT_OPTIONS(o->output),
		{ OPTION_FLAG, 0, "columns", NULL, &o->columns,
		  "list the columns of all tables and their meaning" },
		OPTIONS_END,
	};
	int operands, ret;

	stat_keys_words(keys, command_name);
	a->short_time = UINT64_MAX;
	ret = options_parse(&usage, options, argc, argv, &operands);
	o->usual_sort = options_is_setting(argc, argv, o->sort);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &o->path);
	return ret;
}

static void choose(struct stat_options *o)
{
	struct stat_analyses *a = &o->analyses;
	size_t i;

	for (i = 0; analysis_at(i); i++)
		a->asked[i] = analysis_at(i) == analysis_find(command_name);
}

static int run_percpu(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	choose(&st.opts);
	if (ret == GO_ON)
		ret = stat_run_check(&st);
	if (ret == GO_ON && st.opts.columns)
		ret = stat_columns(&st.opts.output, command_name);
	if (ret == GO_ON)
		ret = stat_run_study(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_percpu = {
	.name = command_name,
	.purpose = "show refills and drains of the page lists of CPUs",
	.group = COMMAND_LOOK,
	.run = run_percpu,
};
