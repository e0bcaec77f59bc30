// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx frag.
 * In: a recording. Out: which page blocks were taken from other migratetypes, and for whom.
 */
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_options.h"

static const char command_name[] = "frag";

static int parse(uint64_t *bins, struct stat_options *o, int argc, char **argv)
{
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
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		STAT_BY_OPTIONS(o, words.by),
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 0, "over-time", "N", bins,
		  "also their number in each of N parts of the time" },
		STAT_SORT_OPTION(o, "pages"),
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

static int run_frag(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	uint64_t bins = 0;
	int ret = parse(&bins, &st.opts, argc, argv);

	if (ret == GO_ON)
		ret = stat_options_bins(&st.opts, bins, command_name);
	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_frag = {
	.name = command_name,
	.purpose = "show page blocks taken from another migratetype",
	.group = COMMAND_LOOK,
	.seldom = true,
	.run = run_frag,
};
