/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the sort keys of kmemx stat.
 * In: -s KEYS, the registry. Out: keys that some report knows, or a message that lists them.
 */
#ifndef KMEMX_CMD_STAT_KEYS_H
#define KMEMX_CMD_STAT_KEYS_H

#include "report/table.h"

#define STAT_KEYS_MAX 256 /* of all reports */

/* The keys of all reports, ending in NULL. */
void stat_keys_words(const char *words[STAT_KEYS_MAX + 1], const char *command);
/* GO_ON, or EXIT_USAGE after a message. Free @keys with sort_keys_free(). */
int stat_keys_parse(struct sort_keys *keys, const char *text, const char *command);
/* Does each of @keys sort some table of @r? GO_ON, or EXIT_USAGE after a message. */
int stat_keys_check(const struct sort_keys *keys, const struct report *r,
		    const char *command);
/* Sorts by those of @keys that @t knows, else by its usual order. 0 or -ENOMEM. */
int stat_keys_sort(struct table *t, const struct sort_keys *keys) __must_check;

/* Shows the columns that are hidden but sorted by; where a net figure is shown (@live: all
 * are) and is a range in some row, its other end and the reason too.
 */
void stat_keys_show(struct table *t, const struct sort_keys *keys, bool live);

#endif
