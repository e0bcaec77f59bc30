// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the typed option table as people and shells read it, and suggestions for a mistyped word.
 * In: a table. Out: what -h and --list-options print; the candidate nearest to a word.
 */

#include "cmd/options/options.h"

#define HELP_COLUMN  26 /* where the explanations start */
#define HELP_WIDTH   80
#define LONGEST_WORD 63

static void print_usage(const char *usage, FILE *out)
{
	const char *lead = "usage: ";

	while (*usage) {
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
	size_t len, k;

	for (; strlen(text) > room; text += len + 1) {
		for (len = 0, k = 0; k <= room; k++)
			if (text[k] == ' ')
				len = k;
		if (!len)
			break;
		fprintf(out, "%.*s\n%*s", (int)len, text, HELP_COLUMN + 2, "");
	}
	fprintf(out, "%s\n", text);
}

static void print_option(const struct option_entry *opt, FILE *out)
{
	char left[80], short_part[8] = "   ";

	if (opt->short_name)
		snprintf(short_part, sizeof(short_part), "-%c%c", opt->short_name,
			 opt->name ? ',' : ' ');
	if (opt->type == OPTION_OPTIONAL)
		snprintf(left, sizeof(left), "%s --%s[=%s]", short_part, opt->name,
			 opt->arg);
	else
		snprintf(left, sizeof(left), "%s %s%s%s%s", short_part,
			 opt->name ? "--" : "", opt->name ? opt->name : "",
			 opt->arg ? " " : "", opt->arg ? opt->arg : "");
	if (strlen(left) + 2 >= HELP_COLUMN)
		fprintf(out, "  %s\n%*s", left, HELP_COLUMN + 2, "");
	else
		fprintf(out, "  %-*s", HELP_COLUMN, left);
	print_wrapped(opt->help, out);
}

/* Does -h show any option of the group that begins at @first? */
static bool has_shown(const struct option_entry *first, const bool *left_out)
{
	for (size_t i = 1; first[i].type != OPTION_GROUP && first[i].type != OPTION_END;
	     i++)
		if (!left_out || !left_out[i])
			return true;
	return false;
}

static void print_options(const struct option_usage *usage,
			  const struct option_entry *options, const bool *left_out,
			  FILE *out)
{
	fprintf(out, "%s\n\n", usage->purpose);
	print_usage(usage->usage, out);
	if (options->type != OPTION_GROUP)
		fputs("\noptions:\n", out);
	for (size_t i = 0; options[i].type != OPTION_END; i++) {
		if (options[i].type != OPTION_GROUP) {
			if (!left_out || !left_out[i])
				print_option(&options[i], out);
		} else if (has_shown(&options[i], left_out ? left_out + i : NULL)) {
			fprintf(out, "%s%s:\n", left_out && i ? "" : "\n",
				options[i].help);
		}
	}
}

static const struct option_entry help_all_entry = {
	OPTION_HELP, 0, "help-all", NULL, NULL, "show all options"
};

void options_help(const struct option_usage *usage, const struct option_entry *options,
		  const bool *left_out, FILE *out)
{
	print_options(usage, options, left_out, out);
	if (left_out)
		print_option(&help_all_entry, out);
	if (usage->examples)
		fprintf(out, "\nexamples:\n%s", usage->examples);
}

void options_help_all(const struct option_usage *usage,
		      const struct option_entry *options, bool some_left_out, FILE *out)
{
	print_options(usage, options, NULL, out);
	if (some_left_out)
		print_option(&help_all_entry, out);
	if (usage->examples)
		fprintf(out, "\nexamples:\n%s", usage->examples);
}

/* "a|b|c" if the value is one of these words, ",a|b|c" if it is a list of some. */
static void list_value(const struct option_entry *opt, const struct option_words *words,
		       FILE *out)
{
	for (; words && words->option && opt->name; words++) {
		if (strcmp(words->option, opt->name) != 0 || !words->words[0])
			continue;
		fputs(words->list ? "," : "", out);
		for (size_t i = 0; words->words[i]; i++)
			fprintf(out, "%s%s", i ? "|" : "", words->words[i]);
		return;
	}
	fputs(opt->arg ? opt->arg : "-", out);
}

void options_list(const struct option_entry *options, const struct option_usage *usage,
		  bool help_all, FILE *out)
{
	for (const struct option_entry *opt = options; opt->type != OPTION_END; opt++) {
		if (opt->type == OPTION_GROUP)
			continue;
		if (opt->short_name)
			fprintf(out, "-%c", opt->short_name);
		if (opt->name)
			fprintf(out, "%s--%s", opt->short_name ? "," : "", opt->name);
		fprintf(out, "\t%s", opt->type == OPTION_OPTIONAL ? "=" : "");
		list_value(opt, usage->words, out);
		fprintf(out, "\t%s\n", opt->help);
		if (opt->type == OPTION_SWITCH)
			fprintf(out, "--no-%s\t-\tthe opposite of --%s\n", opt->name,
				opt->name);
	}
	if (help_all)
		fputs("--help-all\t-\tshow all options\n", out);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t min = a < b ? a : b;

	return min < c ? min : c;
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
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		memcpy(before, last, sizeof(before));
		memcpy(last, row, sizeof(last));
	}
	return last[len];
}

const char *options_nearest(const char *word, const char *const *candidates, size_t count)
{
	/* Short words are always near each other: be strict. */
	size_t len = strlen(word), best_distance = len < 4 ? 1 : len / 3 + 1;
	const char *best = NULL;

	if (!len || len > LONGEST_WORD)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t distance;

		if (strlen(candidates[i]) > LONGEST_WORD)
			continue;
		if (len > 1 && !strncmp(word, candidates[i], len))
			distance = 1; /* an abbreviation */
		else
			distance = edit_distance(word, candidates[i]);
		if (distance >= len || distance > best_distance)
			continue;
		/* Among equally near ones take the first with the same first letter. */
		if (best && distance == best_distance &&
		    (*best == *word || *candidates[i] != *word))
			continue;
		best_distance = distance;
		best = candidates[i];
	}
	return best;
}
