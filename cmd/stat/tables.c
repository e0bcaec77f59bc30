// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the commands that only show tables of one recording.
 * In: a recording. Out: the tables of the analyses that have the command's name.
 */
#include "cmd/stat/tables.h"

#include "analysis/time/peak.h"
#include "cmd/stat/stat_keys.h"

/* No screen has room for more, and each row takes memory for them. */
#define BINS_MAX 200U

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

/* @entries, if @wanted. */
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

static int parse(const struct tables_command *c, struct tables_args *args,
		 struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	char text[64];
	const struct option_words checked[] = {
		{ .option = "by", .words = words.kinds, .list = true },
		{ .option = "cull", .words = owners_cull_words, .list = true },
		{ .option = "sort", .words = keys, .list = true },
		OUTPUT_WORDS,
		{ .option = NULL }
	};
	const struct option_usage usage = { .command = c->command.name,
					    .purpose = c->purpose,
					    .usage = text,
					    .examples = c->examples,
					    .words = checked,
					    .short_help = true };
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		part(c->own & OWN_KINDS,
		     PART(KIND_OPTIONS(args->of, "what was recorded"))),
		part(c->own & OWN_BY, PART(STAT_BY_OPTIONS(o, c->by ? c->by : words.by))),
		part(c->own & OWN_CULL,
		     PART({ OPTION_FLAG | OPTION_EVERYDAY, 0, "all", NULL, &args->all,
			    "all memory of the system, each byte once" },
			  { OPTION_STRING | OPTION_EVERYDAY, 0, "cull", "KEYS",
			    &args->cull,
			    "a row for blocks that agree in these: stacktrace, pid, name, order, migratetype" })),
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
		part(c->sort, PART(STAT_SORT_OPTION(o, c->sort), LINES_OPTION(o->lines))),
		MAX_LOST_OPTION(o->max_lost),
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		STAT_FORMAT_OPTIONS(o),
		part(c->sort, PART(SUMMARY_OPTION(o->output))),
		part(c->own & OWN_MOMENTS, PART(CLOCK_TIME_OPTION(o->output))),
		STAT_OUTPUT_OPTIONS(o),
	};

	snprintf(text, sizeof(text), "kmemx %s [options] [FILE]", c->command.name);
	stat_words(&words, c->command.name);
	stat_keys_words(keys, c->command.name);
	return stat_options_parse(o, &usage, options, argc, argv);
}

/* Copies the options to those of the analyses. */
static int choose(const struct tables_command *c, struct tables_args *args,
		  struct stat_options *o)
{
	int ret = c->choose ? c->choose(args, o) : GO_ON;

	if (ret == GO_ON && args->bins > BINS_MAX) {
		message_error(c->command.name, "--over-time: at most %u", BINS_MAX);
		ret = EXIT_USAGE;
	}
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

	if (ret == GO_ON)
		ret = choose(c, &args, &st.opts);
	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	suppressions_free(&args.known);
	free(args.suppress.items);
	free(args.window);
	strbuf_free(&args.by);
	strbuf_free(&args.sort);
	return ret;
}

/* For peak: what is live at --at is what is live after the events up to that time. */
static int choose_moment(struct tables_args *args, struct stat_options *o)
{
	struct peak_options *own = stat_analyses_own(&o->analyses, "peak");
	const char *other =
		args->bins ? "--over-time and --at cannot be used together"
		: o->window.time
			? "--at and --time cannot be used together\n  --at shows a moment, counted from the start of the recording"
			: NULL;

	if (!args->at)
		return GO_ON;
	if (other) {
		message_text("peak", other);
		return EXIT_USAGE;
	}
	if (!*args->at || strchr(args->at, ',') ||
	    time_window_parse(&o->window.parsed, args->at))
		return message_fail(
			EXIT_USAGE, "peak",
			"invalid --at '%s'\n  Give seconds as trace-cmd prints them (81.5), from the start (+1s) or in percent (10%%)",
			args->at);
	if (asprintf(&args->window, ",%s", args->at) < 0) {
		args->window = NULL;
		return message_fail(EXIT_FAILED, "peak", "%s", strerror(ENOMEM));
	}
	o->window.time = args->window;
	own->at_end = true;
	return GO_ON;
}

