// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the commands that only show tables of one recording.
 * In: a recording. Out: the tables of the analyses that have the command's name.
 */
#include "cmd/stat/tables.h"

#include <fcntl.h>

#include "analysis/life/leaks.h"
#include "analysis/life/suppressions.h"
#include "analysis/time/peak.h"
#include "base/io.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_keys.h"

/* No screen has room for more bins, and each row takes memory for them. */
#define BINS_MAX 200U

/**
 * struct tables_args - the options that only some of the commands have
 * @window: for peak: the time up to @at, in the form of --time
 * @known: for leaks: the lines of @suppress
 * @all: for owners: all memory, not only pages that events name
 * @by, @sort: for owners: translated from page_owner_sort's words
 */
struct tables_args {
	bool of[MEMORY_KINDS];
	uint64_t bins;
	const char *at, *cull;
	bool all;
	struct option_strings suppress;
	char *window;
	struct suppressions known;
	struct strbuf by, sort;
};

/* Options that not all commands have. */
enum {
	OWN_KINDS = 1 << 0,
	OWN_BY = 1 << 1,
	OWN_SUPPRESS = 1 << 2,
	OWN_AT = 1 << 3,
	OWN_CULL = 1 << 4,
	OWN_UNSCALED = 1 << 5,
	OWN_MOMENTS = 1 << 6,
};

static const struct tables_command *find(const char *name)
{
	size_t i = 0;

	while (i < TABLES_NR - 1 && strcmp(tables_commands[i].command.name, name) != 0)
		i++;
	return &tables_commands[i];
}

/* Includes @entries in an option table if @wanted. */
static struct option_entry part(bool wanted, const struct option_entry *entries)
{
	static const struct option_entry none = { OPTION_END };

	return (struct option_entry){ OPTION_TABLE,
				      .value = (void *)(wanted ? entries : &none) };
}

#define PART(...)                     \
	(const struct option_entry[]) \
	{                             \
		__VA_ARGS__,          \
		{                     \
			OPTION_END    \
		}                     \
	}

/* The words of --cull. */
static const char *const owners_cull_words[] = { "stacktrace", "pid",	      "name",
						 "order",      "migratetype", NULL };

static int parse(const struct tables_command *c, struct tables_args *args,
		 struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		part(c->own & OWN_KINDS,
		     PART(KIND_OPTIONS(args->of, "what was recorded"))),
		part(c->own & OWN_BY,
		     PART(STAT_BY_OPTIONS(o, c->by ? c->by : words.by, words.kinds))),
		part(c->own & OWN_CULL,
		     PART({ OPTION_FLAG | OPTION_EVERYDAY, 0, "all", NULL, &args->all,
			    "all memory of the system, each byte once" },
			  { OPTION_LIST | OPTION_EVERYDAY, 0, "cull", "KEYS", &args->cull,
			    "a row for blocks that agree in these: stacktrace, pid, name, order, migratetype",
			    owners_cull_words })),
		{ OPTION_TABLE,
		  .value = stat_analyses_own_options(&o->analyses, c->command.name) },
		part(c->own & OWN_SUPPRESS,
		     PART({ OPTION_STRINGS | OPTION_EVERYDAY, 0, "suppress", "FILE",
			    &args->suppress, "known leaks: lines 'leak:FUNCTION'" })),
		part(c->own & OWN_AT,
		     PART({ OPTION_STRING | OPTION_EVERYDAY, 0, "at", "TIME", &args->at,
			    "at this moment instead: seconds, +1s, 10%" })),
		part(c->over_time, PART({ OPTION_POSITIVE | OPTION_EVERYDAY, 0,
					  "over-time", "N", &args->bins, c->over_time })),
		part(c->own & OWN_UNSCALED, PART(SAMPLE_OPTION(o->unscaled))),
		part(c->sort,
		     PART(STAT_SORT_OPTION(o, c->sort, keys), LINES_OPTION(o->lines))),
		MAX_LOST_OPTION(o->max_lost),
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		FORMAT_OPTIONS(o->output),
		part(c->sort, PART(SUMMARY_OPTION(o->output))),
		part(c->own & OWN_MOMENTS, PART(CLOCK_TIME_OPTION(o->output))),
		STAT_OUTPUT_OPTIONS(o),
	};

	stat_words(&words, c->command.name);
	stat_keys_words(keys, c->command.name);
	return stat_options_parse(o, &c->command, options, argc, argv);
}

/* Copies the options to those of the analyses. */
static int choose(const struct tables_command *c, struct tables_args *args,
		  struct stat_options *o)
{
	int ret = c->choose ? c->choose(args, o) : GO_ON;

	if (ret == GO_ON && args->bins > BINS_MAX)
		ret = message_fail(EXIT_USAGE, c->command.name, "--over-time: at most %u",
				   BINS_MAX);
	o->analyses.opts.bins = (unsigned int)args->bins;
	o->analyses.opts.needs = stat_kinds_needed(args->of);
	return ret;
}

