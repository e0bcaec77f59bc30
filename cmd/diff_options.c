// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: what kmemx diff takes.
 * In: argv. Out: struct diff_args, checked.
 */
#include "diff_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry.h"
#include "analysis/subject.h"
#include "base/strbuf.h"
#include "command.h"
#include "input_symbols.h"
#include "input_window.h"
#include "message.h"
#include "options_value.h"
#include "recording/text_file.h"

#define ALPHA 0.05

static const char command_name[] = "diff";

enum { METRIC_BYTES, METRIC_HIT, METRIC_NET, METRIC_WASTE, METRIC_PEAK, NR_METRICS };

const struct diff_metric diff_metrics[NR_METRICS] = {
	[METRIC_BYTES] = { "bytes", "Bytes", UNIT_BYTES, false, NULL },
	[METRIC_HIT] = { "hit", "Hit", UNIT_COUNT, false, NULL },
	[METRIC_NET] = { "net", "Net", UNIT_BYTES, false, "net_min" },
	[METRIC_WASTE] = { "waste", "Waste", UNIT_BYTES, false, NULL },
	[METRIC_PEAK] = { "peak", "Peak", UNIT_BYTES, true, NULL },
};

static int parse_options(struct diff_args *a, int argc, char **argv, int *operands)
{
	static const struct option_usage usage = {
		.command = command_name,
		.purpose = "Compare recordings: what allocates more, what less.",
		.usage = "kmemx diff [options] [OLD NEW]\n"
			 "kmemx diff [options] OLD... -- NEW...",
		.examples =
			"  kmemx diff before.dat after.dat --page -l 20\n"
			"  kmemx diff old/ new/ --fail-on 'net>+5%&+64K' --max-lost 0\n",
	};
	const struct option_entry options[] = {
		{ OPTION_GROUP, .help = "What to compare" },
		{ OPTION_FLAG, 0, "slab", NULL, &a->slab,
		  "slab objects (default: what was recorded)" },
		{ OPTION_FLAG, 0, "page", NULL, &a->page, "page allocations" },
		{ OPTION_FLAG, 0, "caller", NULL, &a->caller, "by callsite (default)" },
		{ OPTION_FLAG, 0, "cache", NULL, &a->cache, "by slab cache" },
		{ OPTION_FLAG, 0, "order", NULL, &a->order,
		  "page orders and migratetypes (default)" },
		{ OPTION_STRING, 0, "by", "WHAT", &a->by,
		  "callsite, stack, module or dir, for --caller" },
		DIR_DEPTH_OPTION(a->dir_depth),
		{ OPTION_STRING, 0, "per", "WHAT", &a->per,
		  "divide by: none (default), second, event:NAME, N" },
		{ OPTION_STRINGS, 0, "skip-func", "REGEX", &a->choice.skip,
		  "no callsites either; may be repeated" },
		TIME_OPTION(a->choice.window),
		INSTANCE_OPTION(a->choice.window),
		{ OPTION_GROUP,
		  .help = "Where names are from (twice: of the old, of the new recordings)" },
		SYMBOL_FILE_OPTIONS(OPTION_STRINGS, a->files, "; directories"),
		DIR_FILE_OPTIONS(OPTION_STRINGS, &a->files),
		{ OPTION_GROUP, .help = "What to show" },
		{ OPTION_STRING, 0, "columns", "LIST", &a->columns,
		  "bytes,hit,net,waste,peak: the first in full" },
		{ OPTION_STRING, 's', "sort", "KEYS", &a->sort,
		  "sort keys (default: abs), e.g. pct,-delta" },
		LINES_OPTION(a->lines),
		{ OPTION_FLAG, 0, "all", NULL, &a->all, "rows that did not change too" },
		{ OPTION_GROUP, .help = "When to fail" },
		{ OPTION_STRINGS, 0, "fail-on", "RULE", &a->fail_on,
		  "exit 1 if a row does this: 'net>+5%&+64K'" },
		{ OPTION_STRING, 0, "budget", "FILE", &a->budget,
		  "exit 1 if a rule in FILE does not hold" },
		{ OPTION_STRING, 0, "max-lost", "N|PCT%", &a->max_lost.text,
		  "exit 125 if a recording lost more (with rules: 1%)" },
		{ OPTION_FLAG, 0, "strict", NULL, &a->strict,
		  "exit 125 if a rule is too uncertain to decide" },
		{ OPTION_GROUP, .help = "How to show it" },
		{ OPTION_TABLE, .value = output_formats(&a->output) },
		OUTPUT_OPTIONS(a->output),
		VERBOSE_OPTION(a->choice.verbose),
		OPTIONS_END,
	};

	return options_parse(&usage, options, argc, argv, operands);
}

