// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx owners.
 * In: a recording. Out: who owns the pages that are live at the end, in page_owner_sort's terms.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_options.h"

/* The options that only this command has. @by, @sort: translated from page_owner_sort's words. */
struct owners_args {
	const char *cull;
	struct strbuf by, sort;
};

static const char command_name[] = "owners";

#define NO_TGID	     "events name threads, not their thread group"
#define NO_ALLOCATOR "events do not name the allocator; the callchain shows it"
#define NO_TEXT	     "kmemx has no text of a block"

/* What a word of page_owner_sort means to kmemx. @by: a word of --by, or NULL. @column: a key of
 * --sort, or NULL. @why: why kmemx does not have it, or NULL; @use: what to use instead.
 */
static const struct owner_word {
	const char *word, *by, *column, *why, *use;
} owner_words[] = {
	{ .word = "st", .by = "stack", .column = "stack" },
	{ .word = "stack", .by = "stack", .column = "stack" },
	{ .word = "stacktrace", .by = "stack", .column = "stack" },
	{ .word = "p", .by = "pid", .column = "pid" },
	{ .word = "pid", .by = "pid", .column = "pid" },
	{ .word = "n", .by = "comm", .column = "comm" },
	{ .word = "comm", .by = "comm", .column = "comm" },
	{ .word = "name", .by = "comm", .column = "comm" },
	{ .word = "at", .column = "alloc_ts" },
	{ .word = "alloc_ts", .column = "alloc_ts" },
	{ .word = "order", .column = "order" },
	{ .word = "migratetype", .column = "migtype" },
	{ .word = "tg", .why = NO_TGID, .use = "pid" },
	{ .word = "tgid", .why = NO_TGID, .use = "pid" },
	{ .word = "ator", .why = NO_ALLOCATOR, .use = "stacktrace" },
	{ .word = "allocator", .why = NO_ALLOCATOR, .use = "stacktrace" },
	{ .word = "T", .why = NO_TEXT, .use = "stacktrace" },
	{ .word = "txt", .why = NO_TEXT, .use = "stacktrace" },
};

static const char *const cull_words[] = { "stacktrace", "pid",	       "name",
					  "order",	"migratetype", NULL };

static const struct owner_word *find_word(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(owner_words); i++) {
		if (!strcmp(owner_words[i].word, word))
			return &owner_words[i];
	}
	return NULL;
}

static int parse(struct owners_args *args, struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_words checked[] = { { "by", words.kinds, true },
						{ "cull", cull_words, true },
						{ "sort", keys, true },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show who owns the pages that are live at the end.",
		.usage = "kmemx owners [options] [FILE]",
		.examples = "  kmemx owners --cull stacktrace -s times -l 10\n"
			    "  kmemx owners -i boot.dat --by module --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		STAT_BY_OPTIONS(
			o,
			"stack (default), callsite, comm, pid, cpu, module, dir, function, file, line"),
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "cull", "KEYS", &args->cull,
		  "a row for blocks that agree in these: stacktrace, pid, name, order, migratetype" },
		SAMPLE_OPTION(o->unscaled),
		STAT_SORT_OPTION(o, "times,-order"),
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

static void add_word(struct strbuf *list, const char *sign, const char *word)
{
	strbuf_printf(list, "%s%s%s", list->size ? "," : "", sign, word);
}

static int not_known(const char *option, const char *word, const struct owner_word *known)
{
	message_error(command_name, "%s %s: %s\n  Use %s", option, word, known->why,
		      known->use);
	return EXIT_USAGE;
}

static int cull_unknown(const char *word)
{
	return option_unknown("--cull", word, cull_words, ARRAY_SIZE(cull_words) - 1,
			      command_name);
}

/* Applies one key of --cull. */
static int cull_by(struct owners_args *args, struct analysis_options *opts,
		   const char *word)
{
	const struct owner_word *known = find_word(word);

	if (known && known->why)
		return not_known("--cull", word, known);
	if (known && known->by) {
		/* Ignore a repeated key, as page_owner_sort does. */
		if (!strstr(strbuf_text(&args->by), known->by))
			add_word(&args->by, "", known->by);
		return GO_ON;
	}
	if (!strcmp(word, "order"))
		opts->any_order = false;
	else if (!strcmp(word, "migratetype") || !strcmp(word, "migtype"))
		opts->any_migratetype = false;
	else
		return cull_unknown(word);
	return GO_ON;
}

/* Calls @add with each word of @list. GO_ON, or an exit code after a message. */
static int each_word(const char *list, struct owners_args *args,
		     struct analysis_options *opts,
		     int (*add)(struct owners_args *args, struct analysis_options *opts,
				const char *word))
{
	char *words = strdup(list), *p = words;
	int ret = GO_ON;

	while (p && ret == GO_ON)
		ret = add(args, opts, option_next_word(&p));
	if (!words || args->by.failed || args->sort.failed) {
		message_error(command_name, "%s", strerror(ENOMEM));
		ret = EXIT_FAILED;
	}
	free(words);
	return ret;
}

static int choose_cull(struct owners_args *args, struct stat_options *o)
{
	struct analysis_options *opts = &o->analyses.opts;
	int ret;

	if (o->choice.by_word) {
		message_error(
			command_name,
			"--cull and --by cannot be used together\n  --by has rows by order and migratetype too, --cull by its keys alone");
		return EXIT_USAGE;
	}
	opts->any_order = opts->any_migratetype = true;
	ret = each_word(args->cull, args, opts, cull_by);
	if (ret == GO_ON && !args->by.size) {
		message_error(
			command_name,
			"--cull %s: no key says who owns a page\n  Add stacktrace, pid or name",
			args->cull);
		ret = EXIT_USAGE;
	}
	o->choice.by_word = strbuf_text(&args->by);
	return ret;
}

/* Adds one key of --sort: the name of a column, or page_owner_sort's word for it. */
static int sort_by(struct owners_args *args, struct analysis_options *opts,
		   const char *word)
{
	const char sign[2] = { *word == '+' || *word == '-' ? *word : '\0', '\0' };
	const struct owner_word *known = find_word(word + strlen(sign));

	if (known && known->why)
		return not_known("--sort", word, known);
	add_word(&args->sort, sign, known ? known->column : word + strlen(sign));
	return GO_ON;
}

/* Copies these options to those of the analysis. */
static int choose(struct owners_args *args, struct stat_options *o)
{
	struct stat_analyses *a = &o->analyses;
	int ret = GO_ON;

	if (args->cull)
		ret = choose_cull(args, o);
	else if (!o->choice.by_word)
		o->choice.by_word = "stack";
	if (ret == GO_ON && o->sort) {
		ret = each_word(o->sort, args, &a->opts, sort_by);
		o->sort = strbuf_text(&args->sort);
	}
	return ret;
}

static int run_owners(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	struct owners_args args = { 0 };
	int ret = parse(&args, &st.opts, argc, argv);

	if (ret == GO_ON)
		ret = choose(&args, &st.opts);
	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	strbuf_free(&args.by);
	strbuf_free(&args.sort);
	return ret;
}

const struct command command_owners = {
	.name = command_name,
	.purpose = "show who owns the pages that are live at the end",
	.group = COMMAND_LOOK,
	.run = run_owners,
};
