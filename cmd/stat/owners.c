// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the words of page_owner_sort, which kmemx owners takes.
 * In: --cull, --sort. Out: options of the analysis, or a message and an exit code.
 */

#include "cmd/options/message.h"
#include "cmd/stat/tables.h"

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

const char *const owners_cull_words[] = { "stacktrace", "pid",	       "name",
					  "order",	"migratetype", NULL };

static const struct owner_word *find_word(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(owner_words); i++) {
		if (!strcmp(owner_words[i].word, word))
			return &owner_words[i];
	}
	return NULL;
}

static void add_word(struct strbuf *list, const char *sign, const char *word)
{
	strbuf_printf(list, "%s%s%s", list->size ? "," : "", sign, word);
}

static int not_known(const char *option, const char *word, const struct owner_word *known)
{
	return message_fail(EXIT_USAGE, command_name, "%s %s: %s\n  Use %s", option, word,
			    known->why, known->use);
}

/* Applies one key of --cull. */
static int cull_by(struct tables_args *args, struct analysis_options *opts,
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
		return option_unknown("--cull", word, owners_cull_words,
				      ARRAY_SIZE(owners_cull_words) - 1, command_name);
	return GO_ON;
}

/* Calls @add with each word of @list. GO_ON, or an exit code after a message. */
static int each_word(const char *list, struct tables_args *args,
		     struct analysis_options *opts,
		     int (*add)(struct tables_args *args, struct analysis_options *opts,
				const char *word))
{
	char *words __auto_mem = strdup(list), *p = words;
	int ret = GO_ON;

	while (p && ret == GO_ON)
		ret = add(args, opts, option_next_word(&p));
	if (!words || args->by.failed || args->sort.failed)
		return message_fail(EXIT_FAILED, command_name, "%s", strerror(ENOMEM));
	return ret;
}

static int choose_cull(struct tables_args *args, struct stat_options *o)
{
	struct analysis_options *opts = &o->analyses.opts;
	int ret;

	if (o->choice.by_word)
		return message_fail(
			EXIT_USAGE, command_name,
			"--cull and --by cannot be used together\n  --by has rows by order and migratetype too, --cull by its keys alone");
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
static int sort_by(struct tables_args *args, struct analysis_options *opts,
		   const char *word)
{
	const char sign[2] = { *word == '+' || *word == '-' ? *word : '\0', '\0' };
	const struct owner_word *known = find_word(word + strlen(sign));

	if (known && known->why)
		return not_known("--sort", word, known);
	add_word(&args->sort, sign, known ? known->column : word + strlen(sign));
	return GO_ON;
}

/* Of the two analyses of the command, the one that --all chooses is left. */
static int choose_all(struct tables_args *args, struct stat_options *o)
{
	const char *other = args->cull ? "--cull" : o->choice.by_word ? "--by" : NULL;
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = analysis_at(i)); i++)
		o->analyses.asked[i] &=
			args->all == !strcmp(analysis->name, "everything");
	if (!args->all || !other)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command_name,
		"--all and %s cannot be used together\n  Most of all memory has no event that names more than its owner",
		other);
}

int owners_choose(struct tables_args *args, struct stat_options *o)
{
	struct stat_analyses *a = &o->analyses;
	int ret = choose_all(args, o);

	if (ret != GO_ON)
		return ret;
	if (args->all)
		return GO_ON;
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