/* "unknown WHAT 'WORD'. Did you mean ...?" and the list. */
static int unknown_word(const char *what, const char *word, const char *const *words,
			size_t nr)
{
	const char *near = *word ? options_nearest(word, words, nr) : NULL;
	struct strbuf list = { 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		strbuf_printf(&list, " %s", words[i]);
	message_error(command_name, "unknown %s '%s'.%s%s%s\n  One of:%s", what, word,
		      near ? " Did you mean '" : "", near ? near : "", near ? "'?" : "",
		      strbuf_text(&list));
	strbuf_free(&list);
	return EXIT_USAGE;
}

static int parse_by(struct diff_args *a)
{
	uint32_t rows = analysis_find("comparison_slab")->rows;
	const char *words[SUBJECT_NR];
	unsigned int kind;
	size_t nr = 0;

	if (!a->by)
		return GO_ON;
	for (kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++) {
		if (!(rows >> kind & 1))
			continue;
		words[nr++] = subjects_word(kind);
		if (strcmp(a->by, subjects_word(kind)))
			continue;
		a->choice.by = kind == SUBJECT_CALLSITE ? SUBJECT_NONE : kind;
		a->caller = true;
		return GO_ON;
	}
	return unknown_word("--by", a->by, words, nr);
}

static int parse_per(struct diff_args *a)
{
	static const char *const words[] = { "none", "second", "event:NAME", "N" };
	uint64_t number;

	if (!a->per || !strcmp(a->per, "none"))
		return GO_ON;
	if (!strcmp(a->per, "second")) {
		a->choice.per = DIFF_PER_SECOND;
	} else if (!strncmp(a->per, "event:", 6) && a->per[6]) {
		a->choice.per = DIFF_PER_EVENT;
		a->choice.event = a->per + 6;
	} else if (!option_value_uint(a->per, &number) && number) {
		a->choice.per = DIFF_PER_NUMBER;
		a->choice.number = (double)number;
	} else {
		return unknown_word("--per", a->per, words, ARRAY_SIZE(words));
	}
	return GO_ON;
}

static int add_column(struct diff_args *a, const char *name)
{
	const char *names[NR_METRICS];
	struct diff_options *o = &a->diff;
	size_t i, k;

	for (i = 0; i < NR_METRICS; i++)
		names[i] = diff_metrics[i].name;
	for (i = 0; i < NR_METRICS && strcmp(name, names[i]); i++)
		;
	if (i == NR_METRICS)
		return unknown_word("column", name, names, NR_METRICS);
	for (k = 0; k < o->nr_shown; k++) {
		if (o->shown[k] == i)
			return GO_ON;
	}
	o->shown[o->nr_shown++] = i;
	return GO_ON;
}

static int parse_columns(struct diff_args *a)
{
	char *list = strdup(a->columns ? a->columns : "bytes,hit,net"), *p = list;
	int ret = GO_ON;

	if (!list) {
		message_error(command_name, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	while (p && ret == GO_ON) {
		char *name = strsep(&p, ",");

		ret = add_column(a, name);
	}
	free(list);
	return ret;
}

/* A user's key becomes a column's name: "bytes" is the new bytes, "delta" the main
 * metric's. Names are bounded by the list above them.
 */
static int parse_sort(struct diff_args *a)
{
	static const char *const words[] = { "delta",	 "pct",	  "abs",   "bytes",
					     "hit",	 "net",	  "waste", "peak",
					     "callsite", "stack", "cache", "module",
					     "dir" };
	const char *main = diff_metrics[a->diff.shown[0]].name;
	struct strbuf text = { 0 };
	struct sort_keys keys;
	int err = sort_keys_parse(&keys, a->sort ? a->sort : "abs");
	size_t i, k;

	if (err == -ENOMEM) {
		message_error(command_name, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	if (err)
		return unknown_word("sort key", a->sort, words, ARRAY_SIZE(words));
	for (i = 0; i < keys.nr; i++) {
		const char *name = keys.keys[i].name;

		for (k = 0; k < ARRAY_SIZE(words) && strcmp(name, words[k]); k++)
			;
		if (k == ARRAY_SIZE(words)) {
			err = unknown_word("sort key", name, words, ARRAY_SIZE(words));
			sort_keys_free(&keys);
			strbuf_free(&text);
			return err;
		}
		strbuf_puts(&text, i ? "," : "");
		strbuf_puts(&text, keys.keys[i].direction == SORT_ASCENDING    ? "+"
				   : keys.keys[i].direction == SORT_DESCENDING ? "-"
									       : "");
		if (k < 2)
			strbuf_printf(&text, "%s_%s", main, name);
		else
			strbuf_printf(&text, "%s%s", name, k > 2 && k < 8 ? "_new" : "");
	}
	sort_keys_free(&keys);
	err = sort_keys_parse(&a->keys, strbuf_text(&text));
	strbuf_free(&text);
	if (!err)
		return GO_ON;
	message_error(command_name, "%s", strerror(-err));
	return EXIT_FAILED;
}

static int read_budget(struct diff_args *a, struct strbuf *text)
{
	int err = text_file_read(text, a->budget, IO_FILE_OR_PIPE);

	if (!err)
		return GO_ON;
	message_error(command_name, "cannot read the budget %s: %s", a->budget,
		      io_strerror(err));
	return EXIT_USAGE;
}

static int parse_rules(struct diff_args *a)
{
	struct strbuf error = { 0 }, text = { 0 };
	int err = 0, ret = GO_ON;
	size_t i;

	for (i = 0; i < a->fail_on.count && !err; i++) {
		err = gate_add(&a->rules, a->fail_on.items[i], &error);
		if (err)
			message_error(
				command_name,
				"--fail-on '%s': %s\n  Such as 'net>+5%%&+64K' or 'page.bytes>+1M'; see kmemx-diff(1).",
				a->fail_on.items[i],
				err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	}
	if (!err && a->budget)
		ret = read_budget(a, &text);
	if (!err && ret == GO_ON && a->budget) {
		err = gate_add_budget(&a->rules, strbuf_text(&text), &error);
		if (err)
			message_error(
				command_name,
				"%s: %s\n  A line is such as 'kmalloc-64 waste < 10%%'; see kmemx-diff(1).",
				a->budget,
				err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	}
	strbuf_free(&error);
	strbuf_free(&text);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : ret;
}

/* What @side, 0 or 1, has of an option; "" is as if it was not given. */
static const char *side_value(const struct option_strings *given, size_t side)
{
	const char *value =
		given->count ? given->items[given->count > 1 ? side : 0] : NULL;

	return value && *value ? value : NULL;
}

static int parse_files(struct diff_args *a)
{
	const struct diff_files *f = &a->files;
	const struct {
		const char *name;
		const struct option_strings *given;
	} all[] = { { "kallsyms", &f->kallsyms },
		    { "system-map", &f->system_map },
		    { "vmlinux", &f->vmlinux },
		    { "modules", &f->modules },
		    { "source", &f->source } };
	int ret = GO_ON;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].given->count < 3)
			continue;
		message_error(
			command_name,
			"--%s was given %zu times.\n  Once: for all recordings; twice: for the old ones, then for the new ones.",
			all[i].name, all[i].given->count);
		return EXIT_USAGE;
	}
	for (i = 0; i < 2 && ret == GO_ON; i++) {
		struct diff_side *side = &a->sides[i];

		side->symbols = (struct symbol_files){
			.kallsyms = side_value(&f->kallsyms, i),
			.system_map = side_value(&f->system_map, i),
			.vmlinux = side_value(&f->vmlinux, i),
		};
		side->dirs = (struct dir_files){ side->symbols.vmlinux,
						 side_value(&f->modules, i),
						 side_value(&f->source, i) };
		ret = symbol_files_check(&side->symbols, command_name);
	}
	return ret;
}

static bool any_dirs(const struct diff_args *a)
{
	return dir_files_any(&a->sides[0].dirs) && dir_files_any(&a->sides[1].dirs);
}

bool diff_args_dirs(const struct diff_args *a)
{
	return a->choice.by == SUBJECT_DIR || (a->budget && any_dirs(a));
}

/* Directories that are asked for need files, and files somebody who asks for directories. */
static int check_dirs(const struct diff_args *a)
{
	const struct gate_rule *rule = gate_directory_rule(&a->rules);
	struct strbuf what = { 0 };
	int ret = GO_ON, i;

	if (!any_dirs(a) && (rule || a->choice.by == SUBJECT_DIR)) {
		if (rule)
			strbuf_printf(&what, "%s: '%s' names a directory", a->budget,
				      rule->text);
		else
			strbuf_puts(&what, "--by dir shows directories");
		ret = input_dirs_missing(
			command_name, strbuf_text(&what),
			dir_files_any(&a->sides[0].dirs)   ? " of the new recordings"
			: dir_files_any(&a->sides[1].dirs) ? " of the old recordings"
							   : "");
		strbuf_free(&what);
	}
	for (i = 0; i < 2 && ret == GO_ON && a->choice.by != SUBJECT_DIR; i++)
		if (!a->budget || a->dir_depth)
			ret = input_dirs_unused(&a->sides[i].dirs, a->dir_depth,
						command_name);
	return ret;
}

/* Fills in what the user left open. */
static void complete(struct diff_args *a)
{
	if (!a->caller && !a->cache && !a->order) {
		a->caller = true;
		a->order = true;
	}
	if (!a->slab && !a->page) {
		a->slab = a->caller || a->cache;
		a->page = a->caller || a->order;
	}
	a->choice.slab = a->slab && a->caller;
	a->choice.cache = a->slab && (a->cache || a->budget);
	a->choice.page = a->page;
	a->choice.dir_depth = input_dirs_depth(a->dir_depth);
	if (diff_args_dirs(a) && a->budget &&
	    (a->choice.by != SUBJECT_DIR || a->choice.dir_depth)) {
		a->choice.slab_dir = a->slab;
		a->choice.page_dir = a->page;
	}
	a->diff.metrics = diff_metrics;
	a->diff.nr_metrics = NR_METRICS;
	a->diff.count = METRIC_HIT;
	a->diff.largest = "largest";
	a->diff.alpha = ALPHA;
	a->diff.all = a->all;
}

/* A gate says something of what was allocated: of a recording with holes it does not. */
static int parse_max_lost(struct diff_args *a)
{
	a->max_lost.implied = a->rules.nr && !a->max_lost.text;
	if (a->max_lost.implied)
		a->max_lost.text = LOST_LIMIT_GATE;
	return lost_limit_parse(&a->max_lost, command_name);
}

int diff_args_parse(struct diff_args *a, int argc, char **argv)
{
	int ret, operands, separator = 0, nr_new;

	for (separator = 1; separator < argc && strcmp(argv[separator], "--");
	     separator++)
		;
	nr_new = separator < argc ? argc - 1 - separator : -1;
	ret = parse_options(a, argc, argv, &operands);
	if (ret == GO_ON)
		ret = output_check(&a->output, command_name);
	if (ret == GO_ON)
		ret = parse_by(a);
	if (ret == GO_ON)
		ret = parse_per(a);
	if (ret == GO_ON)
		ret = parse_columns(a);
	if (ret == GO_ON)
		ret = parse_sort(a);
	if (ret == GO_ON)
		ret = parse_rules(a);
	if (ret == GO_ON)
		ret = parse_files(a);
	if (ret == GO_ON)
		ret = check_dirs(a);
	if (ret == GO_ON)
		ret = input_window_check(&a->choice.window, command_name);
	if (ret == GO_ON)
		ret = parse_max_lost(a);
	if (ret == GO_ON)
		ret = diff_paths_init(&a->paths, argv + operands, argc - operands,
				      nr_new < 0 ? -1 : argc - operands - nr_new);
	complete(a);
	return ret;
}

void diff_args_free(struct diff_args *a)
{
	diff_paths_free(&a->paths);
	gate_free(&a->rules);
	sort_keys_free(&a->keys);
	free(a->fail_on.items);
	free(a->choice.skip.items);
	free(a->files.kallsyms.items);
	free(a->files.system_map.items);
	free(a->files.vmlinux.items);
	free(a->files.modules.items);
	free(a->files.source.items);
}
