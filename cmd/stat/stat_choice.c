// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the options of kmemx stat that choose rows, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only, --tree, filters. Out: values, or a message.
 */
#include "cmd/stat/stat_run.h"

#include "cmd/options/message.h"

/* The columns that --order-by takes: the numbers that the account table shows. */
static void order_words(const char *words[STAT_ORDERS_MAX])
{
	const struct column_type *col;
	const struct analysis *analysis;
	size_t nr = 0;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (analysis->use != ANALYSIS_ALONE)
			continue;
		for (col = analysis->tables[0]->columns; col->column.name; col++) {
			if (nr < STAT_ORDERS_MAX && !col->estimated &&
			    stat_account_shows(col))
				words[nr++] = col->column.name;
		}
	}
}

void stat_words(struct stat_words *words, const char *command)
{
	*words = (struct stat_words){ 0 };
	subjects_of_rows(stat_analyses_rows(command), words->kinds);
	order_words(words->orders);
	option_words_join(words->by, sizeof(words->by), ", ", words->kinds);
	option_words_join(words->order_by, sizeof(words->order_by), ", ", words->orders);
}

/* --account excludes other tables and has its own options. */
static int check_alone(const struct stat_options *o, const char *command)
{
	const struct stat_analyses *a = &o->analyses;
	bool account = stat_analyses_asked(a, ANALYSIS_ALONE);

	if (account && (stat_analyses_asked(a, ANALYSIS_USUAL) ||
			stat_analyses_asked(a, ANALYSIS_ASKED) || a->opts.by_caller ||
			a->opts.by_address || stat_analyses_given(a, "unmatched")))
		return message_fail(
			EXIT_USAGE, command,
			"--account is a separate table\n  It can only be combined with --by, --order-by, --malloc, --cache-only, --live and -l");
	if (!account && o->order_by)
		return message_fail(EXIT_USAGE, command, "--order-by needs --account");
	if (stat_analyses_given(a, "malloc") && stat_analyses_given(a, "cache-only"))
		return message_fail(EXIT_USAGE, command,
				    "--malloc and --cache-only cannot be used together");
	return GO_ON;
}

/* Adds one word of --by to @by. */
static int add_by(const char *word, enum subject_kind *by, const char *command)
{
	const char *kinds[SUBJECT_NR] = { NULL };
	unsigned int nr = 0, kind;
	int index;

	for (kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++)
		kinds[kind - 1] = subjects_word(kind);
	index = option_choose("--by", subjects_usual_word(word), kinds, command);
	if (index < 0)
		return EXIT_USAGE;
	kind = (unsigned int)index + 1;
	for (; nr < SUBJECT_ASKED_MAX && subject_part(*by, nr); nr++) {
		if (subject_part(*by, nr) != kind)
			continue;
		return message_fail(EXIT_USAGE, command, "--by: '%s' is given twice",
				    word);
	}
	if (nr == SUBJECT_ASKED_MAX)
		return message_fail(EXIT_USAGE, command, "--by takes at most %d words",
				    SUBJECT_ASKED_MAX);
	*by = (enum subject_kind)(*by | kind << nr * SUBJECT_PART_BITS);
	return GO_ON;
}

static int parse_by(const char *words, enum subject_kind *by, const char *command)
{
	char *list __auto_mem = strdup(words), *p = list;
	int ret = GO_ON;

	if (!list)
		return message_fail(EXIT_FAILED, command, "%s", strerror(ENOMEM));
	while (p && ret == GO_ON)
		ret = add_by(text_next_word(&p), by, command);
	return ret;
}

int stat_choice_check(struct stat_options *o, const char *command)
{
	const char *orders[STAT_ORDERS_MAX + 1] = { NULL };
	int ret =
		o->by_word ? parse_by(o->by_word, &o->analyses.opts.by, command) : GO_ON;

	order_words(orders);
	if (ret != GO_ON)
		return ret;
	if (o->order_by && option_choose("--order-by", o->order_by, orders, command) < 0)
		return EXIT_USAGE;
	return check_alone(o, command);
}

