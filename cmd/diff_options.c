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
#include "diff_words.h"
#include "input.h"
#include "input_symbols.h"
#include "input_window.h"
#include "message.h"
#include "options_value.h"
#include "recording/text_file.h"

#define ALPHA 0.05

#define SORT_WORDS_MAX 32
_Static_assert(SORT_WORDS_MAX >= DIFF_METRICS_MAX + 3 + SUBJECT_NR, "room for all words");

static const char command_name[] = "diff";

/* All words for -s: changes and figures, then what names rows. Returns how many. */
static size_t sort_words(const struct diff_args *a, const char *words[SORT_WORDS_MAX])
{
	size_t nr = diff_sort_words(&a->diff, words, SORT_WORDS_MAX - SUBJECT_NR);

	return nr + diff_row_words(words + nr);
}

static int parse_options(struct diff_args *a, int argc, char **argv, int *operands)
{
	const char *sort_keys[SORT_WORDS_MAX + 1] = { NULL };
	const struct diff_words help = diff_words(&a->metrics);
	const struct option_words words[] = { { "by", help.kinds, false },
					      { "columns", help.metrics, true },
					      { "sort", sort_keys, true },
					      OUTPUT_WORDS,
					      { NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Compare recordings: what allocates more and what less.",
		.usage = "kmemx diff [options] [OLD NEW]\n"
			 "kmemx diff [options] OLD... -- NEW...",
		.examples =
			"  kmemx diff before.dat after.dat --page -l 20\n"
			"  kmemx diff old/ new/ --fail-on 'net>+5%&+64K' --max-lost 0\n",
		.words = words,
		.short_help = true,
	};
	const struct option_entry options[] = {
		{ OPTION_GROUP, .help = "What to compare" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "slab", NULL, &a->slab,
		  "slab objects (default: what was recorded)" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "page", NULL, &a->page,
		  "page allocations" },
		{ OPTION_FLAG, 0, "caller", NULL, &a->caller, "by callsite (default)" },
		{ OPTION_FLAG, 0, "matrix", NULL, &a->matrix,
		  "page orders and migratetypes (default)" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "by", "WHAT", &a->by, help.by },
		DIR_DEPTH_OPTION(a->dir_depth),
		{ OPTION_STRING, 0, "per", "WHAT", &a->per,
		  "divide by: none (default), second, event:NAME, N" },
		{ OPTION_STRINGS, 0, "skip-func", "REGEX", &a->choice.skip,
		  "skip these functions too; may be repeated" },
		RAW_NAMES_OPTION(a->choice.raw_names),
		TIME_OPTION(a->choice.window),
		INSTANCE_OPTION(a->choice.window),
		JOBS_OPTION(&a->jobs),
		FILTER_OPTIONS(a->choice.words),
		{ OPTION_GROUP,
		  .help = "Where names come from (given twice: for the old, then the new side)" },
		SYMBOL_FILE_OPTIONS(OPTION_STRINGS, a->files, "; directories"),
		DIR_FILE_OPTIONS(OPTION_STRINGS, &a->files),
		{ OPTION_GROUP, .help = "What to show" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "columns", "LIST", &a->columns,
		  help.columns },
		{ OPTION_STRING | OPTION_EVERYDAY, 's', "sort", "KEYS", &a->sort,
		  "sort keys (default: abs), e.g. pct,-delta" },
		LINES_OPTION(a->lines),
		{ OPTION_FLAG, 0, "all", NULL, &a->all, "also rows that did not change" },
		{ OPTION_GROUP, .help = "When to fail" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "fail-on", "RULE", &a->fail_on,
		  "exit 1 if a row exceeds it: 'net>+5%&+64K'" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "budget", "FILE", &a->budget,
		  "exit 1 if a rule in FILE is broken" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "max-lost", "N|PCT%",
		  &a->max_lost.text,
		  "exit 125 if a recording lost more (with rules: 1%)" },
		{ OPTION_FLAG, 0, "strict", NULL, &a->strict,
		  "exit 125 if a rule is too uncertain to decide" },
		{ OPTION_GROUP, .help = "How to show it" },
		{ OPTION_TABLE, .value = output_formats(&a->output) },
		OUTPUT_OPTIONS(a->output),
		VERBOSE_OPTION(a->choice.verbose),
		OPTIONS_END,
	};

	sort_words(a, sort_keys);
	return options_parse(&usage, options, argc, argv, operands);
}

/* "cache" is a table of its own; the other words are what the rows of --caller stand for. */
static int parse_by_word(struct diff_args *a, const char *word)
{
	const char *kinds[SUBJECT_NR];
	size_t nr = diff_row_words(kinds);
	unsigned int kind = SUBJECT_NONE;

	if (option_choose("--by", word, kinds, nr, command_name) < 0)
		return EXIT_USAGE;
	while (strcmp(word, subjects_word(++kind)))
		;
	if (kind == SUBJECT_CACHE) {
		a->cache = true;
		return GO_ON;
	}
	a->choice.by = kind == SUBJECT_CALLSITE ? SUBJECT_NONE : kind;
	a->caller = true;
	return GO_ON;
}

static int parse_by(struct diff_args *a)
{
	int ret = GO_ON;
	size_t i;

	for (i = 0; i < a->by.count && ret == GO_ON; i++)
		ret = parse_by_word(a, a->by.items[i]);
	return ret;
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
		return option_unknown("--per", a->per, words, ARRAY_SIZE(words),
				      command_name);
	}
	return GO_ON;
}

