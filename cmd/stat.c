// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx stat.
 * In: a recording. Out: who allocated what: the slab and page reports.
 */
#include "command.h"
#include "input_dirs.h"
#include "input_symbols.h"
#include "input_window.h"
#include "row_limit.h"
#include "stat_columns.h"
#include "stat_keys.h"
#include "stat_run.h"

static const char command_name[] = "stat";

static int parse(struct stat_options *o, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_words checked[] = { { "by", words.kinds, true },
						{ "order-by", words.orders, false },
						{ "sort", keys, true },
						{ "tree", stat_tree_words, false },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
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
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		INPUT_OPTION(&o->path),
		TIME_OPTION(o->window),
		INSTANCE_OPTION(o->window),
		SYMBOL_FILE_OPTIONS(OPTION_STRING, o->symbols, ""),
		DIR_FILE_OPTIONS(OPTION_STRING, o),
		JOBS_OPTION(&o->jobs),
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" },
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_USUAL) },
		{ OPTION_FLAG, 0, "caller", NULL, &a->opts.by_caller,
		  "by callsite (default)" },
		{ OPTION_FLAG, 0, "alloc", NULL, &a->opts.by_address,
		  "by object address and by page" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "by", "WHAT", &o->choice.by_word,
		  words.by },
		DIR_DEPTH_OPTION(o->dir_depth),
		STAT_TREE_OPTIONS(o->tree),
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "live", NULL, &a->opts.live,
		  "only what is still allocated at the end" },
		{ OPTION_FLAG, 0, "unmatched", NULL, &a->opts.unmatched,
		  "also who freed objects without an allocation event" },
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_ASKED) },
		{ OPTION_DURATION, 0, "short", "TIME", &a->short_time,
		  "--lifetime: up to this it is short (default: 10us)" },
		{ OPTION_STRING | OPTION_EVERYDAY, 's', "sort", "KEYS", &o->sort,
		  "sort keys, e.g. bytes,+order,-hit" },
		LINES_OPTION(o->lines),
		MAX_LOST_OPTION(o->max_lost),
		{ OPTION_TABLE, .value = stat_analyses_options(a, ANALYSIS_ALONE) },
		{ OPTION_STRING, 0, "order-by", "KEY", &o->choice.order_by,
		  words.order_by },
		{ OPTION_FLAG, 0, "malloc", NULL, &o->choice.malloc_only,
		  "only kmalloc allocations" },
		{ OPTION_FLAG, 0, "cache-only", NULL, &o->choice.cache_only,
		  "only kmem_cache_alloc allocations" },
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
	stat_tree_settings(&o->tree, argc, argv);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &o->path);
	return ret;
}

static int run_stat(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	int ret = parse(&st.opts, argc, argv);

	if (ret == GO_ON)
		ret = stat_run_check(&st);
	if (ret == GO_ON && st.opts.columns)
		ret = stat_columns(&st.opts.output, command_name);
	if (ret == GO_ON)
		ret = stat_run_study(&st);
	stat_run_free(&st);
	return ret;
}

const struct command command_stat = {
	.name = "stat",
	.purpose = "show who allocated memory in a recording",
	.group = COMMAND_LOOK,
	.run = run_stat,
};
