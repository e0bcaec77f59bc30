/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options of kmemx stat that are a word of a list, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only. Out: values, or a message.
 */
#ifndef KMEMX_CMD_STAT_CHOICE_H
#define KMEMX_CMD_STAT_CHOICE_H

#include "stat_analyses.h"

/* Zero-initialise it; the option table points at the strings and flags. */
struct stat_choice {
	const char *by_word, *order_by;
	bool malloc_only, cache_only;
};

/* What -h says of these options, made from the words that they take. */
struct stat_words {
	char by[128], order_by[128];
};

struct stat_words stat_words(void);
/* Reads the words; what they say goes into @analyses' options. GO_ON, or EXIT_USAGE
 * after a message.
 */
int stat_choice_check(const struct stat_choice *c, struct stat_analyses *analyses,
		      const char *command);

#endif
