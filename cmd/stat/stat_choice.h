/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options of kmemx stat that choose rows, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only, --tree, filters. Out: values, or a message.
 */
#ifndef KMEMX_CMD_STAT_CHOICE_H
#define KMEMX_CMD_STAT_CHOICE_H

#include "analysis/row/subject.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/options.h"
#include "cmd/stat/stat_analyses.h"

/* Zero-initialise it; the option table points at the strings and flags. */
struct stat_choice {
	const char *by_word, *order_by;
};

#define STAT_ORDERS_MAX 16

/* The words that these options of a command take (each list ends in NULL), and the help made from
 * them.
 */
struct stat_words {
	const char *kinds[SUBJECT_NR], *orders[STAT_ORDERS_MAX + 1];
	char by[192], order_by[128];
};

void stat_words(struct stat_words *words, const char *command);
/* Parses the words into the options of @analyses. GO_ON, or EXIT_USAGE after a message.
 */
int stat_choice_check(const struct stat_choice *c, struct stat_analyses *analyses,
		      const char *command);

/* Can the analyses asked for be filtered like this? Sets @a->foreign to the events that lack a
 * field of the filter. GO_ON, or EXIT_USAGE after a message.
 */
int stat_filter_check(const struct filter_words *w, struct stat_analyses *a,
		      const char *command);

/* Zero-initialise it; the option table points at the values. @usual: --tree is a setting;
 * @usual_limits: one of the others is. Settings are for every run and need not apply to this one.
 */
struct stat_tree {
	const char *roots; /* "": the default */
	uint64_t depth, min_share;
	bool usual, usual_limits;
};

#define STAT_TREE_OPTIONS(o)                                                             \
	{                                                                                \
		OPTION_OPTIONAL, 0,                                                      \
		"tree",		 "caller|callee|process",                                \
		&(o).roots,	 "as a tree of callchains, or of processes"              \
	},                                                                               \
		{ OPTION_POSITIVE, 0, "depth", "N", &(o).depth, "levels of that tree" }, \
	{                                                                                \
		OPTION_PERCENT, 0, "min-share", "PCT", &(o).min_share,                   \
			"add up its functions below this % of the bytes"                 \
	}

/* The words of --tree, ending in NULL. */
extern const char *const stat_tree_words[];
/* Sets @usual and @usual_limits. */
void stat_tree_settings(struct stat_tree *o, int argc, char *const *argv);
/* Sets the options of @analyses; what rows are by must be set already. GO_ON, or EXIT_USAGE after a
 * message.
 */
int stat_tree_check(const struct stat_tree *o, struct stat_analyses *analyses,
		    const char *command);

#endif
