// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx stat.
 * In: a recording. Out: who allocated what: the slab and page reports.
 */
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_run.h"

static const char command_name[] = "stat";

static int parse(struct stat_options *o, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
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
		STAT_BY_OPTIONS(o, words.by, words.kinds),
		STAT_TREE_OPTIONS(o->tree),
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "live", NULL, &a->opts.live,
		  "only what is still allocated at the end" },
		{ OPTION_TABLE, .value = stat_analyses_own_options(a, "slab") },
		SAMPLE_OPTION(o->unscaled),
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_ASKED) },
		{ OPTION_TABLE, .value = stat_analyses_own_options(a, "lifetime") },
		STAT_SORT_OPTION(o, "sort keys, e.g. bytes,+order,-hit", keys),
		STAT_ROW_OPTIONS(o),
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_ALONE) },
		{ OPTION_STRING, 0, "order-by", "KEY", &o->order_by, words.order_by,
		  words.orders },
		{ OPTION_TABLE, .value = stat_analyses_own_options(a, "account") },
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		FORMAT_OPTIONS(o->output),
		SUMMARY_OPTION(o->output),
		CLOCK_TIME_OPTION(o->output),
		STAT_OUTPUT_OPTIONS(o),
	};
	int ret;

	stat_words(&words, command_name);
	stat_keys_words(keys, command_name);
	ret = stat_options_parse(o, &command_stat, options, argc, argv);
	stat_tree_settings(&o->tree, argc, argv);
	return ret;
}

static int run_stat(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	ret = ret ?: stat_run(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_stat = {
	command_name,
	"show who allocated memory in a recording",
	COMMAND_LOOK,
	run_stat,
	.examples = "  kmemx stat --page --caller -s order,hit -l 20\n"
		    "  kmemx stat -i boot.dat --slab --alloc --time 10%,20% --json\n",
};
