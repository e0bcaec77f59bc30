// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the options of kmemx stat about the tree of callchains, and what they exclude.
 * In: --tree, --depth, --min-share. Out: values, or a message.
 */
#include "cmd/stat/stat_tree.h"

#include "analysis/row/subject.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"

const char *const stat_tree_words[] = { "caller", "callee", "process", NULL };

void stat_tree_settings(struct stat_tree *o, int argc, char *const *argv)
{
	o->usual = o->roots && options_have_setting(argc, argv, "tree");
	o->usual_limits = options_have_setting(argc, argv, "depth") ||
			  options_have_setting(argc, argv, "min-share");
}

/* A report that was asked for and has no tree; NULL if none, or if one with a tree was, too. */
static const char *other_report(const struct stat_analyses *a)
{
	const struct analysis *analysis;
	const char *other = NULL;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++) {
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
	if (other) {
		message_error(
			command,
			"--tree cannot be used with --%s, which has its own rows\n  It is for --slab and --page",
			other);
		return EXIT_USAGE;
	}
	if (!a->opts.by)
		return GO_ON;
	message_error(
		command,
		"--tree and --by %s cannot be used together: the rows of a tree are functions\n  For a part of the allocations use a filter: --tree --comm NAME",
		subjects_words(a->opts.by, words));
	return EXIT_USAGE;
}

int stat_tree_check(const struct stat_tree *o, struct stat_analyses *analyses,
		    const char *command)
{
	struct tree_options *tree = &analyses->opts.tree;
	int index = 0;

	if (!o->roots && !o->usual_limits && (o->depth || o->min_share)) {
		message_error(command, "%s needs --tree",
			      o->depth ? "--depth" : "--min-share");
		return EXIT_USAGE;
	}
	if (o->roots && *o->roots)
		index = option_choose("--tree", o->roots, stat_tree_words, 3, command);
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
