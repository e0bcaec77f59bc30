/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the sort keys of commands that show tables of one recording, and --columns, their list.
 * In: -s KEYS, the registry. Out: keys that some report has, the list of all columns, or a message.
 */
#ifndef KMEMX_CMD_STAT_KEYS_H
#define KMEMX_CMD_STAT_KEYS_H

#include "cmd/output/output.h"
#include "report/table.h"

#define STAT_KEYS_MAX 320 /* of all reports */

/* The keys of all reports, ending in NULL. */
void stat_keys_words(const char *words[STAT_KEYS_MAX + 1], const char *command);
/* Parses @text. GO_ON, or EXIT_USAGE after a message. Free @keys with sort_keys_free(). */
int stat_keys_parse(struct sort_keys *keys, const char *text, const char *command);
/* Is each of @keys a column of some table of @r? GO_ON, or EXIT_USAGE after a message. */
int stat_keys_check(const struct sort_keys *keys, const struct report *r,
		    const char *command);
/* Live memory is ranked by its best estimate: "net" becomes "net_estimate". */
void stat_keys_estimate(struct sort_keys *keys);
/* Sorts by those of @keys that @t has, or in its usual order. 0 or -ENOMEM. */
int stat_keys_sort(struct table *t, const struct sort_keys *keys) __must_check;

/* Shows hidden columns that rows are sorted by. If rows are sorted by a net figure, or with @live,
 * and it is a range in some row, also shows its bounds and the reason; likewise the net bytes seen,
 * if they differ from the estimate.
 */
void stat_keys_show(struct table *t, const struct sort_keys *keys, bool live);

/* Prints all columns. Returns an exit code. */
int stat_columns(const struct output_options *output, const char *command);

#endif
