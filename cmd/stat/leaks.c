// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx leaks.
 * In: a recording, perhaps files of known leaks. Out: what was allocated and still lives.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/life/suppressions.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_options.h"

/* The options that only this command has. @older: UINT64_MAX if not given. */
struct leaks_args {
	uint64_t older;
	struct option_strings files;
	bool slab, page;
	struct suppressions suppress;
};

static const char command_name[] = "leaks";

static int parse(struct leaks_args *args, struct stat_options *o, int argc, char **argv)
{
	const char *keys[STAT_KEYS_MAX + 1];
	struct stat_words words;
	const struct option_words checked[] = { { "by", words.kinds, true },
						{ "sort", keys, true },
						OUTPUT_WORDS,
						{ NULL, NULL, false } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show what was allocated and still lives: leaks.",
		.usage = "kmemx leaks [options] [FILE]",
		.examples = "  kmemx leaks --by stack --older 5s\n"
			    "  kmemx leaks -i boot.dat --suppress known -l 10 --json\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		STAT_KIND_OPTIONS(args),
		STAT_BY_OPTIONS(o, words.by),
		{ OPTION_DURATION | OPTION_EVERYDAY, 0, "older", "TIME", &args->older,
		  "younger objects may be in flight: 5s, 100ms" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "suppress", "FILE", &args->files,
		  "known leaks: lines 'leak:FUNCTION'" },
		SAMPLE_OPTION(o->unscaled),
		STAT_SORT_OPTION(o, "growth,-age"),
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
	args->older = UINT64_MAX;
	return stat_options_parse(o, &usage, options, argc, argv);
}

/* Reads the text of a file of known leaks. */
static int read_text(const char *path, char *text, size_t *size)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	if (!file)
		return -errno;
	errno = EIO;
	*size = fread(text, 1, SUPPRESSIONS_TEXT_MAX + 1, file);
	if (ferror(file))
		err = -errno;
	else if (*size > SUPPRESSIONS_TEXT_MAX)
		err = -E2BIG;
	fclose(file);
	return err;
}

static int read_suppressions(struct suppressions *s, const char *path)
{
	char *text = malloc(SUPPRESSIONS_TEXT_MAX + 1);
	unsigned int line = 0;
	size_t size = 0;
	int err = text ? read_text(path, text, &size) : -ENOMEM;

	if (!err)
		err = suppressions_parse(s, text, size, &line);
	free(text);
	if (!err)
		return GO_ON;
	if (err == -EINVAL)
		message_error(command_name,
			      "%s:%u: a line is leak:FUNCTION or begins with #", path,
			      line);
	else if (err == -E2BIG)
		message_error(command_name, "%s: over %u lines or %u KiB", path,
			      SUPPRESSIONS_MAX, SUPPRESSIONS_TEXT_MAX >> 10);
	else
		message_error(command_name, "cannot read %s: %s", path, strerror(-err));
	return err == -EINVAL || err == -E2BIG ? EXIT_USAGE : EXIT_FAILED;
}

/* Copies these options to those of the analysis. */
static int choose(struct leaks_args *args, struct stat_analyses *a)
{
	int ret = GO_ON;
	size_t i;

	if (!args->older) {
		message_error(command_name, "--older: the time must be more than 0");
		return EXIT_USAGE;
	}
	if (args->older != UINT64_MAX)
		a->opts.older_ns = args->older;
	if (args->slab != args->page)
		a->opts.needs = args->slab ? NEEDS_SLAB : NEEDS_PAGE;
	for (i = 0; i < args->files.count && ret == GO_ON; i++)
		ret = read_suppressions(&args->suppress, args->files.items[i]);
	if (args->suppress.nr)
		a->opts.suppress = &args->suppress;
	return ret;
}

static int run_leaks(int argc, char **argv)
{
	struct stat_run st = { .command = command_name };
	struct leaks_args args = { 0 };
	int ret = parse(&args, &st.opts, argc, argv);

	if (ret == GO_ON)
		ret = choose(&args, &st.opts.analyses);
	if (ret == GO_ON)
		ret = stat_run(&st);
	stat_run_free(&st);
	suppressions_free(&args.suppress);
	free(args.files.items);
	return ret;
}

const struct command command_leaks = {
	.name = command_name,
	.purpose = "show what was allocated and still lives",
	.group = COMMAND_LOOK,
	.run = run_leaks,
};