static int add_column(struct diff_args *a, const char *name)
{
	const struct comparison_metrics *m = &a->metrics;
	const char *names[DIFF_METRICS_MAX];
	struct diff_options *o = &a->diff;
	size_t i, k;
	int column;

	for (i = 0; i < m->nr; i++)
		names[i] = m->items[i].name;
	column = option_choose("column", name, names, m->nr, command_name);
	if (column < 0)
		return EXIT_USAGE;
	for (k = 0; k < o->nr_shown; k++) {
		if (o->shown[k] != (size_t)column)
			continue;
		message_error(command_name, "--columns: '%s' is given twice", name);
		return EXIT_USAGE;
	}
	o->shown[o->nr_shown++] = (size_t)column;
	return GO_ON;
}

static void usual_columns(struct diff_args *a)
{
	size_t i;

	for (i = 0; i < a->metrics.nr; i++) {
		if (a->metrics.usual[i])
			a->diff.shown[a->diff.nr_shown++] = i;
	}
}

static int parse_columns(struct diff_args *a)
{
	char *list, *p;
	int ret = GO_ON;

	if (!a->columns) {
		usual_columns(a);
		return GO_ON;
	}
	list = p = strdup(a->columns);
	if (!list) {
		message_error(command_name, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	while (p && ret == GO_ON) {
		char *name = option_next_word(&p);

		ret = add_column(a, name);
	}
	free(list);
	return ret;
}

/* Appends the column that a user's key stands for: GO_ON, or EXIT_USAGE after a message. */
static int add_key(const struct diff_args *a, const struct sort_key *key,
		   struct strbuf *text)
{
	const char *words[SORT_WORDS_MAX];
	size_t nr = sort_words(a, words);

	if (option_choose("sort key", key->name, words, nr, command_name) < 0)
		return EXIT_USAGE;
	strbuf_puts(text, text->size ? "," : "");
	strbuf_puts(text, key->direction == SORT_ASCENDING    ? "+"
			  : key->direction == SORT_DESCENDING ? "-"
							      : "");
	/* What names rows has a column of the same name. */
	if (!diff_sort_column(&a->diff, key->name, text))
		strbuf_puts(text, key->name);
	return GO_ON;
}

static int parse_sort(struct diff_args *a)
{
	const char *words[SORT_WORDS_MAX];
	struct strbuf text = { 0 };
	int err = sort_keys_parse(&a->asked, a->sort ? a->sort : "abs"), ret = GO_ON;
	size_t i;

	if (err == -EINVAL || err == -E2BIG)
		return option_unknown("sort key", a->sort, words, sort_words(a, words),
				      command_name);
	for (i = 0; !err && i < a->asked.nr && ret == GO_ON; i++)
		ret = add_key(a, &a->asked.keys[i], &text);
	if (!err && ret == GO_ON)
		err = sort_keys_parse(&a->keys, strbuf_text(&text));
	for (i = 0; !err && ret == GO_ON && i < a->keys.nr; i++)
		a->keys.keys[i].said = a->asked.keys[i].name;
	strbuf_free(&text);
	if (!err)
		return ret;
	message_error(command_name, "%s", strerror(-err));
	return EXIT_FAILED;
}

static int read_budget(struct diff_args *a, struct strbuf *text)
{
	int err = text_file_read(text, a->budget, IO_FILE_OR_PIPE);

	if (err) {
		message_error(command_name, "cannot read the budget %s: %s", a->budget,
			      io_strerror(err));
		return EXIT_USAGE;
	}
	/* What follows a NUL would not be checked. */
	if (strlen(strbuf_text(text)) == text->size)
		return GO_ON;
	message_error(
		command_name,
		"%s: not a text file\n  Example of a line: 'kmalloc-64 waste < 10%%'; see kmemx-diff(1)",
		a->budget);
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
				"--fail-on '%s': %s\n  Example: 'net>+5%%&+64K' or 'page.bytes>+1M'; see kmemx-diff(1)",
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
				"%s: %s\n  Example of a line: 'kmalloc-64 waste < 10%%'; see kmemx-diff(1)",
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
			"--%s was given %zu times\n  Give it once for all recordings, or twice: for the old ones, then for the new ones",
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
	return a->choice.by == SUBJECT_DIR || filter_words_dirs(&a->choice.words) ||
	       (a->budget && any_dirs(a));
}

/* Directories that are asked for need files, and files somebody who asks for directories. */
static int check_dirs(const struct diff_args *a)
{
	const struct gate_rule *rule = gate_directory_rule(&a->rules);
	bool filter = filter_words_dirs(&a->choice.words);
	struct strbuf what = { 0 };
	int ret = GO_ON, i;

	if (!any_dirs(a) && (rule || filter || a->choice.by == SUBJECT_DIR)) {
		if (rule)
			strbuf_printf(&what,
				      "%s: '%s' needs the directories of functions",
				      a->budget, rule->text);
		else
			strbuf_printf(&what, "%s needs the directories of functions",
				      a->choice.by == SUBJECT_DIR ? "--by dir" : "--dir");
		ret = input_dirs_missing(
			command_name, strbuf_text(&what),
			dir_files_any(&a->sides[0].dirs)   ? " for the new recordings"
			: dir_files_any(&a->sides[1].dirs) ? " for the old recordings"
							   : "");
		strbuf_free(&what);
	}
	for (i = 0; i < 2 && ret == GO_ON && a->choice.by != SUBJECT_DIR; i++)
		if (!a->budget || a->dir_depth)
			ret = input_dirs_unused(
				&a->sides[i].dirs, filter, a->dir_depth,
				"--by dir, --dir, or a --budget with rules such as 'fs/ext4 net < 2M'",
				command_name);
	return ret;
}

/* Is the analysis' table needed, be it shown or only held against rules? The matrix of orders
 * comes with the pages.
 */
static bool wants(const struct diff_args *a, const struct analysis *analysis)
{
	const struct diff_choice *c = &a->choice;
	bool slab = analysis->needs & NEEDS_SLAB;

	if (!(slab ? a->slab : a->page))
		return false;
	if (analysis->use == ANALYSIS_RULES)
		return diff_args_dirs(a) && a->budget &&
		       (c->by != SUBJECT_DIR || c->dir_depth);
	if (analysis->use != ANALYSIS_DIFF)
		return false;
	if (analysis->rows & ROWS(CACHE))
		return a->cache || a->budget;
	return !slab || a->caller;
}

/* Filters on fields that events of one kind lack: those events are not compared. */
static int check_filter(const struct diff_args *a)
{
	const char *slab, *page;

	filter_words_foreign(&a->choice.words, &slab, &page);
	if (slab && page) {
		message_error(
			command_name,
			"%s and %s cannot be used together: one is for pages, the other for slab objects",
			slab, page);
		return EXIT_USAGE;
	}
	if ((slab && (a->slab || a->cache)) || (page && (a->page || a->matrix))) {
		message_error(
			command_name,
			"%s does not apply to %s: %s events do not have this field\n  Leave out one of the two",
			slab ? slab : page,
			slab	  ? a->slab ? "--slab" : "--by cache"
			: a->page ? "--page"
				  : "--matrix",
			slab ? "slab" : "page");
		return EXIT_USAGE;
	}
	return GO_ON;
}

/* Fills in what the user left open. */
static void complete(struct diff_args *a)
{
	const struct analysis *analysis;
	const char *no_slab, *no_page;
	size_t i;

	filter_words_foreign(&a->choice.words, &no_slab, &no_page);
	if (!a->caller && !a->cache && !a->matrix) {
		a->caller = true;
		a->matrix = true;
	}
	if (!a->slab && !a->page) {
		a->slab = (a->caller || a->cache) && !no_slab;
		a->page = (a->caller || a->matrix) && !no_page;
	}
	a->choice.dir_depth = input_dirs_depth(a->dir_depth);
	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (wants(a, analysis))
			a->choice.analyses[a->choice.nr++] = analysis;
	}
	a->diff.alpha = ALPHA;
	a->diff.all = a->all;
}

/* What there is to compare. */
static void learn_words(struct diff_args *a)
{
	const struct analysis *analysis;
	size_t i, nr = 0;

	comparison_metrics(&a->metrics);
	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (analysis->use == ANALYSIS_DIFF)
			a->tables[nr++] = analysis->tables[0]->name;
	}
	a->words = (struct gate_words){ a->metrics.items, a->metrics.nr, a->tables, nr };
	a->rules.words = &a->words;
	a->diff.metrics = a->metrics.items;
	a->diff.nr_metrics = a->metrics.nr;
	a->diff.count = a->metrics.count;
	a->diff.largest = a->metrics.largest;
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
	learn_words(a);
	ret = parse_options(a, argc, argv, &operands);
	if (ret == GO_ON)
		ret = output_check(&a->output, command_name);
	if (ret == GO_ON)
		ret = parse_by(a);
	if (ret == GO_ON)
		ret = check_filter(a);
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
	free(a->by.items);
	sort_keys_free(&a->asked);
	free(a->fail_on.items);
	free(a->choice.skip.items);
	filter_words_free(&a->choice.words);
	free(a->files.kallsyms.items);
	free(a->files.system_map.items);
	free(a->files.vmlinux.items);
	free(a->files.modules.items);
	free(a->files.source.items);
}
