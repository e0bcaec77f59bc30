/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options of kmemx stat whose values are words of a list, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only. Out: values, or a message.
 */
#ifndef KMEMX_CMD_STAT_CHOICE_H
#define KMEMX_CMD_STAT_CHOICE_H

#include "analysis/row/subject.h"
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
	char by[128], order_by[128];
};

void stat_words(struct stat_words *words, const char *command);
/* Parses the words into the options of @analyses. GO_ON, or EXIT_USAGE after a message.
 */
int stat_choice_check(const struct stat_choice *c, struct stat_analyses *analyses,
		      const char *command);

#endif
