/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the commands that only show tables of one recording.
 * In: nothing. Out: a table of these commands, and what their own options set.
 */
#ifndef KMEMX_CMD_TABLES_H
#define KMEMX_CMD_TABLES_H

#include "analysis/life/suppressions.h"
#include "cmd/options/command.h"
#include "cmd/stat/stat_run.h"

/**
 * struct tables_args - the options that only some of the commands have
 * @window: for peak: the time up to @at, in the form of --time
 * @known: for leaks: the lines of @suppress
 * @all: for owners: all memory, not only pages that events name
 * @by, @sort: for owners: translated from page_owner_sort's words
 */
struct tables_args {
	bool of[MEMORY_KINDS];
	uint64_t bins;
	const char *at, *cull;
	bool all;
	struct option_strings suppress;
	char *window;
	struct suppressions known;
	struct strbuf by, sort;
};

/**
 * struct tables_command - a command that shows the tables of the analyses of its name
 * @purpose, @examples: of struct option_usage
 * @own: its own options, bits of tables.c
 * @by: the help of --by; NULL: the words that its rows can be by
 * @over_time: the help of --over-time; NULL: it has no such option
 * @sort: the help of --sort; NULL: it has no rows to sort
 * @choose: uses its own options. GO_ON, or an exit code after a message. NULL: not needed
 */
struct tables_command {
	struct command command;
	const char *purpose, *examples;
	unsigned int own;
	const char *by, *over_time, *sort;
	int (*choose)(struct tables_args *args, struct stat_options *o);
};

enum {
	TABLES_SUMMARY,
	TABLES_BALANCE,
	TABLES_LEAKS,
	TABLES_PEAK,
	TABLES_OWNERS,
	TABLES_ADVISE,
	TABLES_FRAG,
	TABLES_PERCPU,
	TABLES_NR,
};

extern const struct tables_command tables_commands[TABLES_NR];

/* For leaks: --suppress. */
int leaks_choose(struct tables_args *args, struct stat_options *o);
/* For owners: --cull, and the words of --sort. */
int owners_choose(struct tables_args *args, struct stat_options *o);
/* The words of --cull, ending in NULL. */
extern const char *const owners_cull_words[];

#endif
