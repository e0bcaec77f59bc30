// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the options of kmemx stat that are a word of a list, and what they exclude.
 * In: --by, --order-by, --malloc, --cache-only. Out: values, or a message.
 */
#include "stat_choice.h"

#include <string.h>

#include "command.h"
#include "message.h"
#include "options.h"

static int check_account(const struct stat_choice *c, bool other_tables,
			 const char *command)
{
	const char *alone = c->order_by	     ? "--order-by"
			    : c->malloc_only ? "--malloc"
			    : c->cache_only  ? "--cache-only"
					     : NULL;

	if (c->account && other_tables) {
		message_error(
			command,
			"--account is a table of its own.\n  It goes with --by, --order-by, --malloc, --cache-only, --live and -l.");
		return EXIT_USAGE;
	}
	if (!c->account && alone) {
		message_error(command, "%s is for the account table.\n  Add --account.",
			      alone);
		return EXIT_USAGE;
	}
	if (c->malloc_only && c->cache_only) {
		message_error(command, "--malloc and --cache-only exclude each other.");
		return EXIT_USAGE;
	}
	return GO_ON;
}

int stat_choice_check(struct stat_choice *c, bool other_tables, const char *command)
{
	static const char *const kinds[] = { "callsite", "stack", "comm",   "pid", "cpu",
					     "node",	 "cache", "module", "dir" };
	static const char *const orders[] = { "current_dynamic", "total_dynamic",
					      "alloc_count", "free_count", "waste" };
	int index;

	if (c->by_word) {
		index = option_choose("--by", c->by_word, kinds, ARRAY_SIZE(kinds),
				      command);
		if (index < 0)
			return EXIT_USAGE;
		c->by = SUBJECT_CALLSITE + (unsigned int)index;
	}
	if (c->order_by && option_choose("--order-by", c->order_by, orders,
					 ARRAY_SIZE(orders), command) < 0)
		return EXIT_USAGE;
	return check_account(c, other_tables, command);
}

enum account_rows stat_choice_rows(const struct stat_choice *c)
{
	if (c->malloc_only)
		return ACCOUNT_KMALLOC;
	return c->cache_only ? ACCOUNT_CACHES : ACCOUNT_ALL;
}