const struct tables_command tables_commands[TABLES_NR] = {
	[TABLES_SUMMARY] = {
		.command = { "summary", "show the main figures of a recording on one screen",
			     COMMAND_LOOK, run_tables },
		.purpose = "Show the main figures of a recording on one screen.",
		.examples = "  kmemx summary --comm git\n"
			    "  kmemx summary -i boot.dat --json\n",
		.own = OWN_UNSCALED,
	},
	[TABLES_BALANCE] = {
		.command = { "balance", "show where all memory is, and what explains it",
			     COMMAND_LOOK, run_tables },
		.purpose = "Show where all memory is, and what events explain of its change.",
		.examples = "  sudo kmemx record -- make -j2; kmemx balance\n"
			    "  kmemx balance -i boot.dat --json\n",
	},
	[TABLES_LEAKS] = {
		.command = { "leaks", "show what was allocated and is still live",
			     COMMAND_LOOK, run_tables },
		.purpose = "Show what was allocated and is still live: leaks.",
		.examples = "  kmemx leaks --by stack --older 5s\n"
			    "  kmemx leaks -i boot.dat --suppress known -l 10 --json\n",
		.own = OWN_KINDS | OWN_BY | OWN_SUPPRESS | OWN_UNSCALED,
		.sort = "sort keys, e.g. growth,-age",
		.choose = leaks_choose,
	},
	[TABLES_PEAK] = {
		.command = { "peak", "show who held memory when most of it was live",
			     COMMAND_LOOK, run_tables },
		.purpose = "Show who held memory when most of it was live.",
		.examples = "  kmemx peak --slab --by comm -l 5\n"
			    "  kmemx peak -i boot.dat --at 50% --json\n",
		.own = OWN_KINDS | OWN_BY | OWN_AT | OWN_UNSCALED | OWN_MOMENTS,
		.over_time = "also live bytes at the ends of N parts of the time",
		.sort = "sort keys, e.g. objects",
		.choose = choose_moment,
	},
	[TABLES_OWNERS] = {
		.command = { "owners", "show who owns the pages that are live at the end",
			     COMMAND_LOOK, run_tables, .seldom = true },
		.purpose = "Show who owns the pages that are live at the end.",
		.examples = "  kmemx owners --cull stacktrace -s times -l 10\n"
			    "  kmemx owners -i boot.dat --by module --json\n",
		.own = OWN_BY | OWN_CULL | OWN_UNSCALED | OWN_MOMENTS,
		.by = "stack (default), callsite, comm, pid, cpu, module, dir, function, file, line",
		.sort = "sort keys, e.g. times,-order",
		.choose = owners_choose,
	},
	[TABLES_ADVISE] = {
		.command = { "advise", "show what could be allocated better", COMMAND_LOOK,
			     run_tables },
		.purpose = "Show what could be allocated better, the best finding first.",
		.examples = "  kmemx advise -l 5\n"
			    "  kmemx advise -i boot.dat --comm systemd --json\n",
		.sort = "sort keys, e.g. hit",
	},
	[TABLES_FRAG] = {
		.command = { "frag", "show page blocks taken from another migratetype",
			     COMMAND_LOOK, run_tables, .seldom = true },
		.purpose = "Show page blocks taken from the free lists of another migratetype.",
		.examples = "  sudo kmemx record --frag -- make\n"
			    "  kmemx frag --by comm --over-time 40\n",
		.own = OWN_BY | OWN_MOMENTS,
		.over_time = "also their number in each of N parts of the time",
		.sort = "sort keys, e.g. pages",
	},
	[TABLES_PERCPU] = {
		.command = { "percpu", "show which CPUs refill and drain, allocate and free",
			     COMMAND_LOOK, run_tables, .seldom = true },
		.purpose = "Show which CPUs refill and drain page lists, allocate and free.",
		.examples = "  sudo kmemx record --percpu -- make\n"
			    "  kmemx percpu --by stack -s objects -l 8\n",
		.own = OWN_BY,
		.sort = "sort keys, e.g. drain_pages,objects",
	},
};
