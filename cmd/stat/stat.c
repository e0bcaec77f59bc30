// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx stat.
 * In: a recording. Out: who allocated what: the slab and page reports.
 */
#include "cmd/options/command.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_run.h"

static const char command_name[] = "stat";

static int parse(struct stat_options *o, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_words checked[] = {
		{ .option = "by", .words = words.kinds, .list = true },
		{ .option = "order-by", .words = words.orders },
		{ .option = "sort", .words = keys, .list = true },
		{ .option = "tree", .words = stat_tree_words },
		OUTPUT_WORDS,
		{ .option = NULL }
	};
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show who allocated memory in a recording.",
		.usage = "kmemx stat [options] [FILE]",
		.examples =
			"  kmemx stat --page --caller -s order,hit -l 20\n"
			"  kmemx stat -i boot.dat --slab --alloc --time 10%,20% --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_USUAL) },
		{ OPTION_FLAG, 0, "caller", NULL, &a->opts.by_caller,
		  "by callsite (default)" },
		{ OPTION_FLAG, 0, "alloc", NULL, &a->opts.by_address,
		  "by object address and by page" },
		STAT_BY_OPTIONS(o, words.by),
		STAT_TREE_OPTIONS(o->tree),
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "live", NULL, &a->opts.live,
		  "only what is still allocated at the end" },
		{ OPTION_TABLE, .value = stat_analyses_own_options(a, "slab") },
		SAMPLE_OPTION(o->unscaled),
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_ASKED) },
		{ OPTION_TABLE, .value = stat_analyses_own_options(a, "lifetime") },
		STAT_SORT_OPTION(o, "sort keys, e.g. bytes,+order,-hit"),
		STAT_ROW_OPTIONS(o),
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_ALONE) },
		{ OPTION_STRING, 0, "order-by", "KEY", &o->choice.order_by,
		  words.order_by },
		{ OPTION_TABLE, .value = stat_analyses_own_options(a, "account") },
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		STAT_FORMAT_OPTIONS(o),
		SUMMARY_OPTION(o->output),
		CLOCK_TIME_OPTION(o->output),
		STAT_OUTPUT_OPTIONS(o),
	};
	int ret;

	stat_words(&words, command_name);
	stat_keys_words(keys, command_name);
	ret = stat_options_parse(o, &usage, options, argc, argv);
	stat_tree_settings(&o->tree, argc, argv);
	return ret;
}

static int run_stat(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_stat = { "stat", "show who allocated memory in a recording",
				      COMMAND_LOOK, run_stat };