static int run_tables(int argc, char **argv)
{
	const struct tables_command *c = find(argv[0]);
	struct stat_run st = { .command = c->command.name };
	struct tables_args args = { 0 };
	int ret = parse(c, &args, &st.opts, argc, argv);

	ret = ret ?: choose(c, &args, &st.opts);
	ret = ret ?: stat_run(&st);
	stat_run_free(&st);
	suppressions_free(&args.known);
	free(args.suppress.items);
	free(args.window);
	strbuf_free(&args.by);
	strbuf_free(&args.sort);
	return ret;
}

/* --- leaks ------------------------------------------------------------------------------ */

static int read_suppressions(struct suppressions *s, const char *path)
{
	int fd __auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	struct strbuf __auto_free text = { 0 };
	unsigned int line = 0;
	int err = fd < 0 ? -errno : text_read(&text, fd, SUPPRESSIONS_TEXT_MAX);

	err = err ?: suppressions_parse(s, strbuf_text(&text), text.size, &line);
	if (!err)
		return GO_ON;
	if (err == -EINVAL)
		return message_fail(EXIT_USAGE, "leaks",
				    "%s:%u: a line is leak:FUNCTION or begins with #",
				    path, line);
	if (err == -E2BIG || err == -EFBIG)
		return message_fail(EXIT_USAGE, "leaks", "%s: over %u lines or %u KiB",
				    path, SUPPRESSIONS_MAX, SUPPRESSIONS_TEXT_MAX >> 10);
	return message_fail(EXIT_FAILED, "leaks", "cannot read %s: %s", path,
			    strerror(-err));
}

/* For leaks: --suppress. */
static int leaks_choose(struct tables_args *args, struct stat_options *o)
{
	struct leaks_options *own = stat_analyses_own(&o->analyses, "leaks");
	int ret = GO_ON;

	for (size_t i = 0; i < args->suppress.count && ret == GO_ON; i++)
		ret = read_suppressions(&args->known, args->suppress.items[i]);
	if (args->known.nr)
		own->suppress = &args->known;
	return ret;
}

/* --- peak ------------------------------------------------------------------------------- */

/* For peak: what is live at --at is found by reading only the events up to that time. */
static int choose_moment(struct tables_args *args, struct stat_options *o)
{
	struct peak_options *own = stat_analyses_own(&o->analyses, "peak");
	const char *other =
		args->bins ? "--over-time and --at cannot be used together"
		: o->study.window.time
			? "--at and --time cannot be used together\n  --at shows a moment, counted from the start of the recording"
			: NULL;

	if (!args->at)
		return GO_ON;
	if (other) {
		message_text("peak", other);
		return EXIT_USAGE;
	}
	if (!*args->at || strchr(args->at, ',') ||
	    time_window_parse(&o->study.window.parsed, args->at))
		return message_fail(
			EXIT_USAGE, "peak",
			"invalid --at '%s'\n  Give seconds as trace-cmd prints them (81.5), from the start (+1s) or in percent (10%%)",
			args->at);
	if (asprintf(&args->window, ",%s", args->at) < 0) {
		args->window = NULL;
		return message_fail(EXIT_FAILED, "peak", "%s", strerror(ENOMEM));
	}
	o->study.window.time = args->window;
	o->study.window.at = args->at;
	own->at_end = true;
	return GO_ON;
}

/* --- owners, which takes the words of page_owner_sort ------------------------------------ */

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

static const struct owner_word *find_word(const char *word)
{
	return FIND(one, owner_words, ARRAY_SIZE(owner_words), !strcmp(one->word, word));
}

static void add_word(struct strbuf *list, const char *sign, const char *word)
{
	strbuf_printf(list, "%s%s%s", list->size ? "," : "", sign, word);
}

static int not_known(const char *option, const char *word, const struct owner_word *known)
{
	return message_fail(EXIT_USAGE, "owners", "%s %s: %s\n  Use %s", option, word,
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
		return option_unknown("--cull", word, owners_cull_words, "owners");
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
		ret = add(args, opts, text_next_word(&p));
	if (!words || args->by.failed || args->sort.failed)
		return message_fail(EXIT_FAILED, "owners", "%s", strerror(ENOMEM));
	return ret;
}

static int choose_cull(struct tables_args *args, struct stat_options *o)
{
	struct analysis_options *opts = &o->analyses.opts;
	int ret;

	if (o->by_word)
		return message_fail(
			EXIT_USAGE, "owners",
			"--cull and --by cannot be used together\n  --by has rows by order and migratetype too, --cull by its keys alone");
	opts->any_order = opts->any_migratetype = true;
	ret = each_word(args->cull, args, opts, cull_by);
	if (ret == GO_ON && !args->by.size)
		ret = message_fail(
			EXIT_USAGE, "owners",
			"--cull %s: no key says who owns a page\n  Add stacktrace, pid or name",
			args->cull);
	o->by_word = strbuf_text(&args->by);
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

/* Keeps the one of the command's two analyses that --all chooses. */
static int choose_all(struct tables_args *args, struct stat_options *o)
{
	const char *other = args->cull ? "--cull" : o->by_word ? "--by" : NULL;
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = analysis_at(i)); i++)
		o->analyses.asked[i] &=
			args->all == !strcmp(analysis->name, "everything");
	if (!args->all || !other)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, "owners",
		"--all and %s cannot be used together\n  Most of all memory has no event that names more than its owner",
		other);
}