/* Checks filters on fields that slab or page events lack. */
static int check_kinds(struct stat_analyses *a, const char *slab, const char *page,
		       const char *command)
{
	const struct analysis *analysis;

	for (size_t i = 0; (slab || page) && (analysis = analysis_at(i)); i++) {
		/* An analysis of both kinds still shows the other. */
		if (!a->asked[i] || !(analysis->needs & a->foreign) ||
		    analysis->needs & ~a->foreign)
			continue;
		return message_fail(
			EXIT_USAGE, command,
			"%s does not apply to %s%s: %s events do not have this field\n  Leave out one of the two",
			slab ? slab : page,
			analysis->use == ANALYSIS_COMMAND ? "kmemx " : "--",
			analysis->name, slab ? "slab" : "page");
	}
	return GO_ON;
}

int stat_filter_check(const struct filter_words *w, struct stat_analyses *a,
		      const char *command)
{
	const struct analysis *analysis;
	const char *slab, *page;
	char title[64];

	if (!filter_words_any(w))
		return GO_ON;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (!a->asked[i] || !analysis->unfiltered)
			continue;
		stat_analyses_title(analysis, title);
		return message_fail(EXIT_USAGE, command,
				    "%s cannot be filtered: %s\n  Leave out the filter",
				    title, analysis->unfiltered);
	}
	if (stat_analyses_given(a, "unmatched"))
		return message_fail(
			EXIT_USAGE, command,
			"--unmatched cannot be filtered: no allocation event names the task of these objects");
	if (filter_words_foreign(w, &slab, &page, command) != GO_ON)
		return EXIT_USAGE;
	a->foreign = (slab ? NEEDS_SLAB : 0) | (page ? NEEDS_PAGE : 0);
	return check_kinds(a, slab, page, command);
}

const char *const stat_tree_words[] = { "caller", "callee", "process", NULL };

void stat_tree_settings(struct stat_tree *o, int argc, char *const *argv)
{
	o->usual = o->roots && options_have_setting(argc, argv, "tree");
	o->usual_limits = options_have_setting(argc, argv, "depth") ||
			  options_have_setting(argc, argv, "min-share");
}

/* The name of a report without a tree, if only such were asked for; else NULL. */
static const char *other_report(const struct stat_analyses *a)
{
	const struct analysis *analysis;
	const char *other = NULL;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (a->asked[i] && analysis->use == ANALYSIS_USUAL)
			return NULL;
		if (a->asked[i])
			other = analysis->name;
	}
	return other;
}

/* Can a tree be combined with the other options? @quiet: no message. */
static int check_others(const struct stat_analyses *a, bool quiet, const char *command)
{
	const char *other = other_report(a);
	char words[SUBJECT_WORDS];

	if (quiet)
		return other || a->opts.by ? EXIT_USAGE : GO_ON;
	if (other)
		return message_fail(
			EXIT_USAGE, command,
			"--tree cannot be used with --%s, which has its own rows\n  It is for --slab and --page",
			other);
	if (!a->opts.by)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"--tree and --by %s cannot be used together: the rows of a tree are functions\n  For a part of the allocations use a filter: --tree --comm NAME",
		subjects_words(a->opts.by, words));
}

int stat_tree_check(const struct stat_tree *o, struct stat_analyses *analyses,
		    const char *command)
{
	struct tree_options *tree = &analyses->opts.tree;
	int index = 0;

	if (!o->roots && !o->usual_limits && (o->depth || o->min_share))
		return message_fail(EXIT_USAGE, command, "%s needs --tree",
				    o->depth ? "--depth" : "--min-share");
	if (o->roots && *o->roots)
		index = option_choose("--tree", o->roots, stat_tree_words, command);
	if (index < 0)
		return EXIT_USAGE;
	if (!o->roots)
		return GO_ON;
	if (check_others(analyses, o->usual, command) != GO_ON)
		return o->usual ? GO_ON : EXIT_USAGE;
	*tree = (struct tree_options){ .roots = index == 1 ? TREE_CALLEE : TREE_CALLER,
				       .processes = index == 2,
				       .depth = o->depth,
				       .min_share = o->min_share };
	return GO_ON;
}
