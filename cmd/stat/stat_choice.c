// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the options of kmemx stat whose values are words of a list, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only. Out: values, or a message.
 */
#include "cmd/stat/stat_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/row/subject.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/stat/stat_account.h"

/* The words for what rows can be by; the word of kind n is at n - 1. */
static void kind_words(const char *words[SUBJECT_NR - 1])
{
	unsigned int kind;

	for (kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++)
		words[kind - 1] = subjects_word(kind);
}

/* The words for what rows of @command can be by. Returns how many. */
static size_t command_kinds(const char *command, const char *words[SUBJECT_NR])
{
	const struct analysis *analysis;
	unsigned int kind;
	uint32_t rows = 0;
	size_t i, nr = 0;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (stat_analyses_of(command, analysis))
			rows |= analysis->rows;
	}
	for (kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++) {
		if (!(subject_rows(kind) & ~rows))
			words[nr++] = subjects_word(kind);
	}
	return nr;
}

/* The columns that --order-by takes: the numbers that the account table shows. Returns how many.
 */
static size_t order_words(const char *words[STAT_ORDERS_MAX])
{
	const struct column_type *col;
	const struct analysis *analysis;
	size_t i, nr = 0;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (analysis->use != ANALYSIS_ALONE)
			continue;
		for (col = analysis->tables[0]->columns; col->column.name; col++) {
			if (nr < STAT_ORDERS_MAX && !col->estimated &&
			    stat_account_shows(col))
				words[nr++] = col->column.name;
		}
	}
	return nr;
}

static void join(char *to, size_t size, const char *lead, const char *const *words,
		 size_t nr)
{
	size_t i, used = 0;

	to[0] = '\0';
	for (i = 0; i < nr && used < size; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%s", i ? ", " : lead,
					 words[i]);
}

void stat_words(struct stat_words *words, const char *command)
{
	size_t nr_kinds, nr_orders;

	*words = (struct stat_words){ 0 };
	nr_kinds = command_kinds(command, words->kinds);
	nr_orders = order_words(words->orders);
	join(words->by, sizeof(words->by), "", words->kinds, nr_kinds);
	join(words->order_by, sizeof(words->order_by), "", words->orders, nr_orders);
}

/* --account excludes other tables and has its own options. */
static int check_alone(const struct stat_choice *c, const struct stat_analyses *a,
		       const char *command)
{
	const struct analysis_options *o = &a->opts;
	bool account = stat_analyses_asked(a, ANALYSIS_ALONE);

	if (account && (stat_analyses_asked(a, ANALYSIS_USUAL) ||
			stat_analyses_asked(a, ANALYSIS_ASKED) || o->by_caller ||
			o->by_address || stat_analyses_given(a, "unmatched"))) {
		message_error(
			command,
			"--account is a separate table\n  It can only be combined with --by, --order-by, --malloc, --cache-only, --live and -l");
		return EXIT_USAGE;
	}
	if (!account && c->order_by) {
		message_error(command, "--order-by needs --account");
		return EXIT_USAGE;
	}
	if (stat_analyses_given(a, "malloc") && stat_analyses_given(a, "cache-only")) {
		message_error(command,
			      "--malloc and --cache-only cannot be used together");
		return EXIT_USAGE;
	}
	return GO_ON;
}

/* Adds one word of --by to @by. */
static int add_by(const char *word, enum subject_kind *by, const char *command)
{
	const char *kinds[SUBJECT_NR - 1] = { NULL };
	unsigned int nr = 0, kind;
	int index;

	kind_words(kinds);
	index = option_choose("--by", word, kinds, ARRAY_SIZE(kinds), command);
	if (index < 0)
		return EXIT_USAGE;
	kind = (unsigned int)index + 1;
	for (; nr < SUBJECT_PARTS_MAX && subject_part(*by, nr); nr++) {
		if (subject_part(*by, nr) != kind)
			continue;
		message_error(command, "--by: '%s' is given twice", word);
		return EXIT_USAGE;
	}
	if (nr == SUBJECT_PARTS_MAX) {
		message_error(command, "--by takes at most %d words", SUBJECT_PARTS_MAX);
		return EXIT_USAGE;
	}
	*by = (enum subject_kind)(*by | kind << nr * SUBJECT_PART_BITS);
	return GO_ON;
}

static int parse_by(const char *words, enum subject_kind *by, const char *command)
{
	char *list = strdup(words), *p = list;
	int ret = GO_ON;

	if (!list) {
		message_error(command, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	while (p && ret == GO_ON)
		ret = add_by(option_next_word(&p), by, command);
	free(list);
	return ret;
}

int stat_choice_check(const struct stat_choice *c, struct stat_analyses *analyses,
		      const char *command)
{
	const char *orders[STAT_ORDERS_MAX] = { NULL };
	struct analysis_options *o = &analyses->opts;
	size_t nr_orders = order_words(orders);
	int ret = c->by_word ? parse_by(c->by_word, &o->by, command) : GO_ON;

	if (ret != GO_ON)
		return ret;
	if (c->order_by &&
	    option_choose("--order-by", c->order_by, orders, nr_orders, command) < 0)
		return EXIT_USAGE;
	return check_alone(c, analyses, command);
}