static int owners_choose(struct tables_args *args, struct stat_options *o)
{
	struct stat_analyses *a = &o->analyses;
	int ret = choose_all(args, o);

	if (ret != GO_ON)
		return ret;
	if (args->all)
		return GO_ON;
	if (args->cull)
		ret = choose_cull(args, o);
	else if (!o->by_word)
		o->by_word = "stack";
	if (ret == GO_ON && o->sort) {
		ret = each_word(o->sort, args, &a->opts, sort_by);
		o->sort = strbuf_text(&args->sort);
	}
	return ret;
}

#define COMMAND_OF(name, purpose) name, purpose, COMMAND_LOOK, run_tables

const struct tables_command tables_commands[TABLES_NR] = {
	[TABLES_SUMMARY] = {
		.command = { COMMAND_OF("summary", "show the main figures of a recording on one screen"),
			.examples = "  kmemx summary --comm git\n"
				    "  kmemx summary -i boot.dat --json\n" },
		.own = OWN_UNSCALED,
	},
	[TABLES_BALANCE] = {
		.command = { COMMAND_OF("balance", "show where all memory is, and what explains it"),
			.about = "Show where all memory is, and what events explain of its change.",
			.examples = "  sudo kmemx record -- make -j2; kmemx balance\n"
				    "  kmemx balance -i boot.dat --json\n" },
	},
	[TABLES_LEAKS] = {
		.command = { COMMAND_OF("leaks", "show what was allocated and is still live"),
			.about = "Show what was allocated and is still live: leaks.",
			.examples = "  kmemx leaks --by stack --older 5s\n"
				    "  kmemx leaks -i boot.dat --suppress known -l 10 --json\n" },
		.own = OWN_KINDS | OWN_BY | OWN_SUPPRESS | OWN_UNSCALED,
		.sort = "sort keys, e.g. growth,-age",
		.choose = leaks_choose,
	},
	[TABLES_PEAK] = {
		.command = { COMMAND_OF("peak", "show who held memory when most of it was live"),
			.examples = "  kmemx peak --slab --by comm -l 5\n"
				    "  kmemx peak -i boot.dat --at 50% --json\n" },
		.own = OWN_KINDS | OWN_BY | OWN_AT | OWN_UNSCALED | OWN_MOMENTS,
		.over_time = "also live bytes at the ends of N parts of the time",
		.sort = "sort keys, e.g. objects",
		.choose = choose_moment,
	},
	[TABLES_OWNERS] = {
		.command = { COMMAND_OF("owners", "show who owns the pages that are live at the end"),
			.seldom = true,
			.examples = "  kmemx owners --cull stacktrace -s times -l 10\n"
				    "  kmemx owners -i boot.dat --by module --json\n" },
		.own = OWN_BY | OWN_CULL | OWN_UNSCALED | OWN_MOMENTS,
		.by = "stack (default), callsite, comm, pid, cpu, module, dir, function, file, line",
		.sort = "sort keys, e.g. times,-order",
		.choose = owners_choose,
	},
	[TABLES_ADVISE] = {
		.command = { COMMAND_OF("advise", "show what could be allocated better"),
			.about = "Show what could be allocated better, the best finding first.",
			.examples = "  kmemx advise -l 5\n"
				    "  kmemx advise -i boot.dat --comm systemd --json\n" },
		.sort = "sort keys, e.g. hit",
	},
	[TABLES_FRAG] = {
		.command = { COMMAND_OF("frag", "show page blocks taken from another migratetype"),
			.seldom = true,
			.about = "Show page blocks taken from the free lists of another migratetype.",
			.examples = "  sudo kmemx record --frag -- make\n"
				    "  kmemx frag --by comm --over-time 40\n" },
		.own = OWN_BY | OWN_MOMENTS,
		.over_time = "also their number in each of N parts of the time",
		.sort = "sort keys, e.g. pages",
	},
	[TABLES_PERCPU] = {
		.command = { COMMAND_OF("percpu", "show which CPUs refill and drain, allocate and free"),
			.seldom = true,
			.about = "Show which CPUs refill and drain page lists, allocate and free.",
			.examples = "  sudo kmemx record --percpu -- make\n"
				    "  kmemx percpu --by stack -s objects -l 8\n" },
		.own = OWN_BY,
		.sort = "sort keys, e.g. drain_pages,objects",
	},
};
