// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx percpu.
 * In: a recording. Out: refills and drains of per-CPU page lists, and frees on another CPU than
 * that of the allocation.
 */
#include "cmd/options/command.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_options.h"

static const char command_name[] = "percpu";

static int parse(struct stat_options *o, int argc, char **argv)
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
			"Show which CPUs refill and drain page lists, allocate and free.",
		.usage = "kmemx percpu [options] [FILE]",
		.examples = "  sudo kmemx record --percpu -- make\n"
			    "  kmemx percpu --by stack -s objects -l 8\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		STAT_BY_OPTIONS(o, words.by),
		STAT_SORT_OPTION(o, "drain_pages,objects"),
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
	.purpose = "show which CPUs refill and drain, allocate and free",
	.group = COMMAND_LOOK,
	.seldom = true,
	.run = run_percpu,
};
