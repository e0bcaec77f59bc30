// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx frag.
 * In: a recording. Out: which page blocks were taken from other migratetypes, and for whom.
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

/* More marks than that have room on no screen, and take memory for every row. */
#define BINS_MAX 200U

static const char command_name[] = "frag";

static int parse(uint64_t *bins, struct stat_options *o, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_words checked[] = { { "by", words.kinds, true },
						{ "sort", keys, true },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose =
			"Show page blocks taken from the free lists of another migratetype.",
		.usage = "kmemx frag [options] [FILE]",
		.examples = "  sudo kmemx record --frag -- make\n"
			    "  kmemx frag --by comm --over-time 40\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		INPUT_OPTION(&o->path),
		TIME_OPTION(o->window),
		INSTANCE_OPTION(o->window),
		SYMBOL_FILE_OPTIONS(OPTION_STRING, o->symbols, ""),
		DIR_FILE_OPTIONS(OPTION_STRING, o),
		{ OPTION_POSITIVE, 0, "jobs", "N", &o->jobs,
		  "threads (default: one for each CPU here)" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "by", "WHAT", &o->choice.by_word,
		  words.by },
		DIR_DEPTH_OPTION(o->dir_depth),
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 0, "over-time", "N", bins,
		  "also how many there were in N parts of the time" },
		{ OPTION_STRING | OPTION_EVERYDAY, 's', "sort", "KEYS", &o->sort,
		  "sort keys, e.g. pages" },
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

	stat_words(&words);
	stat_keys_words(keys, command_name);
	a->short_time = UINT64_MAX;
	ret = options_parse(&usage, options, argc, argv, &operands);
	o->usual_sort = options_is_setting(argc, argv, o->sort);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &o->path);
	return ret;
}

static int choose(uint64_t bins, struct stat_options *o)
{
	struct stat_analyses *a = &o->analyses;
	size_t i;

	for (i = 0; analysis_at(i); i++)
		a->asked[i] = analysis_at(i) == analysis_find(command_name);
	if (bins > BINS_MAX) {
		message_error(command_name, "--over-time: at most %u", BINS_MAX);
		return EXIT_USAGE;
	}
	a->opts.bins = (unsigned int)bins;
	return GO_ON;
}

static int run_frag(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	uint64_t bins = 0;
	int ret = parse(&bins, &st.opts, argc, argv);

	if (ret == GO_ON)
		ret = choose(bins, &st.opts);
	if (ret == GO_ON)
		ret = stat_run_check(&st);
	if (ret == GO_ON && st.opts.columns)
		ret = stat_columns(&st.opts.output, command_name);
	if (ret == GO_ON)
		ret = stat_run_study(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_frag = {
	.name = command_name,
	.purpose = "show page blocks taken from another migratetype",
	.group = COMMAND_LOOK,
	.run = run_frag,
};
