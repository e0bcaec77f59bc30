// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the typed option table for people and shells, and suggestions for a mistyped word.
 * In: a table. Out: what -h and --list-options print; the candidate nearest to a word.
 */

#include <ctype.h>

#include "cmd/options/options.h"
#include "report/text_cell.h"

#define HELP_COLUMN  26 /* where the explanations start */
#define HELP_WIDTH   80
#define LONGEST_WORD 63

static void print_usage(const struct command *command, FILE *out)
{
	const char *usage = command->usage, *lead = "usage: ";

	if (!usage)
		fprintf(out, "%skmemx %s [options] [FILE]\n", lead, command->name);
	while (usage && *usage) {
		int len = (int)strcspn(usage, "\n");

		fprintf(out, "%s%.*s\n", lead, len, usage);
		lead = "       ";
		usage += len;
		usage += *usage == '\n';
	}
}

/* Prints @text from HELP_COLUMN on, wrapped into lines. */
static void print_wrapped(const char *text, FILE *out)
{
	const size_t room = HELP_WIDTH - HELP_COLUMN - 2;
	size_t len;

	for (; strlen(text) > room; text += strspn(text, " ")) {
		len = text_fitting(text, room);
		fprintf(out, "%.*s\n%*s", (int)len, text, HELP_COLUMN + 2, "");
		text += len;
	}
	fprintf(out, "%s\n", text);
}

static void print_option(const struct option_entry *opt, FILE *out)
{
	char left[80], short_part[8] = "   ";

	if (opt->short_name)
		snprintf(short_part, sizeof(short_part), "-%c,", opt->short_name);
	if (opt->type == OPTION_OPTIONAL)
		snprintf(left, sizeof(left), "%s --%s[=%s]", short_part, opt->name,
			 opt->arg);
	else
		snprintf(left, sizeof(left), "%s --%s%s%s", short_part, opt->name,
			 opt->arg ? " " : "", opt->arg ? opt->arg : "");
	if (strlen(left) + 2 >= HELP_COLUMN)
		fprintf(out, "  %s\n%*s", left, HELP_COLUMN + 2, "");
	else
		fprintf(out, "  %-*s", HELP_COLUMN, left);
	print_wrapped(opt->help, out);
}

static bool is_shown(const struct option_entry *opt, bool brief)
{
	return !brief || opt->marks & OPTION_EVERYDAY || opt->type == OPTION_HELP;
}

/* Is any option of the group that begins at @first shown? */
static bool has_shown(const struct option_entry *first, bool brief)
{
	const struct option_entry *opt = first + 1;

	while (opt->type != OPTION_GROUP && opt->type != OPTION_END &&
	       !is_shown(opt, brief))
		opt++;
	return opt->type != OPTION_GROUP && opt->type != OPTION_END;
}

static void print_options(const struct command *command,
			  const struct option_entry *options, bool brief, FILE *out)
{
	if (command->about)
		fprintf(out, "%s\n\n", command->about);
	else
		fprintf(out, "%c%s.\n\n", toupper((unsigned char)*command->purpose),
			command->purpose + 1);
	print_usage(command, out);
	if (options->type != OPTION_GROUP)
		fputs("\noptions:\n", out);
	for (const struct option_entry *opt = options; opt->type != OPTION_END; opt++) {
		if (opt->type != OPTION_GROUP && is_shown(opt, brief))
			print_option(opt, out);
		else if (opt->type == OPTION_GROUP && has_shown(opt, brief))
			fprintf(out, "%s%s:\n", brief && opt > options ? "" : "\n",
				opt->help);
	}
}

static const struct option_entry help_all_entry = {
	OPTION_HELP, 0, "help-all", NULL, NULL, "show all options"
};

void options_help(const struct command *command, const struct option_entry *options,
		  bool brief, bool all, FILE *out)
{
	print_options(command, options, brief && !all, out);
	if (brief)
		print_option(&help_all_entry, out);
	if (command->examples)
		fprintf(out, "\nexamples:\n%s", command->examples);
}

/* "a|b|c" if the value is one of these words, ",a|b|c" if it is a list of some. */
static void list_value(const struct option_entry *opt, FILE *out)
{
	if (!opt->words || !opt->words[0])
		fputs(opt->arg ? opt->arg : "-", out);
	else if (opt->type == OPTION_LIST)
		fputs(",", out);
	for (size_t i = 0; opt->words && opt->words[i]; i++)
		fprintf(out, "%s%s", i ? "|" : "", opt->words[i]);
}

void options_list(const struct option_entry *options, bool help_all, FILE *out)
{
	for (const struct option_entry *opt = options; opt->type != OPTION_END; opt++) {
		if (opt->type == OPTION_GROUP)
			continue;
		if (opt->short_name)
			fprintf(out, "-%c,", opt->short_name);
		fprintf(out, "--%s\t%s", opt->name,
			opt->type == OPTION_OPTIONAL ? "=" : "");
		list_value(opt, out);
		fprintf(out, "\t%s\n", opt->help);
		if (opt->type == OPTION_SWITCH)
			fprintf(out, "--no-%s\t-\tthe opposite of --%s\n", opt->name,
				opt->name);
	}
	if (help_all)
		fputs("--help-all\t-\tshow all options\n", out);
}

/* The number of insertions, deletions, replacements and swaps of neighbours that turn @a into @b
 * (optimal string alignment). Both are at most LONGEST_WORD long.
 */
static size_t edit_distance(const char *a, const char *b)
{
	size_t before[LONGEST_WORD + 1], last[LONGEST_WORD + 1], row[LONGEST_WORD + 1];
	size_t len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			row[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = SMALLER(row[j], last[j] + 1);
			row[j] = SMALLER(row[j], row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		memcpy(before, last, sizeof(before));
		memcpy(last, row, sizeof(last));
	}
	return last[len];
}

const char *options_nearest_at(const char *word, const void *items, size_t count,
			       size_t size, size_t at)
{
	/* Any two short words are near each other: be strict. */
	size_t len = strlen(word), best_distance = len < 4 ? 1 : len / 3 + 1;
	const char *best = NULL;

	if (!len || len > LONGEST_WORD)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name =
			*(const char *const *)((const char *)items + i * size + at);
		size_t distance;

		if (!name || strlen(name) > LONGEST_WORD)
			continue;
		if (len > 1 && !strncmp(word, name, len))
			distance = 1; /* an abbreviation */
		else
			distance = edit_distance(word, name);
		if (distance >= len || distance > best_distance)
			continue;
		/* Among equally near ones take the first with the same first letter. */
		if (best && distance == best_distance &&
		    (*best == *word || *name != *word))
			continue;
		best_distance = distance;
		best = name;
	}
	return best;
}
