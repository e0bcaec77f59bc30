/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options of kmemx stat that are a word of a list, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only. Out: values, or a message.
 */
#ifndef KMEMX_CMD_STAT_CHOICE_H
#define KMEMX_CMD_STAT_CHOICE_H

#include "analysis/analysis.h"

/* Zero-initialise it; the option table points at the strings and flags. */
struct stat_choice {
	const char *by_word, *order_by;
	bool account, malloc_only, cache_only;
	enum subject_kind by; /* from @by_word */
};

/* Reads the words. @other_tables: options that ask for other tables than the account's were
 * given. GO_ON, or EXIT_USAGE after a message.
 */
int stat_choice_check(struct stat_choice *c, bool other_tables, const char *command);
/* The rows that --malloc and --cache-only leave. */
enum account_rows stat_choice_rows(const struct stat_choice *c);

#endif
